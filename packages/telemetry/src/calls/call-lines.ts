import type { Origin } from '@mobius-mcp/protocol'
import type { CallEvent, HookReport } from '../call-event.ts'
import { redactText } from '../redact-text.ts'
import { redactValue } from '../redact-value.ts'

/**
 * Makes the lines of calls, without secrets. What all calls of a kind have in common is made once,
 * since one of them is made for each call and each hook.
 */
export class CallLines {
  readonly #kinds = new Map<string, CallKind[]>()
  #count = 0

  /** The line, with its end. */
  encode(event: CallEvent): string {
    if (!isPlain(event)) return `${JSON.stringify(toRecord(event))}\n`
    return this.#kindOf(event).lineOf(event)
  }

  #kindOf(event: CallEvent): CallKind {
    const kinds = this.#kinds.get(event.name)
    const known = kinds?.find((kind) => kind.holds(event))
    if (known) return known
    if (this.#count >= mostKinds) this.#forget()
    const kind = new CallKind(event)
    const others = this.#kinds.get(event.name)
    if (others) others.push(kind)
    else this.#kinds.set(event.name, [kind])
    this.#count += 1
    return kind
  }

  #forget(): void {
    this.#kinds.clear()
    this.#count = 0
  }
}

/** Who calls what, by which rule, under which hooks: there are not many at a time. */
const mostKinds = 500

/** Calls that differ in nothing but their place in the tree and their time. */
class CallKind {
  readonly #model: CallEvent
  readonly #start: string
  readonly #end: string
  readonly #reports: readonly string[]

  constructor(event: CallEvent) {
    const { version, origin, depth, principal, issuer, server, method, name } = event
    const { outcome, rule, hooks = [] } = event
    this.#model = event
    this.#start = open({ version, origin, depth, principal, issuer, server, method, name })
    this.#end = membersOf({ outcome, rule })
    this.#reports = hooks.map(({ hook, target, method, direction }) =>
      open({ hook, target, method, direction }),
    )
  }

  holds(event: CallEvent): boolean {
    const model = this.#model
    return (
      event.server === model.server &&
      event.method === model.method &&
      event.outcome === model.outcome &&
      event.rule === model.rule &&
      event.depth === model.depth &&
      event.principal === model.principal &&
      event.issuer === model.issuer &&
      event.version === model.version &&
      isSameOrigin(event.origin, model.origin) &&
      haveSameHooks(event.hooks, model.hooks)
    )
  }

  lineOf({ id, parent, root, startedAt, milliseconds, hooks }: CallEvent): string {
    let line = `${this.#start},"id":${quote(id)}`
    if (parent !== undefined) line += `,"parent":${quote(parent)}`
    if (root !== undefined) line += `,"root":${quote(root)}`
    line += `,"startedAt":${startedAt},"milliseconds":${milliseconds}${this.#end}`
    if (hooks === undefined) return `${line}}\n`
    line += ',"hooks":['
    for (let index = 0; index < hooks.length; index += 1) {
      const time = hooks[index]?.milliseconds
      line += index === 0 ? this.#reports[index] : `,${this.#reports[index]}`
      line += time === undefined ? '}' : `,"milliseconds":${time}}`
    }
    return `${line}]}\n`
  }
}

/** True for what needs no redaction and has no time that JSON cannot say. */
function isPlain({ name, error, hooks, startedAt, milliseconds }: CallEvent): boolean {
  if (error !== undefined || name.length >= 256 || name.includes('://')) return false
  if (!Number.isFinite(startedAt + milliseconds)) return false
  return hooks === undefined || hooks.every(saysNothing)
}

/** Errors, URIs and what hooks say are texts from elsewhere: the rest of an event is not. */
function toRecord(event: CallEvent): object {
  const { name, error, hooks } = event
  return {
    ...event,
    name: redactText(name),
    error: error && { ...error, message: redactText(error.message) },
    // What they changed is kept for whoever has to explain an answer.
    hooks: hooks?.map((report) =>
      saysNothing(report) ? report : redactValue({ get: () => report, name: 'hook' }),
    ),
  }
}

/** A hook that only looked: what is told of it stands in the configuration. */
function saysNothing(report: HookReport): boolean {
  const { decision, reason, systemMessage, change, failure } = report
  return (decision ?? reason ?? systemMessage ?? change ?? failure) === undefined
}

function isSameOrigin(one: Origin | undefined, other: Origin | undefined): boolean {
  if (one === other) return true
  if (!(one && other)) return false
  return one.kind === other.kind && one.name === other.name && isSameOrigin(one.cause, other.cause)
}

function haveSameHooks(ones: CallEvent['hooks'], others: CallEvent['hooks']): boolean {
  if (ones === undefined || others === undefined) return ones === others
  if (ones.length !== others.length) return false
  for (let index = 0; index < ones.length; index += 1) {
    const one = ones[index]
    const other = others[index]
    if (one?.hook !== other?.hook || one?.target !== other?.target) return false
    if (one?.direction !== other?.direction || one?.method !== other?.method) return false
  }
  return true
}

const plain = /^[\w-]*$/

/** Ids are ours, as a rule, and have nothing to escape. */
function quote(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** An object as JSON without its end. */
function open(members: object): string {
  return JSON.stringify(members).slice(0, -1)
}

/** The members of an object as JSON, for behind others. */
function membersOf(members: object): string {
  return `,${JSON.stringify(members).slice(1, -1)}`
}
