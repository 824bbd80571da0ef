import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import { bounds, type CallTally } from './call-tally.ts'
import type { MetricsOptions, Tallies } from './create-metrics.ts'
import type { LabelCounter } from './label-counter.ts'

type Labels = Readonly<Record<string, string>>
type Sample = readonly [labels: Labels, value: number]

/** Makes what writes all figures in Prometheus's format. */
export function createRenderer(tallies: Tallies, options: MetricsOptions): () => Promise<string> {
  const registry = new Registry()
  addCalls(registry, tallies)
  addServers(registry, options)
  const { sessions, version, process = true } = options
  if (sessions) {
    add(registry, Gauge, 'sessions', {
      help: 'Sessions of clients.',
      samples: () => [[{}, sessions()]],
    })
  }
  if (version !== undefined) {
    add(registry, Gauge, 'info', {
      help: 'The gateway.',
      labels: ['version'],
      samples: () => [[{ version }, 1]],
    })
  }
  // A timer every 10 ms, as is its default, would keep an idle processor from sleeping.
  if (process) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 })
  return () => registry.metrics()
}

function addCalls(registry: Registry, { calls, refused, hooks }: Tallies): void {
  add(registry, Counter, 'calls_total', {
    help: 'Calls that have ended.',
    labels: ['server', 'method', 'tool', 'outcome'],
    samples: () => callSamples(calls),
  })
  add(registry, Counter, 'calls_refused_total', {
    help: 'Calls that were refused, by the rule that decided, or by a hook.',
    labels: ['rule', 'by'],
    samples: () => samplesOf(refused, (rule, by) => ({ rule, by })),
  })
  add(registry, Counter, 'hook_decisions_total', {
    help: 'What hooks did to messages of calls.',
    labels: ['hook', 'decision'],
    samples: () => samplesOf(hooks, (hook, decision) => ({ hook, decision })),
  })
  registry.registerMetric(durationsOf(calls))
}

function addServers(registry: Registry, { servers = () => [] }: MetricsOptions): void {
  add(registry, Gauge, 'server_state', {
    help: '1 for the state that a server is in.',
    labels: ['server', 'state'],
    samples: () => servers().map(({ name, state }) => [{ server: name, state }, 1]),
  })
  add(registry, Gauge, 'connections', {
    help: 'Open connections to a server.',
    labels: ['server'],
    samples: () => servers().map(({ name, connections }) => [{ server: name }, connections]),
  })
  add(registry, Gauge, 'calls_in_flight', {
    help: 'Calls that wait for their answer.',
    labels: ['server'],
    samples: () =>
      servers().flatMap(({ name, inFlight }) =>
        inFlight === undefined ? [] : [[{ server: name }, inFlight] as const],
      ),
  })
  add(registry, Counter, 'server_restarts_total', {
    help: 'How often a server was started again.',
    labels: ['server'],
    samples: () => servers().map(({ name, restarts }) => [{ server: name }, restarts]),
  })
}

/** Figures that were counted elsewhere, read when somebody looks. */
interface Figures {
  readonly help: string
  readonly labels?: readonly string[]
  readonly samples: () => Iterable<Sample>
}

function add(
  registry: Registry,
  Kind: typeof Counter | typeof Gauge,
  name: string,
  { help, labels = [], samples }: Figures,
): void {
  new Kind({
    name: `mobius_${name}`,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      this.reset()
      for (const [of, value] of samples()) this.inc(of, value)
    },
  })
}

function* callSamples({ servers }: CallTally): Generator<Sample> {
  for (const [server, methods] of servers) {
    for (const [method, { tools }] of methods) {
      for (const [tool, outcomes] of tools) {
        for (const [outcome, count] of outcomes) yield [{ server, method, tool, outcome }, count]
      }
    }
  }
}

function* samplesOf(
  counter: LabelCounter,
  toLabels: (first: string, second: string) => Labels,
): Generator<Sample> {
  for (const [first, second, count] of counter.entries()) yield [toLabels(first, second), count]
}

/** A histogram whose values were counted elsewhere: the library's own costs as much as half a call. */
function durationsOf({ servers }: CallTally): Metric {
  const name = 'mobius_call_duration_seconds'
  const get = async () => ({
    name,
    help: 'How long calls took, from their beginning to their answer.',
    type: 'histogram',
    aggregator: 'sum',
    values: [...servers].flatMap(([server, methods]) =>
      [...methods].flatMap(([method, { durations }]) => {
        const labels = { server, method }
        let below = 0
        const buckets = [...bounds, '+Inf'].map((le, index) => {
          below += durations.buckets[index] ?? 0
          return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
        })
        return [
          ...buckets,
          { metricName: `${name}_sum`, labels, value: durations.seconds },
          { metricName: `${name}_count`, labels, value: durations.count },
        ]
      }),
    ),
  })
  // The registry needs no more of a metric than this; the library's type says it is one of four.
  return { name, get } as unknown as Metric
}
