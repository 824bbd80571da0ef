import { isObject, type JsonObject } from '@mobius-mcp/protocol'
import { showText } from '@mobius-mcp/telemetry'
import { createSafeText, type SafeText } from './safe-text.ts'
import type { Screen, Style } from './screen.ts'

/** Shows what happens in a turn, as it is told. */
export interface TurnView {
  show(event: JsonObject): void
  /** The turn is over. */
  end(): void
  /** Whether the agent said anything. */
  readonly hasSpoken: boolean
  /** Whether it was said why the turn ended. */
  readonly hasEnded: boolean
}

const reasoning: Style = 'dim'
const doing: Style = 'cyan'

/** Shows a turn on a screen. */
export function createTurnView(screen: Screen): TurnView {
  return new EventView(screen)
}

class EventView implements TurnView {
  readonly #screen: Screen
  /** What is being said, letter by letter. */
  #saying:
    | { readonly key: string; readonly text: SafeText; readonly style: Style | undefined }
    | undefined
  hasSpoken = false
  hasEnded = false

  constructor(screen: Screen) {
    this.#screen = screen
  }

  show(event: JsonObject): void {
    this.#show(event, 0)
  }

  end(): void {
    this.#pause()
  }

  #show(event: JsonObject, depth: number): void {
    const text = typeof event.text === 'string' ? event.text : ''
    switch (event.type) {
      case 'text-delta':
        // What sub-agents say comes as the result of their call.
        if (depth === 0) this.#say(event, undefined)
        return
      case 'reasoning-delta':
        if (depth === 0) this.#say(event, reasoning)
        return
      case 'tool-call':
        this.#line(describeCall(event.name, event.arguments), depth, doing)
        return
      case 'tool-result':
        this.#line(describeResult(event), depth, event.isError === true ? 'red' : 'dim')
        return
      case 'tool-progress':
        this.#progress(event, depth)
        return
      case 'turn-end':
        if (text === '' || depth > 0) return
        this.hasEnded = true
        this.#line(showText(text, 2000), depth, 'yellow')
        return
      default:
        this.#remark(event, depth)
    }
  }

  #remark(event: JsonObject, depth: number): void {
    const text = remarkOf(event)
    if (text !== undefined) this.#line(text, depth, 'dim')
  }

  #progress({ event, message }: JsonObject, depth: number): void {
    if (isObject(event)) this.#show(event, depth + 1)
    else if (typeof message === 'string' && message !== '') {
      this.#line(`  ${showText(message, 160)}`, depth, 'dim')
    }
  }

  #say({ type, id, text }: JsonObject, style: Style | undefined): void {
    const key = `${type} ${id}`
    if (this.#saying?.key !== key) {
      this.#pause()
      this.#saying = { key, style, text: createSafeText() }
    }
    if (type === 'text-delta') this.hasSpoken = true
    this.#screen.write(this.#saying?.text.add(String(text)) ?? '', style)
  }

  /** Whatever comes next begins on a line of its own. */
  #pause(): void {
    const saying = this.#saying
    this.#saying = undefined
    if (saying) this.#screen.write(saying.text.end(), saying.style)
    this.#screen.fresh()
  }

  #line(text: string, depth: number, style: Style): void {
    this.#pause()
    this.#screen.line(`${'  '.repeat(depth)}${text}`, style)
  }
}

/** A call in short: what is called, with what. */
export function describeCall(name: unknown, args: unknown): string {
  const shown = isObject(args) && Object.keys(args).length > 0 ? ` ${JSON.stringify(args)}` : ''
  return `→ ${showText(String(name), 80)}${showText(shown, 160)}`
}

/** A result in short. */
export function describeResult({ name, text, isError }: JsonObject): string {
  const what = `${isError === true ? '✗' : '←'} ${showText(String(name), 80)}`
  const shown = typeof text === 'string' ? text.trim() : ''
  return shown === '' ? what : `${what}: ${showText(shown, 160)}`
}

function remarkOf({ type, message, attempt, mediaType, tokens }: JsonObject): string | undefined {
  const said = showText(String(message ?? ''), 300)
  switch (type) {
    case 'queued':
      return 'Something else is being done in this thread: this waits until it is done.'
    case 'retry':
      return `The model did not answer (${said}). Attempt ${Number(attempt)} follows.`
    case 'warning':
      return said
    case 'file':
      return `[${showText(String(mediaType), 80)}]`
    case 'compaction-start':
      return `The conversation is long (${Number(tokens)} tokens): what is old is summarised.`
    default:
      // There may be more kinds than are known here.
      return undefined
  }
}
