import type { CallEvent, HookReport } from '../call-event.ts'
import { CallTally } from './call-tally.ts'
import { LabelCounter } from './label-counter.ts'

/** What goes on with one server, read when somebody looks; a tools service's states are such. */
export interface ServerGauge {
  readonly name: string
  readonly state: string
  readonly connections: number
  readonly restarts: number
  /** Calls that wait for their answer, where that is known. */
  readonly inFlight?: number | undefined
}

/** What is counted when somebody looks, and within which bounds. */
export interface MetricsOptions {
  /** Every server. Calls of others are counted together. */
  readonly servers?: (() => readonly ServerGauge[]) | undefined
  /** Sessions of clients. */
  readonly sessions?: (() => number) | undefined
  /** The gateway's own version. */
  readonly version?: string | undefined
  /** So many tools of a server are counted one by one, the rest together; 200 by default. */
  readonly maxTools?: number | undefined
  /** Node's own figures too: memory, processor time, event loop; yes by default. */
  readonly process?: boolean | undefined
}

/** What Prometheus is told. */
export interface Metrics {
  /** Counts a call. Neither waits nor throws. */
  observe(event: CallEvent): void
  /** All figures, as Prometheus reads them. */
  render(): Promise<string>
  readonly contentType: string
}

/** Everything that is counted between two looks. */
export interface Tallies {
  readonly calls: CallTally
  readonly refused: LabelCounter
  readonly hooks: LabelCounter
}

/**
 * Counts calls for Prometheus, with a registry of its own. The library that writes its format is
 * loaded when somebody first looks.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const { servers, maxTools = 200 } = options
  const isServer = (name: string): boolean =>
    servers === undefined || servers().some((server) => server.name === name)
  const tallies: Tallies = {
    calls: new CallTally({ maxTools, isServer }),
    refused: new LabelCounter(500),
    hooks: new LabelCounter(200),
  }
  let rendering: Promise<() => Promise<string>> | undefined
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    observe(event) {
      tallies.calls.add(event)
      if (event.hooks) countHooks(tallies.hooks, event.hooks)
      if (event.outcome === 'denied') countRefused(tallies.refused, event)
    },
    async render() {
      rendering ??= import('./registry.ts').then(({ createRenderer }) =>
        createRenderer(tallies, options),
      )
      const render = await rendering
      return await render()
    },
  }
}

function countHooks(counter: LabelCounter, hooks: readonly HookReport[]): void {
  for (const { hook, decision, change, failure } of hooks) {
    if (failure !== undefined) counter.add(hook, 'failure')
    if (change !== undefined) counter.add(hook, 'change')
    if (decision !== undefined) counter.add(hook, decision)
    if (failure === undefined && change === undefined && decision === undefined) {
      counter.add(hook, 'none')
    }
  }
}

/** A rule is named also where it let the call through, and a hook refused its answer. */
function countRefused(counter: LabelCounter, { rule, hooks = [] }: CallEvent): void {
  if (hooks.some(({ decision }) => decision === 'block')) counter.add('', 'hook')
  else counter.add(rule ?? '', 'rule')
}
