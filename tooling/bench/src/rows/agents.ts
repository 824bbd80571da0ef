import type { Bench } from '../bench.ts'
import { best, median } from '../measure/statistic.ts'
import type { AgentsClientCommands } from '../process/agents-client.ts'
import type { AgentsCommands } from '../process/agents-subject.ts'
import { type Child, moduleArgs, startChild } from '../process/child.ts'
import { formatNumber } from '../report/format.ts'
import type { RowReport } from '../report/report.ts'
import type { Keeping } from '../subjects/bench-agents.ts'

/** Questions to the model in one chat: few and many, so that their difference is the loop alone. */
const few = 10
const many = 60
const items = 10_000
const threads = 1_000
const tokens = 5_000

type Subject = Child<AgentsCommands>

/** What the loop of an agent costs, and how fast its words and threads come to a client. No budget. */
export async function measureAgents({ settings, say }: Bench): Promise<RowReport> {
  say('agents: loop, words, threads')
  await using children = new AsyncDisposableStack()
  const start = async (): Promise<Subject> => {
    const script = new URL('../process/agents-subject.ts', import.meta.url)
    return children.use(await startChild<AgentsCommands>(moduleArgs(script), { cpu: 1 }))
  }
  const script = new URL('../process/agents-client.ts', import.meta.url)
  const client = children.use(
    await startChild<AgentsClientCommands>(moduleArgs(script), { cpu: 0 }),
  )
  const [memory, sqlite, baseline] = [await start(), await start(), await start()]
  const urls = {
    memory: await memory.ask('start', { keeping: 'memory', items, threads }),
    sqlite: await sqlite.ask('start', { keeping: 'sqlite', items, threads }),
    baseline: await baseline.ask('startBaseline'),
  }
  const samples = new Map<string, number[]>()
  const take = async (name: string, sample: Promise<number>): Promise<void> => {
    samples.set(name, [...(samples.get(name) ?? []), await sample])
  }
  // The first round warms everything up.
  for (let round = 0; round <= settings.rounds; round += 1) {
    if (round === 1) samples.clear()
    await take('loop memory', loopOf(memory))
    await take('loop sqlite', loopOf(sqlite))
    for (const [keeping, url] of Object.entries(urls)) {
      await take(`words ${keeping}`, client.ask('listen', { url, tokens }))
    }
    for (const keeping of ['memory', 'sqlite'] as const) {
      const url = urls[keeping]
      await take(`thread ${keeping}`, client.ask('readThread', { url, items }))
      await take(`threads ${keeping}`, client.ask('listThreads', { url, threads }))
    }
  }
  return toReport((name) => samples.get(name) ?? [])
}

/** Microseconds of one question to the model, its call of a tool, and all that is kept of both. */
async function loopOf(subject: Subject): Promise<number> {
  const short = await subject.ask('chat', few)
  const long = await subject.ask('chat', many)
  return ((long - short) / (many - few)) * 1_000
}

function toReport(samplesOf: (name: string) => number[]): RowReport {
  const toRow = (keeping: Keeping): string[] => [
    `mobius, threads in ${keeping === 'memory' ? 'memory' : 'SQLite'}`,
    formatNumber(median(samplesOf(`loop ${keeping}`))),
    formatNumber(best(samplesOf(`words ${keeping}`), 'more')),
    formatNumber(median(samplesOf(`thread ${keeping}`))),
    formatNumber(median(samplesOf(`threads ${keeping}`))),
  ]
  const talking = formatNumber(best(samplesOf('words baseline'), 'more'))
  return {
    title: 'Agents (no budget)',
    checks: [],
    tables: [
      {
        columns: [
          'subject',
          'loop: µs for one model turn with a call',
          'words/s to an SDK client',
          `reading a thread of ${formatNumber(items)} items, ms`,
          `listing ${formatNumber(threads)} threads, ms`,
        ],
        rows: [
          toRow('memory'),
          toRow('sqlite'),
          ['a tool of the SDK that talks', '–', talking, '–', '–'],
        ],
      },
    ],
    notes: [
      `The model takes no time. A model turn is a question to the model, its call of a tool in process, and the journal and thread that keep both: the difference of chats with ${many} and ${few} of them, by ${many - few}.`,
      'Words come one at a time, each as a progress notification to the official client over HTTP, which takes most of the time itself.',
      'Threads and lists are read by the same client, page by page, as JSON.',
    ],
  }
}
