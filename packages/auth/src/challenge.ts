/** What a server says in `WWW-Authenticate` about how to call it. */
export interface Challenge {
  readonly resourceMetadata?: string | undefined
  readonly scope?: string | undefined
  readonly error?: string | undefined
}

/** Reads the challenge that asks for a bearer token. What is not understood is left out. */
export function parseChallenge(header: string | null): Challenge {
  const bearer = /(?:^|,)\s*(?:bearer|dpop)(?=\s|$)(.*)$/is.exec(header ?? '')?.[1] ?? ''
  const found = new Map<string, string>()
  for (const match of bearer.matchAll(parameter)) {
    const { name = '', quoted, bare = '' } = match.groups ?? {}
    // The first one counts: another scheme's may follow.
    if (!found.has(name.toLowerCase())) {
      found.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? bare)
    }
  }
  return {
    resourceMetadata: found.get('resource_metadata'),
    scope: found.get('scope'),
    error: found.get('error'),
  }
}

const parameter = /(?<name>[\w-]+)\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>[^\s,"]+))/g
