import { hostname } from 'node:os'
import { type Clock, systemClock } from '@mobius-mcp/protocol'
import type { CallEvent } from '../call-event.ts'
import { type CallLogProblem, type CallLogProblemCode, createCallLogProblem } from '../errors.ts'
import { CallBatch, lossOf, OpenGap } from './call-batch.ts'
import { appendToFile, createRun, cutFile, pathOf, removeOldest } from './call-files.ts'
import { CallLines } from './call-lines.ts'
import { encodeClosing, encodeGap, encodeOpening } from './call-record.ts'
import { livenessNow, recordKilled } from './record-killed.ts'

/** Where the record is kept, and within which bounds. */
export interface CallLogOptions {
  /** Where the files lie; made where it is missing. */
  readonly folder: string
  /** A call waits at most so many milliseconds before it is written; 200 by default. */
  readonly maxDelay?: number | undefined
  /** So many calls are written at once; 2,048 by default. */
  readonly batchSize?: number | undefined
  /** So many may wait for a slow disk; 10,000 by default. */
  readonly maxWaiting?: number | undefined
  /** A file does not grow beyond so many bytes; 8 MiB by default. */
  readonly maxBytes?: number | undefined
  /** So many files are kept; 16 by default. */
  readonly maxFiles?: number | undefined
  readonly clock?: Clock | undefined
  /** Told once of each kind of problem, and again when it comes back. */
  readonly onProblem?: ((problem: CallLogProblem) => void) | undefined
}

/** The record of all calls, in files. */
export interface CallLog extends AsyncDisposable {
  /** Takes a call that has ended. Never waits and never throws. */
  write(event: CallEvent): void
  /** Resolves when all that was taken so far is written, or lost and noted. */
  flush(): Promise<void>
  /** Writes what waits and says that nothing more will come. May be called again. */
  close(): Promise<void>
}

/**
 * Keeps a record of calls in a folder, as JSON lines in files that their owner alone can read. They
 * are written in batches, so `kill -9` loses at most one; whatever is lost leaves a gap that says
 * so. Several processes may use one folder. Nothing is touched before the first call.
 */
export function openCallLog(options: CallLogOptions): CallLog {
  return new FolderCallLog(options)
}

class FolderCallLog implements CallLog {
  readonly #folder: string
  readonly #options: CallLogOptions
  readonly #clock: Clock
  readonly #batchSize: number
  readonly #maxWaiting: number
  #lastWriting = Number.NEGATIVE_INFINITY
  #hurrying = false
  /** The gap that calls fall into now; the last of those that wait. */
  #lost: OpenGap | undefined
  readonly #lines = new CallLines()
  /** Those that have all that they may have, and the one that takes what comes. */
  #full: CallBatch[] = []
  #batch = new CallBatch(this.#lines)
  #waiting = 0
  #timer: unknown
  #writing: Promise<void> | undefined
  #run: string | undefined
  #part = 0
  #size = 0
  #closing: Promise<void> | undefined
  /** What could not be written, to be noted before what is written next. */
  #missing: OpenGap | undefined
  /** The file may end in the middle of a line. */
  #torn = false
  readonly #told = new Set<CallLogProblemCode>()

  constructor(options: CallLogOptions) {
    this.#folder = options.folder
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#batchSize = options.batchSize ?? 2048
    this.#maxWaiting = options.maxWaiting ?? 10_000
  }

  write(event: CallEvent): void {
    if (this.#closing !== undefined) return
    if (this.#waiting >= this.#maxWaiting) {
      this.#overflow(event)
      return
    }
    this.#lost = undefined
    this.#take(event)
    if (this.#writing === undefined) this.#schedule()
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined || this.#waiting > 0) await this.#start()
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #take(item: CallEvent | OpenGap): void {
    this.#batch.add(item)
    this.#waiting += 1
    if (this.#batch.size < this.#batchSize) return
    this.#full.push(this.#batch)
    this.#batch = new CallBatch(this.#lines)
  }

  #schedule(): void {
    if (this.#waiting >= this.#batchSize) this.#hurry()
    else this.#timer ??= this.#clock.set(() => void this.#start(), this.#options.maxDelay ?? 200)
  }

  /** A batch is full: it is written at once, unless one was just now. */
  #hurry(): void {
    if (this.#hurrying) return
    const rest = this.#lastWriting + pace - this.#clock.now()
    if (rest <= 0) void this.#start()
    else {
      this.#hurrying = true
      this.#clock.clear(this.#timer)
      this.#timer = this.#clock.set(() => void this.#start(), rest)
    }
  }

  #start(): Promise<void> {
    this.#clock.clear(this.#timer)
    this.#timer = undefined
    this.#hurrying = false
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined
      this.#lastWriting = this.#clock.now()
      // What came after the last look.
      if (this.#waiting > 0) this.#schedule()
    })
    return this.#writing
  }

  async #drain(): Promise<void> {
    const batch = this.#next()
    this.#waiting -= batch.size
    if (this.#waiting === 0) this.#lost = undefined
    await this.#write(batch)
    if (this.#waiting === 0) this.#told.delete('CALLS_OVERFLOW')
  }

  #next(): CallBatch {
    const full = this.#full.shift()
    if (full) return full
    const batch = this.#batch
    this.#batch = new CallBatch(this.#lines)
    return batch
  }

  async #end(): Promise<void> {
    await this.flush()
    if (this.#missing) await this.#write(this.#next())
    if (this.#run === undefined || this.#part === 0) return
    const path = pathOf(this.#folder, this.#run, this.#part)
    await this.#try('CALLS_NOT_WRITTEN', () =>
      appendToFile(this.#folder, path, encodeClosing(this.#clock.now())),
    )
  }

  async #write(batch: CallBatch): Promise<void> {
    const missing = this.#missing
    const lines = batch.finish()
    const written = await this.#try('CALLS_NOT_WRITTEN', () =>
      this.#append(missing ? Buffer.concat([Buffer.from(encodeGap(missing)), lines]) : lines),
    )
    this.#missing = written ? undefined : batch.loss
    if (!written && missing) batch.loss.add(missing)
  }

  async #append(records: Buffer): Promise<void> {
    const { maxBytes = 8 * 1024 * 1024, maxFiles = 16 } = this.#options
    const now = this.#clock.now()
    this.#run ??= await this.#begin(now)
    const begins = this.#part === 0 || this.#size + records.length > maxBytes
    const part = begins ? this.#part + 1 : this.#part
    const bytes = begins ? Buffer.concat([openingAt(now), records]) : records
    const path = pathOf(this.#folder, this.#run, part)
    await this.#appendWhole(path, bytes, begins ? 0 : this.#size)
    this.#part = part
    this.#size = (begins ? 0 : this.#size) + bytes.length
    if (begins) await this.#tidy(this.#run, maxFiles)
  }

  /** All of the bytes, or nothing of it: what a full disk took of it is removed again. */
  async #appendWhole(path: string, bytes: Buffer, size: number): Promise<void> {
    try {
      const whole = this.#torn ? Buffer.concat([newLine, bytes]) : bytes
      await appendToFile(this.#folder, path, whole)
      this.#torn = false
    } catch (error) {
      this.#torn = !(await cutFile(path, size))
      throw error
    }
  }

  async #tidy(run: string, maxFiles: number): Promise<void> {
    await this.#try('CALLS_NOT_TIDIED', () => removeOldest(this.#folder, maxFiles, run))
  }

  async #begin(now: number): Promise<string> {
    const run = createRun(now)
    await this.#try('CALLS_NOT_TIDIED', () => recordKilled(this.#folder, run, livenessNow(now)))
    return run
  }

  #overflow(event: CallEvent): void {
    if (!this.#lost) {
      this.#tell('CALLS_OVERFLOW')
      this.#lost = new OpenGap('overflow')
      this.#take(this.#lost)
    }
    this.#lost.add(lossOf(event))
  }

  async #try(code: CallLogProblemCode, run: () => Promise<void>): Promise<boolean> {
    try {
      await run()
      this.#told.delete(code)
      return true
    } catch (error) {
      this.#tell(code, error)
      return false
    }
  }

  #tell(code: CallLogProblemCode, cause?: unknown): void {
    if (this.#told.has(code)) return
    this.#told.add(code)
    try {
      this.#options.onProblem?.(createCallLogProblem(code, this.#folder, cause))
    } catch {
      // Whoever is told stands on the path of a call.
    }
  }
}

/** Milliseconds between two batches: however many calls there are, it is calls that time is for. */
const pace = 20

const newLine = Buffer.from('\n')

function openingAt(at: number): Buffer {
  return Buffer.from(encodeOpening({ at, process: process.pid, host: hostname() }))
}
