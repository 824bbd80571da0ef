import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import type { Hold } from '../load/hold.ts'
import type { Inspection } from '../process/inspect.ts'
import { formatBytes } from '../report/format.ts'
import { type Check, type RowReport, toCheck } from '../report/report.ts'
import type { RunningSubject, Subject } from '../subjects/subject.ts'
import { echoSubjects, mobius } from '../subjects/subjects.ts'

type Kind = 'idle' | 'with an open GET stream' | 'idle after one call'

/** Bytes of heap. */
interface Held {
  subject: string
  kind: Kind
  sessions: number
  perSession: number
  /** Outside the heap, for each session. */
  external: number
  /** Left for each session after all were ended. */
  left: number
}

const settleTime = 300
const warmUps = 2
/** A garbage-collected heap is never exactly what it was: less than any object for each session. */
const leftAllowed = 100

/** What a session holds while nobody uses it, and what is left of it after its end. */
export async function measureIdleSessions(bench: Bench): Promise<RowReport> {
  const held: Held[] = []
  for (const subject of echoSubjects()) {
    bench.say(`idle sessions: ${subject.name}`)
    for (const kind of kindsOf(subject)) held.push(await holdSome(bench, subject, kind))
  }
  return {
    title: 'Idle sessions',
    checks: [
      toHeapCheck(held, 'idle', 4_000),
      toHeapCheck(held, 'with an open GET stream', 12_000),
      toLeftCheck(held),
    ],
    tables: [
      {
        columns: ['subject', 'sessions', 'how many', 'heap for each', 'external', 'left for each'],
        rows: held.map(({ subject, kind, sessions, perSession, external, left }) => [
          subject,
          kind,
          String(sessions),
          ...[perSession, external, left].map(formatBytes),
        ]),
      },
    ],
    notes: [
      'Heap in use after garbage collection, in the process of the server; all sessions are opened and ended twice before, so that what grows only once is not counted.',
      '`hono-echo` knows no sessions: its row is what Node and Hono hold for an open stream alone.',
    ],
  }
}

function kindsOf({ name }: Subject): Kind[] {
  if (name === 'hono-echo') return ['with an open GET stream']
  return ['idle', 'with an open GET stream', 'idle after one call']
}

async function holdSome({ load, settings }: Bench, subject: Subject, kind: Kind): Promise<Held> {
  await using running = await subject.start()
  const streams = kind === 'with an open GET stream'
  const sessions = streams ? settings.streams : settings.sessions
  const calls = kind === 'idle after one call' ? 1 : 0
  const hold: Hold = { target: running.target, sessions, streams, calls }

  for (let turn = 0; turn < warmUps; turn++) {
    await load.ask('hold', hold)
    await load.ask('release')
  }
  const before = await inspectSettled(running)
  await load.ask('hold', hold)
  const during = await inspectSettled(running)
  await load.ask('release')
  const after = await inspectSettled(running)
  return {
    subject: subject.name,
    kind,
    sessions,
    perSession: (during.heapUsed - before.heapUsed) / sessions,
    external: (during.external - before.external) / sessions,
    left: (after.heapUsed - before.heapUsed) / sessions,
  }
}

async function inspectSettled({ child }: RunningSubject): Promise<Inspection> {
  await sleep(settleTime)
  return await child.ask('inspect')
}

function toHeapCheck(held: Held[], kind: Kind, most: number): Check {
  const found = held.find((one) => one.subject === mobius && one.kind === kind)
  return toCheck(
    `a session, ${kind}`,
    `≤ ${formatBytes(most)}`,
    found && { measured: formatBytes(found.perSession), met: found.perSession <= most },
  )
}

function toLeftCheck(held: Held[]): Check {
  const left = held.filter(({ subject }) => subject === mobius).map((one) => one.left)
  const most = Math.max(...left)
  return toCheck(
    'a session that ended',
    `nothing left (≤ ${leftAllowed} B of noise)`,
    left.length === 0 ? undefined : { measured: formatBytes(most), met: most <= leftAllowed },
  )
}
