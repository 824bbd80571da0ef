import parse, { type ParsedFamily } from 'parse-prometheus-text-format'
import { describe, expect, test } from 'vitest'
import { createMetrics, type Metrics, type MetricsOptions, type ServerGauge } from '../src/index.ts'
import { eventOf } from './support/events.ts'

const github: ServerGauge = {
  name: 'github',
  state: 'ready',
  connections: 2,
  restarts: 1,
  inFlight: 3,
}

/** What Prometheus would understand, by the family's name without its prefix. */
async function read(metrics: Metrics): Promise<(name: string) => ParsedFamily['metrics']> {
  const families = parse(await metrics.render())
  return (name) => families.find((family) => family.name === `mobius_${name}`)?.metrics ?? []
}

function createQuiet(options: MetricsOptions = {}): Metrics {
  return createMetrics({ process: false, ...options })
}

describe('metrics count', () => {
  test('calls by server, method, tool and outcome', async () => {
    const metrics = createQuiet()
    metrics.observe(eventOf('1'))
    metrics.observe(eventOf('2'))
    metrics.observe(eventOf('3', { outcome: 'failed' }))
    metrics.observe(eventOf('4', { method: 'resources/read', name: 'repo://a' }))
    const family = await read(metrics)
    const labels = { server: 'github', method: 'tools/call', tool: 'search' }
    const expected = [
      { labels: { ...labels, outcome: 'ok' }, value: '2' },
      { labels: { ...labels, outcome: 'failed' }, value: '1' },
      {
        labels: { server: 'github', method: 'resources/read', tool: '', outcome: 'ok' },
        value: '1',
      },
    ]
    expect(family('calls_total')).toEqual(expected)
    metrics.observe(eventOf('5'))
    expect((await read(metrics))('calls_total')[0]?.value).toBe('3')
  })

  test('how long calls took, with the same sums wherever one looks', async () => {
    const metrics = createQuiet()
    const durations = [0.2, 1, 1.1, 49, 700, 400_000]
    for (const milliseconds of durations) metrics.observe(eventOf('x', { milliseconds }))
    const [histogram] = (await read(metrics))('call_duration_seconds')
    expect(histogram?.buckets).toMatchObject({
      '0.001': '2',
      '0.005': '3',
      '0.01': '3',
      '0.05': '4',
      '1': '5',
      '300': '5',
      '+Inf': '6',
    })
    // The parser leaves out the rest of a histogram.
    const text = await metrics.render()
    const labels = '{server="github",method="tools/call"}'
    expect(text).toContain(`mobius_call_duration_seconds_count${labels} 6\n`)
    const [, sum] = /_seconds_sum\{.*\} (.*)\n/.exec(text) ?? []
    expect(Number(sum)).toBeCloseTo(400.7513)
  })

  test('refusals by the rule that decided, or by hooks', async () => {
    const metrics = createQuiet()
    const denied = { outcome: 'denied', rule: 'deny github/delete_*' }
    metrics.observe(eventOf('1', denied))
    metrics.observe(eventOf('2', denied))
    metrics.observe(eventOf('3', { ...denied, hooks: [{ hook: 'guard', decision: 'block' }] }))
    metrics.observe(eventOf('4', { rule: 'allow github' }))
    expect((await read(metrics))('calls_refused_total')).toEqual([
      { labels: { rule: 'deny github/delete_*', by: 'rule' }, value: '2' },
      { labels: { rule: '', by: 'hook' }, value: '1' },
    ])
  })

  test('what hooks did', async () => {
    const metrics = createQuiet()
    const hooks = [
      { hook: 'guard', decision: 'block' },
      { hook: 'redact', change: { hash: 'x' }, decision: 'approve' },
      { hook: 'audit' },
      { hook: 'slow', failure: 'no answer' },
    ]
    metrics.observe(eventOf('1', { hooks }))
    metrics.observe(eventOf('2', { hooks: [{ hook: 'audit' }] }))
    const counted = (await read(metrics))('hook_decisions_total').map(({ labels, value }) => [
      labels?.hook,
      labels?.decision,
      value,
    ])
    expect(counted).toEqual([
      ['guard', 'block', '1'],
      ['redact', 'change', '1'],
      ['redact', 'approve', '1'],
      ['audit', 'none', '2'],
      ['slow', 'failure', '1'],
    ])
  })

  test('what goes on now, read when somebody looks', async () => {
    let state = 'ready'
    let sessions = 1
    const metrics = createQuiet({
      servers: () => [
        { ...github, state },
        { name: 'files', state: 'idle', connections: 0, restarts: 0 },
      ],
      sessions: () => sessions,
      version: '1.2.3',
    })
    await metrics.render()
    state = 'failed'
    sessions = 5
    const family = await read(metrics)
    expect(family('server_state')).toEqual([
      { labels: { server: 'github', state: 'failed' }, value: '1' },
      { labels: { server: 'files', state: 'idle' }, value: '1' },
    ])
    expect(family('connections').map(({ value }) => value)).toEqual(['2', '0'])
    expect(family('server_restarts_total').map(({ value }) => value)).toEqual(['1', '0'])
    expect(family('calls_in_flight')).toEqual([{ labels: { server: 'github' }, value: '3' }])
    expect(family('sessions')).toEqual([{ value: '5' }])
    expect(family('info')).toEqual([{ labels: { version: '1.2.3' }, value: '1' }])
  })

  test("the process's own figures too", async () => {
    const families = parse(await createMetrics().render())
    const names = families.map(({ name }) => name)
    expect(names).toContain('process_resident_memory_bytes')
    expect(names).toContain('nodejs_eventloop_lag_seconds')
  })
})

describe('metrics stay small, whatever names callers choose', () => {
  test('of tools', async () => {
    const metrics = createQuiet({ maxTools: 3 })
    for (let index = 0; index < 1000; index += 1) {
      metrics.observe(eventOf('x', { name: `tool-${index}` }))
    }
    metrics.observe(eventOf('x', { name: 'tool-1' }))
    const calls = (await read(metrics))('calls_total')
    expect(calls.map(({ labels, value }) => [labels?.tool, value])).toEqual([
      ['tool-0', '1'],
      ['tool-1', '2'],
      ['tool-2', '1'],
      ['_other', '997'],
    ])
  })

  test('of servers and methods', async () => {
    const metrics = createQuiet({ servers: () => [github] })
    for (let index = 0; index < 500; index += 1) {
      metrics.observe(eventOf('x', { server: `nobody-${index}` }))
      metrics.observe(eventOf('x', { method: `x/${index}` }))
    }
    const text = await metrics.render()
    expect(text).toContain('server="_other",method="tools/call",tool="search",outcome="ok"} 500')
    expect(text.split('\n').length).toBeLessThan(1000)
    expect(text).not.toContain('nobody')
  })

  test('of hooks and rules', async () => {
    const metrics = createQuiet()
    for (let index = 0; index < 3000; index += 1) {
      const hooks = [{ hook: `hook-${index}` }]
      metrics.observe(eventOf('x', { hooks, outcome: 'denied', rule: `rule ${index}` }))
    }
    const family = await read(metrics)
    expect(family('hook_decisions_total')).toHaveLength(201)
    expect(family('calls_refused_total')).toHaveLength(501)
  })
})

test('names that would break the format are escaped', async () => {
  const name = 'a"b\\c\nd{e="f"}'
  const metrics = createQuiet()
  metrics.observe(eventOf('x', { server: name, name, outcome: 'denied', rule: name }))
  const text = await metrics.render()
  // The parser takes escapes as they are written.
  const [call, ...more] =
    parse(text).find(({ name }) => name === 'mobius_calls_total')?.metrics ?? []
  expect(more).toEqual([])
  expect(call?.labels?.outcome).toBe('denied')
  expect(text).toContain('tool="a\\"b\\\\c\\nd{e=\\"f\\"}"')
})

test('every family has a help text, a type and a name of ours, and the text ends with a new line', async () => {
  const metrics = createQuiet({ servers: () => [github], sessions: () => 1, version: '1' })
  metrics.observe(eventOf('x', { outcome: 'denied', hooks: [{ hook: 'a' }] }))
  const text = await metrics.render()
  expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(text.endsWith('\n')).toBe(true)
  const families = parse(text)
  expect(families.map(({ name, type }) => `${type} ${name}`)).toMatchInlineSnapshot(`
    [
      "COUNTER mobius_calls_total",
      "COUNTER mobius_calls_refused_total",
      "COUNTER mobius_hook_decisions_total",
      "HISTOGRAM mobius_call_duration_seconds",
      "GAUGE mobius_server_state",
      "GAUGE mobius_connections",
      "GAUGE mobius_calls_in_flight",
      "COUNTER mobius_server_restarts_total",
      "GAUGE mobius_sessions",
      "GAUGE mobius_info",
    ]
  `)
  expect(families.filter(({ help }) => help === '')).toEqual([])
})
