import { type CallResult, isObject } from '@mobius-mcp/protocol'
import { escapeLine, showLines, showText } from '@mobius-mcp/telemetry'
import type { CommandClient } from '../attach.ts'
import { formatResult } from '../format-result.ts'
import type { UsedGateway } from '../use-gateway.ts'
import { UserError } from '../user-error.ts'
import { type Conversation, openConversation, type Saying } from './conversation.ts'
import { readCommand, toSaying } from './prompts.ts'
import { createScreen } from './screen.ts'
import { createTurnView } from './turn-view.ts'

export interface SayOnceOptions {
  readonly agent?: string | undefined
  readonly thread?: string | undefined
  /** Prints the whole result. */
  readonly json: boolean
}

/** Exit code of what was stopped by a signal, as shells have it. */
const interrupted = 130

/** Says what stands on stdin, and prints what the agent answers. The exit code is 1 where it fails. */
export async function sayOnce(gateway: UsedGateway, options: SayOnceOptions): Promise<number> {
  const { agent, thread, json } = options
  const text = (await readAll(process.stdin)).trim()
  if (text === '') {
    throw new UserError('There is nothing to say: expected a prompt on stdin, received none')
  }
  await using conversation = await openConversation(gateway, {
    agent,
    thread,
    client: absentClient,
  })
  const stopping = new AbortController()
  const stop = () => stopping.abort('stopped at the terminal')
  process.once('SIGINT', stop)
  try {
    const saying = await toPrompt(conversation, text)
    const result = await say(conversation, saying, stopping.signal)
    process.stdout.write(json ? toJson(result) : showLines(formatResult(result)))
    return result.isError === true ? 1 : 0
  } catch (error) {
    if (stopping.signal.aborted) return interrupted
    if (error instanceof UserError || !(error instanceof Error)) throw error
    process.stderr.write(`${showText(error.message, 2000)}\n`)
    return 1
  } finally {
    process.off('SIGINT', stop)
  }
}

/** Shows what is done meanwhile where somebody looks on. */
async function say(conversation: Conversation, saying: Saying, signal: AbortSignal) {
  const { stderr } = process
  const view = stderr.isTTY ? createTurnView(createScreen(stderr)) : undefined
  const result = await conversation.say(saying, {
    signal,
    onEvent: (event) => {
      // The answer itself follows on stdout.
      if (event.type !== 'text-delta') view?.show(event)
    },
  })
  view?.end()
  return result
}

/** A prompt of the agent's server, filled in; anything else is what it is. */
async function toPrompt({ session }: Conversation, text: string): Promise<Saying> {
  const command = await readCommand(session, text)
  if (!command) return { prompt: text }
  const { prompt, given, missing } = command
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    throw new UserError(`/${prompt.name} needs more to go by: ${names}. Give it as name=value`)
  }
  return await toSaying(session, prompt.name, given)
}

/** Nobody is there to answer what servers ask. */
const absentClient: CommandClient = {
  capabilities: { elicitation: { form: {}, url: {} } },
  handler: {
    onMessage({ method, params }) {
      if (method !== 'elicitation/create') return {}
      const asked = isObject(params) && typeof params.message === 'string' ? params.message : ''
      process.stderr.write(`Nobody is here to answer: ${showText(asked)}\n`)
      return { action: 'cancel' }
    },
  },
}

function toJson(result: CallResult): string {
  return JSON.stringify(result, null, 2)
    .split('\n')
    .map((line) => `${escapeLine(line)}\n`)
    .join('')
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  stream.setEncoding('utf8')
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}
