/** Why something was not fetched, by its permanent name. */
export const fetchRefusals = {
  /** Not https, or not a URL at all. */
  FETCH_SCHEME: 'only https is fetched, and http from this machine where that is allowed',
  /** The URL holds a user name or a password. */
  FETCH_CREDENTIALS: 'the URL must not hold a user name or a password',
  /** The address is not one of the public Internet. */
  FETCH_ADDRESS: 'only public addresses are fetched from',
  /** A redirect that is not followed. */
  FETCH_REDIRECT: 'the redirect is not followed',
  /** The body is longer than allowed. */
  FETCH_TOO_LARGE: 'the answer is too large',
  /** The answer was not complete in time. */
  FETCH_TIMEOUT: 'the answer took too long',
} as const

/** A permanent name for a kind of refusal. */
export type FetchRefusal = keyof typeof fetchRefusals

/** Something that was not fetched because of a rule. The message names the rule and the setting. */
export class FetchRefusedError extends Error {
  readonly code: FetchRefusal

  constructor(code: FetchRefusal, where: string, detail: string) {
    super(`Could not fetch ${where}: ${fetchRefusals[code]}. ${detail}`)
    this.name = 'FetchRefusedError'
    this.code = code
  }
}

/** True for a `FetchRefusedError` of this or another copy of the package. */
export function isFetchRefused(error: unknown): error is FetchRefusedError {
  return error instanceof Error && error.name === 'FetchRefusedError'
}

/** A URL as it may be shown: its query may hold a key. */
export function toPlainUrl(url: URL): string {
  return url.protocol === 'http:' || url.protocol === 'https:'
    ? url.origin + url.pathname
    : url.protocol
}
