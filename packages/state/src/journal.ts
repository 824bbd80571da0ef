/** What became of a step. */
export type StepState = 'started' | 'finished' | 'failed' | 'interrupted'

/** A step as it is recorded. */
export interface StepRecord {
  readonly key: string
  readonly state: StepState
  /** Whether it may be run again where nobody knows if it was done. */
  readonly idempotent: boolean
  /** Grows from one step of the run to the next, in the order in which they were first started. */
  readonly position: number
  /** How often it was started. */
  readonly attempts: number
  /** When it was last started: milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt?: number | undefined
  /** What it came to: its result, or the message of its error. */
  readonly result?: unknown
}

/** A run as it is recorded. */
export interface RunRecord {
  readonly id: string
  /** What it is a run of, so that whoever takes it over knows how: `agent`, `workflow`, `task`. */
  readonly kind: string
  /** What it was begun with. */
  readonly input?: unknown
  readonly state: 'open' | 'ended'
  /** The process that runs it; absent where it was let go. */
  readonly owner?: string | undefined
  readonly createdAt: number
  readonly endedAt?: number | undefined
  /** What it came to. */
  readonly result?: unknown
}

export interface StepOptions {
  /** Running it twice does no harm: it is run again where its first run was cut off. */
  readonly idempotent?: boolean | undefined
}

/** What a step came to. */
export type StepOutcome<T> =
  | { readonly kind: 'finished'; readonly value: T; readonly replayed: boolean }
  /** It was under way when its owner died, and may have been done. It is never run again. */
  | { readonly kind: 'interrupted'; readonly startedAt: number }

/** One owner's hold on a durable run. Disposing of it lets the run go, for others to go on. */
export interface Run extends AsyncDisposable {
  readonly id: string
  readonly kind: string
  readonly input: unknown
  /** It was begun before: some of its steps may be done. */
  readonly resumed: boolean
  /** Aborted when the run turns out to be somebody else's now. */
  readonly lost: AbortSignal
  /**
   * Runs `work` unless the record says that it was done. It is recorded as started before, and as
   * finished, with its result, after. What is returned is what was recorded: the JSON of it. Two
   * calls with one key at the same time run it once.
   *
   * @throws what `work` threw, which is recorded too; when replayed, StateError `STEP_FAILED` with
   * the same message. StateError `RUN_LOST` where the run is not this owner's any more, and then
   * nothing was recorded.
   */
  step<T>(
    key: string,
    options: StepOptions,
    work: (lost: AbortSignal) => T | Promise<T>,
  ): Promise<StepOutcome<T>>
  /** All is done. Its steps stay readable. @throws StateError `RUN_LOST`. */
  end(result?: unknown): Promise<void>
  /**
   * Lets it go: another owner, or this one, may open it again. What is in flight counts as cut off.
   * Who stops does this before cancelling the work, or its failure would be recorded as the step's.
   */
  release(): Promise<void>
}

/** What came of asking for a run. */
export type RunOpening =
  | { readonly kind: 'open'; readonly run: Run }
  /** Its owner lives, or did until then at least. */
  | { readonly kind: 'held'; readonly owner: string; readonly until: number }
  | { readonly kind: 'ended'; readonly record: RunRecord }

export interface RunOptions {
  /** Counts when the run is begun, and not when it is gone on with. */
  readonly kind?: string | undefined
  readonly input?: unknown
}

export interface RunQuery {
  readonly kind?: string | undefined
  /** Only those that are open and whose owner does not live: what can be taken over. */
  readonly abandoned?: boolean | undefined
  readonly state?: RunRecord['state'] | undefined
  /** The oldest first. 100 by default. */
  readonly limit?: number | undefined
}

/**
 * The record of durable runs, of agents, workflows and tasks. A finished step never runs again; one
 * that was in flight when its owner died runs again only if it is marked idempotent, and is
 * otherwise shown as interrupted.
 */
export interface Journal {
  /** Begins a run, or goes on with one that is nobody's, or whose owner's lease has expired. */
  run(id: string, owner: RunOwner, options?: RunOptions): Promise<RunOpening>
  find(id: string): Promise<RunRecord | undefined>
  /** The steps of a run in their order, those after a position. 1,000 at most by default. */
  steps(id: string, page?: { after?: number; limit?: number }): Promise<readonly StepRecord[]>
  list(query?: RunQuery): Promise<readonly RunRecord[]>
  /** Forgets a run and its steps, whoever holds it. */
  delete(id: string): Promise<void>
  /** Forgets the runs that ended before, and their steps. Resolves with how many. */
  forget(before: number): Promise<number>
}

/** Who runs it: a `LeaseHolder`, whose lease must hold. */
export interface RunOwner {
  readonly id: string
}
