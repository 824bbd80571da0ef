import type { ModelEvent } from './events.ts'
import type { ModelRequest } from './request.ts'

/** Something that answers. */
export interface Model {
  /** `provider/model`, or `console`. */
  readonly name: string
  /**
   * Answers, event by event, and ends with one `finish` or `error`; it never throws. Nothing is sent before the first event
   * is read, and whoever stops reading stops the answer.
   */
  stream(
    request: ModelRequest,
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<ModelEvent>
}
