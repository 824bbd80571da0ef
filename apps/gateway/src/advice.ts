import type { ServerState } from '@mobius-mcp/tools-service'
import { isStdoutNoise } from './reach-server.ts'

interface Advice {
  readonly applies: (reason: string, lines: readonly string[]) => boolean
  readonly text: string
}

// The first that applies counts: what is certain stands before what is likely.
const advices: readonly Advice[] = [
  {
    applies: (_, lines) => lines.some(isStdoutNoise),
    text: 'it writes to stdout what is no MCP. Logs belong on stderr; many programs have a switch for MCP over stdio, e.g. --stdio',
  },
  {
    applies: (reason) => reason.includes('no such command'),
    text: 'install the command, or write its full path: a program that does not start in your shell has another PATH',
  },
  {
    applies: (reason) => /\b(EACCES|not executable|may not be run)\b/.test(reason),
    text: 'make the file executable (chmod +x), or name the program that runs it, e.g. command: node',
  },
  {
    applies: (reason) => /exited with (code|signal)|was ended by/.test(reason),
    text: 'run the same command in a terminal: it must stay and wait for input. What it needs is often an environment variable, which goes under env',
  },
  {
    applies: (reason) => /did not answer within/.test(reason),
    text: 'look whether it is an MCP server at all, speaks over this transport, and is not waiting for something, e.g. a download or a prompt',
  },
  {
    applies: (reason) => /\b401\b|Unauthorized/i.test(reason),
    text: 'it wants to know who calls: sign in with mobius login, or give it a key under headers',
  },
  {
    applies: (reason) => /\b403\b|Forbidden/i.test(reason),
    text: 'whoever signed in may not use it, or the key under headers is of somebody else',
  },
  {
    applies: (reason) => /\b(404|405)\b/.test(reason),
    text: 'look at the path of the URL: often it ends in /mcp; for the older transport in /sse, with type: sse',
  },
  {
    applies: (reason) => /certificate|self.signed|TLS/i.test(reason),
    text: 'its certificate is not trusted here: name the authority in NODE_EXTRA_CA_CERTS',
  },
  {
    applies: (reason) => /Could not reach|ECONNREFUSED|ENOTFOUND|ETIMEDOUT/.test(reason),
    text: 'look whether the address is right and the server runs; behind a proxy, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1',
  },
]

/** What a person may do about a server that is not as it should be. */
export function advise(
  { name, state, reason = '' }: ServerState,
  lines: readonly string[],
): string {
  if (state === 'auth-needed') return `sign in: mobius login ${name}`
  const found = advices.find(({ applies }) => applies(reason, lines))
  return found?.text ?? `see what it says with mobius servers --verbose, and its own documentation`
}
