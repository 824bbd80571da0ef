import { isObject, type Origin } from '@mobius-mcp/protocol'

/** What one hook did to a call, as far as it is shown. */
export interface HookReport {
  readonly hook: string
  /** What it called. */
  readonly target?: unknown
  readonly method?: string | undefined
  readonly direction?: string | undefined
  readonly milliseconds?: number | undefined
  readonly decision?: string | undefined
  readonly reason?: string | undefined
  /** For the person. */
  readonly systemMessage?: string | undefined
  /** There where it changed something. */
  readonly change?: unknown
  /** Why it failed. */
  readonly failure?: string | undefined
}

/** A call that has ended, as a tools service reports it. It may hold more than is named here. */
export interface CallEvent {
  readonly version?: number | undefined
  readonly id: string
  readonly parent?: string | undefined
  /** Of the session whose call it is, or led to it. */
  readonly root?: string | undefined
  readonly origin: Origin
  readonly depth: number
  readonly principal: string
  readonly issuer?: string | undefined
  readonly server: string
  readonly method: string
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly milliseconds: number
  /** `ok`, `failed`, `error`, `denied` or `cancelled`. */
  readonly outcome: string
  readonly error?: { readonly code: number; readonly message: string } | undefined
  readonly rule?: string | undefined
  readonly hooks?: readonly HookReport[] | undefined
}

/** When the call ended: milliseconds since the epoch. */
export function endOf(event: CallEvent): number {
  return event.startedAt + event.milliseconds
}

/** What was called, as people write it: `github/search`, or `github resources/read repo://a`. */
export function labelOf({ server, method, name }: CallEvent): string {
  if (method === 'tools/call') return `${server}/${name}`
  return name === '' ? `${server} ${method}` : `${server} ${method} ${name}`
}

/** True for what can be shown as a call, whatever else it holds. */
export function isCallEvent(value: unknown): value is CallEvent {
  if (!isObject(value)) return false
  const texts = ['id', 'principal', 'server', 'method', 'name', 'outcome']
  const numbers = ['startedAt', 'milliseconds', 'depth']
  return (
    texts.every((key) => typeof value[key] === 'string') &&
    numbers.every((key) => Number.isFinite(value[key])) &&
    isObject(value.origin) &&
    isOptional(value.parent, 'string') &&
    isOptional(value.rule, 'string') &&
    (value.error === undefined || isObject(value.error)) &&
    (value.hooks === undefined || Array.isArray(value.hooks))
  )
}

function isOptional(value: unknown, type: 'string'): boolean {
  return value === undefined || typeof value === type
}
