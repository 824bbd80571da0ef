import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Bench } from '../bench.ts'
import { openClient, request } from '../http/client.ts'
import { freePort, untilServing } from '../http/serving.ts'
import { interleave } from '../measure/rounds.ts'
import { best, median } from '../measure/statistic.ts'
import { startPlain } from '../process/child.ts'
import { formatNumber } from '../report/format.ts'
import { type Check, type RowReport, toCheck } from '../report/report.ts'
import { type GatewayCommand, targetOf } from '../subjects/gateway-command.ts'
import { ours } from '../subjects/ours.ts'
import { stdioEcho } from '../subjects/subject.ts'

interface Start {
  milliseconds: number
  /** How many of the configured servers ran after the list, and after one call. */
  afterList: number
  afterCall: number
}

interface Place {
  command: GatewayCommand
  folder: string
}

const serverCount = 10
const toolsOfEach = 10
const timeout = 30_000
/** Time for a server that should not start to start nevertheless. */
const lateStart = 500

/** From starting the process to its first complete `tools/list`, with ten configured servers. */
export async function measureStart(bench: Bench): Promise<RowReport> {
  const aggregators = bench.peers.filter(({ aggregates }) => aggregates)
  const commands = [ours.gateway, bareHono, ...aggregators].filter((one) => one !== undefined)
  bench.say(`start: ${commands.map(({ name }) => name).join(', ')}`)

  const places: Place[] = []
  try {
    for (const command of commands) {
      places.push({ command, folder: await mkdtemp(join(tmpdir(), 'mobius-bench-')) })
    }
    const first = await interleave(places, 1, startOnce)
    const again = await interleave(places, bench.settings.starts, startOnce)
    return toReport(places, first, again)
  } finally {
    for (const { folder } of places) await rm(folder, { recursive: true, force: true })
  }
}

const bareHono: GatewayCommand = {
  name: 'bare Hono',
  perSession: 'nothing',
  dialect: 'streamable',
  aggregates: true,
  reaches: [],
  toolName: (_server, tool) => tool,
  async prepare({ port }) {
    return { args: [fileURLToPath(new URL('../echo/hono.ts', import.meta.url)), String(port)] }
  },
}

/** The folder stays the same, so whoever keeps a catalog knows it from the second start on. */
async function startOnce({ command, folder }: Place): Promise<Start> {
  const marks = join(folder, 'marks')
  await rm(marks, { recursive: true, force: true })
  await mkdir(marks)
  const port = await freePort()
  const { args, env = {} } = await command.prepare({ port, folder, servers: tenServers(marks) })
  const target = targetOf(command, port)

  const begun = performance.now()
  await using _process = await startPlain(args, { cpu: 1, env })
  await untilServing(target, { tools: serverCount * toolsOfEach, timeout })
  const milliseconds = performance.now() - begun

  await sleep(lateStart)
  const afterList = await countMarks(marks)
  const client = await openClient(target)
  const call = { name: target.tool, arguments: { text: 'hello' } }
  const { error } = await request(client, { method: 'tools/call', params: call })
  if (error !== undefined) throw new Error(`${command.name}: ${error.message}`)
  await client.close()
  return { milliseconds, afterList, afterCall: await countMarks(marks) }
}

/** Each server marks its start with a file of its own. */
function tenServers(marks: string): { [name: string]: { command: string; args: string[] } } {
  const names = Array.from({ length: serverCount }, (_, index) =>
    index === 0 ? 'echo' : `echo${index}`,
  )
  return Object.fromEntries(
    names.map((name) => [
      name,
      stdioEcho('--tools', String(toolsOfEach), '--mark', join(marks, name)),
    ]),
  )
}

async function countMarks(marks: string): Promise<number> {
  return (await readdir(marks)).length
}

function toReport(
  places: Place[],
  first: Map<Place, Start[]>,
  again: Map<Place, Start[]>,
): RowReport {
  const own = places.find(({ command }) => command === ours.gateway)
  return {
    title: `Start to first \`tools/list\`, ${serverCount} configured servers of ${toolsOfEach} tools`,
    checks: toChecks(own && again.get(own)),
    tables: [
      {
        columns: [
          'subject',
          'first start, ms',
          'later starts: median, ms',
          'least, ms',
          'servers running after the list',
          'after one call',
        ],
        rows: places.map((place) =>
          toRow(place.command.name, first.get(place) ?? [], again.get(place) ?? []),
        ),
      },
    ],
    notes: ['`bare Hono` has no servers behind it: it is what Node and Hono need to start at all.'],
  }
}

function toRow(name: string, first: Start[], again: Start[]): string[] {
  const [firstTimes, times] = [first, again].map((starts) => starts.map((s) => s.milliseconds))
  return [
    name,
    ...[best(firstTimes ?? [], 'less'), median(times ?? []), best(times ?? [], 'less')].map(
      (value) => formatNumber(value),
    ),
    String(Math.max(...again.map(({ afterList }) => afterList))),
    String(Math.max(...again.map(({ afterCall }) => afterCall))),
  ]
}

function toChecks(starts: Start[] | undefined): Check[] {
  const time = starts && median(starts.map(({ milliseconds }) => milliseconds))
  const listed = starts && Math.max(...starts.map(({ afterList }) => afterList))
  const called = starts && Math.max(...starts.map(({ afterCall }) => afterCall))
  return [
    toCheck(
      `start to first tools/list with ${serverCount} servers, known catalog`,
      '≤ 400 ms',
      time === undefined ? undefined : { measured: `${formatNumber(time)} ms`, met: time <= 400 },
    ),
    toCheck(
      'servers started before they are used',
      '0 after the list, 1 after one call',
      listed === undefined
        ? undefined
        : { measured: `${listed}, then ${called}`, met: listed === 0 && called === 1 },
    ),
  ]
}
