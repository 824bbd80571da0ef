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
    addGauge(registry, 'sessions', 'Sessions of clients.', [], () => [[{}, sessions()]])
  }
  if (version !== undefined) {
    addGauge(registry, 'info', 'The gateway.', ['version'], () => [[{ version }, 1]])
  }
  // A timer every 10 ms, as is its default, would keep an idle processor from sleeping.
  if (process) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 })
  return () => registry.metrics()
}

function addCalls(registry: Registry, { calls, refused, hooks }: Tallies): void {
  addCounter(
    registry,
    'calls_total',
    'Calls that have ended.',
    ['server', 'method', 'tool', 'outcome'],
    () => callSamples(calls),
  )
  addCounter(
    registry,
    'calls_refused_total',
    'Calls that were refused, by the rule that decided, or by a hook.',
    ['rule', 'by'],
    () => samplesOf(refused, (rule, by) => ({ rule, by })),
  )
  addCounter(
    registry,
    'hook_decisions_total',
    'What hooks did to messages of calls.',
    ['hook', 'decision'],
    () => samplesOf(hooks, (hook, decision) => ({ hook, decision })),
  )
  registry.registerMetric(durationsOf(calls))
}

function addServers(registry: Registry, { servers = () => [] }: MetricsOptions): void {
  addGauge(
    registry,
    'server_state',
    '1 for the state that a server is in.',
    ['server', 'state'],
    () => servers().map(({ name, state }) => [{ server: name, state }, 1]),
  )
  addGauge(registry, 'connections', 'Open connections to a server.', ['server'], () =>
    servers().map(({ name, connections }) => [{ server: name }, connections]),
  )
  addGauge(registry, 'calls_in_flight', 'Calls that wait for their answer.', ['server'], () =>
    servers().flatMap(({ name, inFlight }) =>
      inFlight === undefined ? [] : [[{ server: name }, inFlight] as const],
    ),
  )
  addCounter(
    registry,
    'server_restarts_total',
    'How often a server was started again.',
    ['server'],
    () => servers().map(({ name, restarts }) => [{ server: name }, restarts]),
  )
}

function addCounter(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  samples: () => Iterable<Sample>,
): void {
  const registers = [registry]
  new Counter({
    name: `mobius_${name}`,
    help,
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const [labels, value] of samples()) this.inc(labels, value)
    },
  })
}

function addGauge(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  samples: () => Iterable<Sample>,
): void {
  const registers = [registry]
  new Gauge({
    name: `mobius_${name}`,
    help,
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const [labels, value] of samples()) this.set(labels, value)
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
