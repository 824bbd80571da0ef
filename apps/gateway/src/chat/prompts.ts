import { drainList, isObject, type JsonObject, type Session } from '@mobius-mcp/protocol'
import type { Saying } from './conversation.ts'

/** What a prompt wants to know. */
interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** A prompt of an agent's server. */
export interface OfferedPrompt {
  readonly name: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
}

/** A line that begins with a prompt's name. */
export interface PromptCommand {
  readonly prompt: OfferedPrompt
  readonly given: Readonly<Record<string, string>>
  /** What is required and was not given. */
  readonly missing: readonly PromptArgument[]
}

/** The prompts that the server offers; none where it has no such list. */
export async function listPrompts(session: Session): Promise<readonly OfferedPrompt[]> {
  if (!session.peer?.capabilities.prompts) return []
  return (await drainList(session, 'prompts')).map(toPrompt)
}

/** Reads `/name …` where there is such a prompt; `undefined` where the line is none of that kind. */
export async function readCommand(
  session: Session,
  text: string,
): Promise<PromptCommand | undefined> {
  const [, name = '', rest = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(text) ?? []
  if (name === '') return undefined
  const prompt = (await listPrompts(session)).find((each) => each.name === name)
  if (!prompt) return undefined
  const given = readArguments(prompt, rest.trim())
  const missing = prompt.arguments.filter(
    (each) => each.required && !Object.hasOwn(given, each.name),
  )
  return { prompt, given, missing }
}

/** Fills a prompt in, and makes of it what is said to the agent. */
export async function toSaying(
  session: Session,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<Saying> {
  const { messages } = await session.request('prompts/get', { name, arguments: args })
  const all = Array.isArray(messages) ? messages.filter(isObject) : []
  const isDialogue = all.some(({ role }) => role === 'assistant')
  const texts: string[] = []
  const attachments: JsonObject[] = []
  for (const { role, content } of all) {
    const { text, attachment } = readBlock(isObject(content) ? content : {})
    if (attachment) attachments.push(attachment)
    // Who said what is lost where all of it is said by one.
    if (text !== undefined)
      texts.push(isDialogue ? `${roles[String(role)] ?? role}: ${text}` : text)
  }
  return { prompt: texts.join('\n\n'), attachments }
}

const roles: Readonly<Record<string, string>> = { user: 'User', assistant: 'Assistant' }

/** One block of a prompt: a text, or what comes along with it. */
function readBlock(block: JsonObject): { text?: string; attachment?: JsonObject } {
  const { type, text, data, mimeType, resource, uri } = block
  if (type === 'text') return { text: String(text) }
  if (typeof data === 'string') return { attachment: { url: dataUri(mimeType, data), mimeType } }
  if (type === 'resource_link') return { text: String(uri) }
  if (!isObject(resource)) return {}
  if (typeof resource.text === 'string') return { text: `${resource.uri}:\n${resource.text}` }
  if (typeof resource.blob !== 'string') return {}
  const url = dataUri(resource.mimeType, resource.blob)
  return { attachment: { url, name: String(resource.uri), mimeType: resource.mimeType } }
}

function dataUri(mimeType: unknown, base64: string): string {
  return `data:${typeof mimeType === 'string' ? mimeType : 'application/octet-stream'};base64,${base64}`
}

/** `name=value`, with quotes where a value has spaces; where there is one argument alone, all that follows. */
function readArguments(
  { arguments: known }: OfferedPrompt,
  text: string,
): Readonly<Record<string, string>> {
  const names = new Set(known.map(({ name }) => name))
  const given: [string, string][] = []
  for (const [, name = '', quoted, plain = ''] of text.matchAll(/(\S+?)=(?:"([^"]*)"|(\S*))/g)) {
    if (names.has(name)) given.push([name, quoted ?? plain])
  }
  const [first] = known
  if (given.length === 0 && text !== '' && first) given.push([first.name, text])
  return Object.fromEntries(given)
}

function toPrompt({ name, description, arguments: declared }: JsonObject): OfferedPrompt {
  const all = Array.isArray(declared) ? declared.filter(isObject) : []
  return {
    name: String(name),
    description: typeof description === 'string' ? description : '',
    arguments: all.map((each) => ({
      name: String(each.name),
      description: typeof each.description === 'string' ? each.description : '',
      required: each.required === true,
    })),
  }
}
