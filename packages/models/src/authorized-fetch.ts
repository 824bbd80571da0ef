import type { Dialect, ProviderSettings } from './provider-settings.ts'

/** The part of `fetch` that is needed. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * Puts key and headers on at the last moment: the vendors' packages are never given them, so neither can be in their errors,
 * and none is looked for in the environment.
 */
export function authorizeFetch(fetch: Fetch, { dialect, key, headers }: ProviderSettings): Fetch {
  return (input, init) => {
    const all = new Headers(init?.headers)
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key']) all.delete(name)
    // Organisations come from the environment, which is not the libraries' to read.
    for (const name of ['openai-organization', 'openai-project']) all.delete(name)
    if (key) setKey(all, dialect, key)
    for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value)
    return fetch(input, { ...init, headers: all })
  }
}

function setKey(headers: Headers, dialect: Dialect, key: string): void {
  switch (dialect) {
    case 'anthropic':
      headers.set('x-api-key', key)
      return
    case 'google':
      headers.set('x-goog-api-key', key)
      return
    case 'openai-chat':
    case 'openai-responses':
    case 'open-responses':
      headers.set('authorization', `Bearer ${key}`)
      return
    default:
      dialect satisfies never
  }
}
