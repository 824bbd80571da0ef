/** The official SDK's client, in a process of its own. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { longThread } from '../subjects/bench-agents.ts'
import { token } from '../subjects/bench-models.ts'
import { answerCommands } from './commands.ts'
import type { InspectCommands } from './inspect.ts'

export interface AgentsClientCommands extends InspectCommands {
  /** Words in a second, from the question to the answer, as they come as progress. */
  listen: (input: { url: string; tokens: number }) => Promise<number>
  /** Milliseconds for all pages of the long thread. */
  readThread: (input: { url: string; items: number }) => Promise<number>
  /** Milliseconds for all pages of the list of threads. */
  listThreads: (input: { url: string; threads: number }) => Promise<number>
}

const clients = new Map<string, Promise<Client>>()
const commands: Omit<AgentsClientCommands, keyof InspectCommands> = {
  listen,
  readThread: ({ url, items }) =>
    readPages(url, items, (after) => `chat://threads/${longThread}/history?after=${after ?? 0}`),
  // The chats of this run are among them.
  listThreads: ({ url, threads }) =>
    readPages(url, threads, (cursor) =>
      cursor === undefined ? 'chat://threads' : `chat://threads?cursor=${cursor}`,
    ),
}
answerCommands(commands)

/** All in one session. */
function clientOf(url: string): Promise<Client> {
  const known = clients.get(url) ?? connect(url)
  clients.set(url, known)
  return known
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(url))
  // The SDK's own types disagree with exactOptionalPropertyTypes.
  await client.connect(transport as unknown as Parameters<Client['connect']>[0])
  return client
}

async function listen({ url, tokens }: { url: string; tokens: number }): Promise<number> {
  const client = await clientOf(url)
  let heard = 0
  const begin = performance.now()
  const params = { name: 'chat-with-main', arguments: { prompt: `tokens ${tokens}` } }
  await client.callTool(params, undefined, {
    timeout: 300_000,
    onprogress: ({ message }) => {
      heard += (message?.length ?? 0) / token.length
    },
  })
  const seconds = (performance.now() - begin) / 1_000
  if (heard !== tokens) throw new Error(`${heard} words came, and ${tokens} were said.`)
  return tokens / seconds
}

async function readPages(
  url: string,
  expected: number,
  uriOf: (cursor: string | undefined) => string,
): Promise<number> {
  const client = await clientOf(url)
  const begin = performance.now()
  let count = 0
  let cursor: string | undefined
  do {
    const { contents, _meta } = await client.readResource({ uri: uriOf(cursor) })
    count += contents.length
    const next = _meta?.['mobius-mcp.dev/cursor']
    const more = _meta?.['mobius-mcp.dev/more'] ?? next !== undefined
    cursor = more && contents.length > 0 ? encodeURIComponent(String(next)) : undefined
  } while (cursor !== undefined)
  const time = performance.now() - begin
  if (count < expected) throw new Error(`${count} were read, of at least ${expected}.`)
  return time
}
