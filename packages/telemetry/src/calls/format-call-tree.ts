import type { Origin } from '@mobius-mcp/protocol'
import { type CallEvent, type HookReport, labelOf } from '../call-event.ts'
import { showDuration, showText } from '../show-text.ts'
import type { Gap, GapReason } from './call-record.ts'

/**
 * Shows calls as trees: who called what, how long it took, how it ended, which rule decided and
 * what hooks did. A call whose maker is not among them stands as a root. Ends with a new line.
 */
export function formatCallTree(events: readonly CallEvent[]): string {
  const ids = new Set(events.map(({ id }) => id))
  const children = Map.groupBy(events.toSorted(byStart), ({ id, parent }) =>
    parent !== undefined && parent !== id && ids.has(parent) ? parent : '',
  )
  const lines: string[] = []
  const shown = new Set<CallEvent>()
  const show = (event: CallEvent, before: string, own: string, below: string): void => {
    if (shown.has(event)) return
    shown.add(event)
    lines.push(before + own + formatCall(event))
    const made = children.get(event.id) ?? []
    for (const [index, child] of made.entries()) {
      const last = index === made.length - 1
      show(child, before + below, last ? '└─ ' : '├─ ', last ? '   ' : '│  ')
    }
  }
  const roots = children.get('') ?? []
  // Calls that are said to have made each other have no root: they are shown nevertheless.
  for (const root of [...roots, ...events]) show(root, '', `${formatTime(root.startedAt)}  `, '  ')
  return lines.map((line) => `${line}\n`).join('')
}

/** Shows one call on one line, without its time. */
export function formatCall(event: CallEvent): string {
  const { id, milliseconds, outcome, error, rule, hooks = [] } = event
  const parts = [
    `${outcome === 'ok' ? '✓' : '✗'} ${showText(labelOf(event), 120)}`,
    showDuration(milliseconds),
    ...(outcome === 'ok' ? [] : [showText(outcome, 20)]),
    formatMaker(event),
    ...(rule === undefined ? [] : [`[${showText(rule, 120)}]`]),
    ...hooks.map(formatHook),
    ...(error === undefined ? [] : [`${Number(error.code)} ${showText(String(error.message))}`]),
    `#${showText(id, 60)}`,
  ]
  return parts.join('  ')
}

const reasons: Readonly<Record<GapReason, string>> = {
  overflow: 'they ended faster than they could be written',
  unwritten: 'they could not be written',
  killed: 'the gateway was ended without closing its record',
  damaged: 'a line cannot be read',
}

/** Shows where calls are missing. */
export function formatGap({ reason, count, until }: Gap): string {
  const many =
    count === undefined ? 'calls may be' : count === 1 ? '1 call is' : `${count} calls are`
  return `${formatTime(until)}  … ${many} missing here: ${reasons[reason] ?? showText(reason, 60)}\n`
}

function formatMaker({ origin, principal, depth }: CallEvent): string {
  const maker = nameOf(origin)
  return depth > 0 ? maker : `${maker} for ${showText(principal, 60)}`
}

function nameOf({ kind, name }: Origin): string {
  return name === undefined ? String(kind) : `${kind} ${showText(String(name), 60)}`
}

function formatHook({ hook, decision, change, failure, reason }: HookReport): string {
  const did = [
    ...(decision === undefined ? [] : [decision]),
    ...(change === undefined ? [] : ['changed it']),
    ...(failure === undefined ? [] : [`failed (${failure})`]),
    ...(reason === undefined ? [] : [reason]),
  ]
  return `{${showText(`${hook}: ${did.length === 0 ? 'saw it' : did.join(', ')}`, 200)}}`
}

/** In the time of whoever reads it. */
function formatTime(time: number): string {
  const date = new Date(time)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

function byStart(a: CallEvent, b: CallEvent): number {
  return a.startedAt - b.startedAt
}
