import type { Secret } from './secret.ts'

/** The server that the prompts of a file belong to: `prompts/<name>` in references. */
export const promptServerName = 'prompts'

/** A prompt that the configuration itself holds: `renderPrompt` gives its text. */
export interface PromptSettings {
  readonly name: string
  /** A digest of all the rest: changes when anything does. */
  readonly identity: string
  readonly description?: string
  /** In the order in which they are asked for. */
  readonly arguments: readonly PromptArgumentSettings[]
  /** Texts, and the arguments whose values stand between them. */
  readonly template: readonly (string | Secret | PromptPlace)[]
}

/** One argument of a prompt. */
export interface PromptArgumentSettings {
  readonly name: string
  readonly description?: string
  readonly required: boolean
  /** The only values that there are, where it is one of a few words. */
  readonly choices?: readonly string[]
}

/** Where an argument's value stands in a template. */
export interface PromptPlace {
  readonly argument: string
}
