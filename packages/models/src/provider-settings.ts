/** How a provider is spoken to. */
export type Dialect = 'openai-chat' | 'openai-responses' | 'open-responses' | 'anthropic' | 'google'

/** Where models are. All of it is given as values: nothing is read from the environment. */
export interface ProviderSettings {
  /** `openai-chat` is for everything that offers Chat Completions: Ollama, vLLM, llama.cpp, LM Studio and many services. */
  readonly dialect: Dialect
  /** The vendor's own address by default; `open-responses` has none. */
  readonly baseUrl?: string | undefined
  /** Never in an error or log. */
  readonly key?: string | undefined
  /** Sent with each request, over those that would be. Their values are kept out of errors too. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Where a request goes. */
export interface Destination {
  readonly dialect: Dialect
  readonly provider: string
}
