/** What a gateway stands in front of: the minimal echo, over stdio or over Streamable HTTP. */
export type Upstream = { command: string; args: string[] } | { url: string }

export interface HttpSubjectOptions {
  /** Absent where the echo is in process. */
  upstream?: Upstream
  /** Ours alone: an observing hook looks at each call. */
  hooked?: boolean
}

/** An echo tool behind `POST /mcp` on a free loopback port. */
export interface HttpSubject {
  url: string
  /** What the echo tool is called there. */
  tool: string
  /** Ends everything it started. */
  close(): Promise<void>
}

/** A module in this folder that serves HTTP exports this as `start`. */
export type StartHttpSubject = (options: HttpSubjectOptions) => Promise<HttpSubject>

/** An echo tool that is called without a network between. */
export interface InProcessSubject {
  /** One `tools/call`, as `{ content, structuredContent }`. */
  call(text: string): Promise<unknown>
  close(): Promise<void>
}

/** A module in this folder that is called in process exports this as `open`. */
export type OpenInProcessSubject = () => Promise<InProcessSubject>
