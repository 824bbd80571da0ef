import { type Clock, systemClock } from '@mobius-mcp/protocol'
import { StateError } from './errors.ts'
import type {
  Journal,
  Run,
  RunOpening,
  RunOptions,
  RunOwner,
  RunQuery,
  RunRecord,
  StepOptions,
  StepOutcome,
  StepRecord,
} from './journal.ts'
import type { Fence, JournalRecords, StoredRun, StoredStep } from './journal-records.ts'

export interface JournalOptions {
  readonly clock?: Clock | undefined
}

/** Makes a journal of what it is written on. */
export function createJournal(records: JournalRecords, options: JournalOptions = {}): Journal {
  return new RecordedJournal(records, options.clock ?? systemClock)
}

class RecordedJournal implements Journal {
  readonly #records: JournalRecords
  readonly #clock: Clock

  constructor(records: JournalRecords, clock: Clock) {
    this.#records = records
    this.#clock = clock
  }

  async run(id: string, owner: RunOwner, options: RunOptions = {}): Promise<RunOpening> {
    const claim = await this.#records.claim({
      id,
      owner: owner.id,
      kind: options.kind ?? '',
      input: toText(options.input),
      now: this.#clock.now(),
    })
    if (claim.kind === 'held') return claim
    if (claim.kind === 'ended') return { kind: 'ended', record: toRunRecord(claim.run) }
    const run = new RecordedRun(this.#records, this.#clock, claim.run, claim.resumed)
    return { kind: 'open', run }
  }

  async find(id: string): Promise<RunRecord | undefined> {
    const run = await this.#records.find(id)
    return run && toRunRecord(run)
  }

  async steps(
    id: string,
    page: { after?: number; limit?: number } = {},
  ): Promise<readonly StepRecord[]> {
    const { after = 0, limit = 1000 } = page
    return (await this.#records.steps(id, after, limit)).map(toStepRecord)
  }

  async list(query: RunQuery = {}): Promise<readonly RunRecord[]> {
    const { kind, state, abandoned, limit = 100 } = query
    const abandonedAt = abandoned ? this.#clock.now() : undefined
    return (await this.#records.list({ kind, state, abandonedAt, limit })).map(toRunRecord)
  }

  async delete(id: string): Promise<void> {
    await this.#records.delete(id)
  }

  async forget(before: number): Promise<number> {
    return await this.#records.forget(before)
  }
}

class RecordedRun implements Run {
  readonly id: string
  readonly kind: string
  readonly input: unknown
  readonly resumed: boolean
  readonly #records: JournalRecords
  readonly #clock: Clock
  readonly #fence: Fence
  readonly #lost = new AbortController()
  /** What runs now, by its key. */
  readonly #inFlight = new Map<string, Promise<StepOutcome<unknown>>>()

  constructor(records: JournalRecords, clock: Clock, run: StoredRun, resumed: boolean) {
    this.#records = records
    this.#clock = clock
    this.#fence = { run: run.id, generation: run.generation }
    this.id = run.id
    this.kind = run.kind
    this.input = fromText(run.input)
    this.resumed = resumed
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async step<T>(
    key: string,
    options: StepOptions,
    work: (lost: AbortSignal) => T | Promise<T>,
  ): Promise<StepOutcome<T>> {
    const running = this.#inFlight.get(key) ?? this.#step(key, options, work)
    this.#inFlight.set(key, running)
    try {
      // Whoever names a step says what it gives: as with any record, the type is a promise.
      return (await running) as StepOutcome<T>
    } finally {
      if (this.#inFlight.get(key) === running) this.#inFlight.delete(key)
    }
  }

  async end(result?: unknown): Promise<void> {
    if (!(await this.#records.end(this.#fence, toText(result), this.#clock.now()))) this.#lose()
  }

  async release(): Promise<void> {
    await this.#records.release(this.#fence)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release()
  }

  async #step(
    key: string,
    options: StepOptions,
    work: (lost: AbortSignal) => unknown,
  ): Promise<StepOutcome<unknown>> {
    const { idempotent = false } = options
    const start = await this.#records.start(this.#fence, {
      key,
      idempotent,
      now: this.#clock.now(),
    })
    if (start.kind === 'lost') return this.#lose()
    if (start.kind === 'known') return toOutcome(start.step, this.id)
    let result: string | undefined
    try {
      result = toText(await work(this.#lost.signal))
    } catch (error) {
      await this.#finish(key, 'failed', toText(messageOf(error)))
      throw error
    }
    await this.#finish(key, 'finished', result)
    return { kind: 'finished', value: fromText(result), replayed: false }
  }

  async #finish(
    key: string,
    state: 'finished' | 'failed',
    result: string | undefined,
  ): Promise<void> {
    const step = { key, state, result, now: this.#clock.now() }
    if (!(await this.#records.finish(this.#fence, step))) this.#lose()
  }

  #lose(): never {
    const error = new StateError({
      code: 'RUN_LOST',
      message: `The run ${this.id} is not this owner's any more: it was let go, has ended, or was taken over after its owner's lease expired. Open it again to go on.`,
    })
    this.#lost.abort(error)
    throw error
  }
}

function toOutcome(step: StoredStep, run: string): StepOutcome<unknown> {
  if (step.state === 'finished') {
    return { kind: 'finished', value: fromText(step.result), replayed: true }
  }
  if (step.state === 'failed') {
    throw new StateError({
      code: 'STEP_FAILED',
      message: String(fromText(step.result) ?? `The step ${step.key} of the run ${run} failed.`),
    })
  }
  return { kind: 'interrupted', startedAt: step.startedAt }
}

function toRunRecord({ generation: _generation, ...run }: StoredRun): RunRecord {
  return { ...run, input: fromText(run.input), result: fromText(run.result) }
}

function toStepRecord(step: StoredStep): StepRecord {
  return { ...step, result: fromText(step.result) }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function toText(value: unknown): string | undefined {
  return JSON.stringify(value) as string | undefined
}

function fromText(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}
