/** Something that was said on a stream, for a client whose connection broke. */
export interface StreamEvent {
  /** Whose streams they are: a session's key. */
  readonly scope: string
  /** Which of its streams. */
  readonly channel: number
  /** Grows along the channel. Chosen by who speaks on it. */
  readonly sequence: number
  readonly data: string
  /** The last of its channel. */
  readonly final: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** How far a channel has come. */
export interface ChannelEnd {
  readonly channel: number
  readonly last: number
  readonly ended: boolean
}

/** What is kept at most. The final events of channels outlive the others: somebody waits for them. */
export interface EventBounds {
  /** Those said before are forgotten. */
  readonly before: number
  /** How many each scope keeps, the latest. */
  readonly max: number
}

/** Streams that can be gone on with. */
export interface Events {
  /** Keeps all of them, at once. One that is kept already stays as it is. */
  append(events: readonly StreamEvent[]): Promise<void>
  /** What a channel said after one of its events, in order. 1,000 at most by default. */
  after(
    scope: string,
    channel: number,
    sequence: number,
    limit?: number,
  ): Promise<readonly StreamEvent[]>
  /** The channels of a scope, in order, so that it can be gone on with in another process. */
  channels(scope: string): Promise<readonly ChannelEnd[]>
  /** Forgets what is out of bounds. */
  trim(bounds: EventBounds): Promise<void>
  /** Forgets all of a scope. */
  delete(scope: string): Promise<void>
}
