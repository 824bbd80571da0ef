import type { EventStream } from './event-stream.ts'

/** What a request is answered with: a whole response, or a stream that is still to be carried. */
export type Reply = Response | EventStream
