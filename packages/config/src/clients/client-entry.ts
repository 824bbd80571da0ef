import type { JsonObject } from '@mobius-mcp/protocol'
import type { ClientKind } from './client-files.ts'

/** How a client reaches the gateway. */
export type GatewayAddress =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env?: Readonly<Record<string, string>> | undefined
    }
  | {
      readonly kind: 'http'
      readonly url: string
      /** The variable that holds the bearer key; the client reads it, and no file holds the key. */
      readonly keyVariable?: string | undefined
    }

/** The gateway as a client's file names it; text says why it cannot, and what to do instead. */
export function clientEntry(client: ClientKind, address: GatewayAddress): JsonObject | string {
  if (address.kind === 'stdio') return stdioEntry(client, address)
  if (client === 'claude-desktop') {
    return 'it starts programs, and reaches no URL from its file; connect it over stdio'
  }
  if (address.keyVariable !== undefined && !canReadVariables(client)) {
    return 'it puts no variables into its file, and a key should not stand there; connect it over stdio'
  }
  return httpEntry(client, address)
}

type StdioAddress = Extract<GatewayAddress, { kind: 'stdio' }>
type HttpAddress = Extract<GatewayAddress, { kind: 'http' }>

function stdioEntry(client: ClientKind, { command, args, env }: StdioAddress): JsonObject {
  const variables = env && Object.keys(env).length > 0 ? { ...env } : undefined
  const plain = { command, args: [...args], ...(variables && { env: variables }) }
  switch (client) {
    case 'opencode':
      return {
        type: 'local',
        command: [command, ...args],
        enabled: true,
        ...(variables && { environment: variables }),
      }
    case 'claude-code':
    case 'vscode':
      return { type: 'stdio', ...plain }
    case 'zed':
      return { source: 'custom', ...plain, env: variables ?? {} }
    case 'claude-desktop':
    case 'codex':
    case 'cursor':
    case 'gemini':
    case 'windsurf':
      return plain
    default:
      return client satisfies never
  }
}

function httpEntry(client: ClientKind, { url, keyVariable }: HttpAddress): JsonObject {
  const reference = keyVariable === undefined ? undefined : referenceOf(client, keyVariable)
  const headers =
    reference === undefined ? {} : { headers: { Authorization: `Bearer ${reference}` } }
  switch (client) {
    case 'codex':
      return { url, ...(keyVariable !== undefined && { bearer_token_env_var: keyVariable }) }
    case 'gemini':
      return { httpUrl: url, ...headers }
    case 'windsurf':
      return { serverUrl: url, ...headers }
    case 'opencode':
      return { type: 'remote', url, enabled: true, ...headers }
    case 'claude-code':
    case 'vscode':
      return { type: 'http', url, ...headers }
    case 'zed':
      return { source: 'custom', url, ...headers }
    case 'claude-desktop':
    case 'cursor':
      return { url, ...headers }
    default:
      return client satisfies never
  }
}

function canReadVariables(client: ClientKind): boolean {
  return client === 'codex' || referenceOf(client, 'X') !== undefined
}

function referenceOf(client: ClientKind, name: string): string | undefined {
  switch (client) {
    case 'claude-code':
    case 'gemini':
      return `\${${name}}`
    case 'cursor':
    case 'vscode':
    case 'windsurf':
      return `\${env:${name}}`
    case 'opencode':
      return `{env:${name}}`
    case 'codex':
    case 'claude-desktop':
    case 'zed':
      return undefined
    default:
      return client satisfies never
  }
}
