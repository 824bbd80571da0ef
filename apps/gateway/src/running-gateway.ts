import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a running gateway leaves in its state folder, for the commands of the same user. */
export interface RunningGateway {
  readonly version: 1
  /** `http://127.0.0.1:port`: also where it listens on every address. */
  readonly url: string
  readonly pid: number
  /** The configuration that it runs on: absolute paths. */
  readonly configuration: readonly string[]
  readonly profiles: readonly string[]
  /** Lets commands in as an operator. Another one with each start. */
  readonly operatorKey: string
  /** Lets clients that commands speak for in, as the machine's own user. */
  readonly clientKey: string
}

const file = 'gateway.json'
/**
 * Milliseconds that a gateway on this machine has to say that it is there. One that has died is noticed at
 * once; whoever waits too short on a busy machine would work beside one that runs.
 */
const patience = 10_000

export function createKey(): string {
  return randomBytes(24).toString('base64url')
}

/** Leaves the note, readable by its owner alone; it is taken away again when disposed. */
export async function leaveNote(folder: string, note: RunningGateway): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, file)
  // Written beside and renamed: nobody reads half of it, and it is never readable by others.
  const draft = `${path}.${note.pid}`
  await writeFile(draft, JSON.stringify(note, null, 2), { mode: 0o600 })
  await rename(draft, path)
  return {
    async [Symbol.asyncDispose]() {
      const current = await lookForNote(folder)
      if (current?.operatorKey === note.operatorKey) await rm(path, { force: true })
    },
  }
}

/** The gateway that runs on this state folder; `undefined` where there is none that answers. */
export async function findRunning(folder: string): Promise<RunningGateway | undefined> {
  const note = await lookForNote(folder)
  if (!note) return undefined
  try {
    const answer = await fetch(`${note.url}/healthz`, { signal: AbortSignal.timeout(patience) })
    await answer.body?.cancel()
    return answer.ok ? note : undefined
  } catch {
    return undefined
  }
}

async function lookForNote(folder: string): Promise<RunningGateway | undefined> {
  try {
    const note: unknown = JSON.parse(await readFile(join(folder, file), 'utf8'))
    return isNote(note) ? note : undefined
  } catch {
    // None, or one that a killed gateway left half a lifetime ago: nobody runs there.
    return undefined
  }
}

function isNote(value: unknown): value is RunningGateway {
  if (typeof value !== 'object' || value === null) return false
  const note = value as Record<string, unknown>
  const texts = [note.url, note.operatorKey, note.clientKey]
  const lists = [note.configuration, note.profiles]
  return (
    note.version === 1 &&
    texts.every((text) => typeof text === 'string') &&
    lists.every((list) => Array.isArray(list))
  )
}
