import { memoize } from './memoize.ts'

/** True for `application/json`, whatever parameters follow; false for its look-alikes. */
export const isJson: (contentType: string) => boolean = memoize(
  (contentType) => essence(contentType) === 'application/json',
)

/** Whether an `Accept` header takes both kinds of answer: one JSON object, or a stream of events. */
export const acceptsBoth: (accept: string) => boolean = memoize((accept) => {
  const ranges = rangesOf(accept)
  return admits(ranges, 'application', 'json') && admits(ranges, 'text', 'event-stream')
})

/** Whether an `Accept` header takes a stream of events. */
export const acceptsEvents: (accept: string) => boolean = memoize((accept) =>
  admits(rangesOf(accept), 'text', 'event-stream'),
)

function admits(ranges: ReadonlySet<string>, type: string, subtype: string): boolean {
  return ranges.has(`${type}/${subtype}`) || ranges.has(`${type}/*`) || ranges.has('*/*')
}

function rangesOf(accept: string): ReadonlySet<string> {
  return new Set(accept.split(',').map(essence))
}

/** The type and subtype alone. RFC 9110, section 8.3.1: names ignore case. */
function essence(mediaType: string): string {
  const end = mediaType.indexOf(';')
  return (end === -1 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase()
}
