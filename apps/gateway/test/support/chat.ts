import type { JsonObject } from '@mobius-mcp/protocol'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'

/** Chats with an agent, and gives what it said and the thread that it was said in. */
export async function chat(
  client: Client,
  prompt: string,
  { agent = 'assistant', ...more }: { agent?: string; thread?: string } = {},
): Promise<{ text: string; thread: string; isError: boolean }> {
  const result = await client.callTool({
    name: `chat-with-${agent}`,
    arguments: { prompt, ...more },
  })
  const content = result.content as { text?: string }[]
  return {
    text: content.map(({ text = '' }) => text).join('\n'),
    thread: String(result._meta?.['mobius-mcp.dev/thread']),
    isError: result.isError === true,
  }
}

/** What a resource of JSON contents holds. */
export async function readJson(client: Client, uri: string): Promise<JsonObject[]> {
  const { contents } = await client.readResource({ uri })
  return contents.map((content) => JSON.parse(String('text' in content && content.text)))
}

/** A thread in short: a line for each thing that was said or done. */
export async function readThread(client: Client, thread: string): Promise<string[]> {
  const items = await readJson(client, `chat://threads/${thread}/history`)
  return items.map(describeItem)
}

function describeItem({ type, content, name, reason }: JsonObject): string {
  if (type === 'end') return `end: ${reason}`
  const parts = (content as { type: string; text?: string; name?: string }[]).map((part) =>
    part.type === 'tool-call' ? `calls ${part.name}` : part.text,
  )
  return `${type === 'result' ? name : type}: ${parts.join(' ')}`
}
