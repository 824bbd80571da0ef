/** Where a subject answers, and what its echo is called there. */
export interface Target {
  url: string
  dialect: 'streamable' | 'sse'
  tool: string
}

/** An answer as it came, or why none came. */
export type Outcome = string | Error

/** One slot of a session: carries one request at a time. */
export interface Channel {
  /** Sends the request `body` with this id; the answer is the text that holds its response. */
  exchange(id: number, body: string, done: (outcome: Outcome) => void): void
  close(): void
}

/** One MCP session, opened. */
export interface Client {
  /** An id that this session has not used. */
  nextId(): number
  openChannel(): Promise<Channel>
  /** Ends the session, on the server too. */
  close(): Promise<void>
}

/** The answer to one request, parsed. */
export interface Answer {
  result?: { [member: string]: unknown }
  error?: { code: number; message: string; data?: unknown }
}
