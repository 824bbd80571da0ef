import type { CallResult, JsonObject } from '@mobius-mcp/protocol'
import { showLines, showText } from '@mobius-mcp/telemetry'
import { formatResult } from '../format-result.ts'
import type { UsedGateway } from '../use-gateway.ts'
import { Approvals } from './approvals.ts'
import { answerWhatWaits, clientAt } from './asked-forms.ts'
import { type Conversation, openConversation, type Saying } from './conversation.ts'
import { listPrompts, type OfferedPrompt, readCommand, toSaying } from './prompts.ts'
import { readItems, readThread } from './records.ts'
import { showItem } from './show-item.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { createTurnView } from './turn-view.ts'

export interface TalkOptions {
  readonly agent?: string | undefined
  readonly thread?: string | undefined
}

/** A conversation in the terminal, until the person leaves. The exit code is 0. */
export async function talk(gateway: UsedGateway, options: TalkOptions): Promise<number> {
  let prompts: readonly OfferedPrompt[] = []
  using terminal = openTerminal({
    input: process.stdin,
    output: process.stdout,
    complete: (line) => completions(prompts, line),
  })
  const client = clientAt(terminal)
  await using conversation = await openConversation(gateway, { ...options, client })
  await using approvals = new Approvals(conversation, terminal)
  await approvals.begin(gateway)
  prompts = await listPrompts(conversation.session)
  const talking = new Talk(conversation, terminal, approvals)
  await talking.greet(options.thread !== undefined)
  if (options.thread !== undefined) await answerWhatWaits(gateway, options.thread, terminal)
  await talking.run()
  return 0
}

const own = ['/help', '/exit']

function completions(prompts: readonly OfferedPrompt[], line: string): readonly string[] {
  if (!line.startsWith('/')) return []
  // They are shown as they are: what a terminal would obey is not offered.
  const names = prompts.map(({ name }) => `/${name}`).filter((each) => showText(each) === each)
  return [...own, ...names].filter((each) => each.startsWith(line))
}

/** The turns of a person, one after the other. */
class Talk {
  readonly #conversation: Conversation
  readonly #terminal: Terminal
  readonly #approvals: Approvals

  constructor(conversation: Conversation, terminal: Terminal, approvals: Approvals) {
    this.#conversation = conversation
    this.#terminal = terminal
    this.#approvals = approvals
  }

  async greet(goesOn: boolean): Promise<void> {
    const { agent, session, thread } = this.#conversation
    const { screen } = this.#terminal
    const { name, title = name, starterMessages = [] } = agent
    screen.line(
      `${showText(title)} (${showText(name)}). /help says what can be done here; Ctrl-C stops a turn, and at the prompt it leaves.`,
      'dim',
    )
    if (!goesOn || thread === undefined) {
      for (const starter of starterMessages) screen.line(`  ${showText(starter)}`, 'dim')
      return
    }
    const { last } = await readThread(session, thread)
    // The last exchange is enough to go on from.
    let shown: JsonObject[] = []
    for await (const item of readItems(session, thread, Math.max(0, last - 30))) {
      shown = item.type === 'user' ? [item] : [...shown, item]
    }
    for (const item of shown) showItem(item, screen)
  }

  async run(): Promise<void> {
    for (;;) {
      const line = (await this.#terminal.readPrompt())?.trim()
      if (line === undefined || line === '/exit') break
      if (line === '') continue
      if (line === '/help' || line === '/') await this.#help()
      else await this.#take(line)
    }
    const { thread } = this.#conversation
    if (thread !== undefined) {
      this.#terminal.screen.line(`To go on: mobius chat --thread ${showText(thread)}`, 'dim')
    }
  }

  /** What goes wrong in one turn is said, and the conversation goes on. */
  async #take(line: string): Promise<void> {
    const stopping = new AbortController()
    this.#terminal.onInterrupt = () => stopping.abort('stopped at the terminal')
    try {
      const saying = await this.#toSaying(line)
      if (saying) await this.#say(saying, stopping.signal)
    } catch (error) {
      const { screen } = this.#terminal
      if (stopping.signal.aborted) {
        // The terminal has written ^C.
        screen.write('\n')
        screen.line('Stopped. What was done until then is kept.', 'yellow')
        return
      }
      screen.line(showText(error instanceof Error ? error.message : String(error), 2000), 'red')
    } finally {
      this.#terminal.onInterrupt = () => {}
      await this.#approvals.settle()
    }
  }

  async #say(saying: Saying, signal: AbortSignal): Promise<void> {
    const { screen } = this.#terminal
    const view = createTurnView(screen)
    let result: CallResult
    try {
      result = await this.#conversation.say(saying, {
        signal,
        onEvent: (event) => view.show(event),
      })
    } finally {
      view.end()
    }
    if (!view.hasSpoken && !view.hasEnded) screen.line(showLines(formatResult(result)).trimEnd())
  }

  /** A prompt of the agent's server, with what it needs to know; anything else is what it is. */
  async #toSaying(line: string): Promise<Saying | undefined> {
    const { session } = this.#conversation
    const command = await readCommand(session, line)
    // The agent may understand what begins with a stroke: the console does.
    if (!command) return { prompt: line }
    const given = { ...command.given }
    for (const { name, description } of command.missing) {
      const hint = description === '' ? '' : ` (${showText(description, 200)})`
      const value = await this.#terminal.interview((ask) => ask(`  ${showText(name)}${hint}: `))
      if (value === undefined) return undefined
      given[name] = value
    }
    return await toSaying(session, command.prompt.name, given)
  }

  async #help(): Promise<void> {
    const { screen } = this.#terminal
    const prompts = await listPrompts(this.#conversation.session)
    const lines = [
      ['/help', 'says this'],
      ['/exit', 'leaves; so do Ctrl-D, and Ctrl-C at the prompt'],
      ...prompts.map((prompt) => [`/${usageOf(prompt)}`, prompt.description]),
    ]
    for (const [what = '', says = ''] of lines) {
      screen.line(`  ${showText(what, 200)}  ${showText(says, 200)}`)
    }
    screen.line('  Anything else is said to the agent, also what begins with another /.')
  }
}

function usageOf({ name, arguments: known }: OfferedPrompt): string {
  const args = known.map((each) => (each.required ? `${each.name}=…` : `[${each.name}=…]`))
  return [name, ...args].join(' ')
}
