import { byOrder, type CallFile, groupByRun, listCallFiles } from './call-files.ts'
import { type CallRecord, decodeLine, timeOf } from './call-record.ts'
import { LineFile } from './line-file.ts'
import { merge } from './merge.ts'

/** Where records lie, and which are wanted. */
interface RecordSource {
  readonly folder: string
  readonly since?: number | undefined
  readonly server?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Reads what a folder holds, each time from where it was left. */
export class FolderReader {
  readonly #source: RecordSource
  readonly #files = new Map<string, LineFile>()

  constructor(source: RecordSource) {
    this.#source = source
  }

  async *read(): AsyncGenerator<CallRecord, void, undefined> {
    yield* this.#records(await this.#list())
  }

  /** The last so many: read from the files that were written to last, and from no more than it takes. */
  async readLast(count: number): Promise<CallRecord[]> {
    const files = (await this.#list()).sort((a, b) => b.changed - a.changed)
    for (let newest = 1; ; newest *= 2) {
      this.#files.clear()
      const records = this.#records(files.slice(0, newest).sort(byOrder))
      const last = await lastOf(records, count)
      const rest = files.slice(newest)
      // A file holds nothing that ended after it was written to for the last time.
      const isWhole = last.length >= count && startOf(last) > (rest[0]?.changed ?? -Infinity)
      if (rest.length > 0 && !isWhole && !this.#source.signal?.aborted) continue
      for (const { path, size } of rest) this.#files.set(path, new LineFile(path, size))
      return last
    }
  }

  async #list(): Promise<CallFile[]> {
    const { folder, since = 0 } = this.#source
    const files = await listCallFiles(folder)
    return files.filter(({ changed }) => changed >= since)
  }

  async *#records(files: readonly CallFile[]): AsyncGenerator<CallRecord, void, undefined> {
    const { since = 0, server, signal } = this.#source
    const runs = [...groupByRun(files).values()].map((parts) => this.#readRun(parts))
    for await (const record of merge(runs, timeOf)) {
      if (signal?.aborted) return
      if (timeOf(record) < since) continue
      if (record.kind === 'call' && server !== undefined && record.event.server !== server) continue
      yield record
    }
  }

  async *#readRun(parts: readonly CallFile[]): AsyncGenerator<CallRecord, void, undefined> {
    let time = 0
    for (const { path } of parts) {
      for await (const lines of this.#fileAt(path).read()) {
        for (const line of lines) {
          const record = toRecord(line, time)
          if (!record) continue
          time = timeOf(record)
          yield record
        }
      }
    }
  }

  #fileAt(path: string): LineFile {
    const known = this.#files.get(path)
    if (known) return known
    const file = new LineFile(path)
    this.#files.set(path, file)
    return file
  }
}

function toRecord(text: string, time: number): CallRecord | undefined {
  if (text === '') return undefined
  const line = decodeLine(text)
  if (!line) {
    return { kind: 'gap', gap: { reason: 'damaged', count: 1, from: time, until: time } }
  }
  return line.kind === 'call' || line.kind === 'gap' ? line : undefined
}

function startOf([first]: readonly CallRecord[]): number {
  return first ? timeOf(first) : Infinity
}

async function lastOf(records: AsyncIterable<CallRecord>, count: number): Promise<CallRecord[]> {
  let kept: CallRecord[] = []
  for await (const record of records) {
    kept.push(record)
    if (kept.length >= 2 * count + 1000) kept = kept.slice(-count)
  }
  return count > 0 ? kept.slice(-count) : []
}
