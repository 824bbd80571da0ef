import type { StepState } from './journal.ts'

/** A run in storage. JSON is kept as text. */
export interface StoredRun {
  readonly id: string
  readonly kind: string
  readonly input: string | undefined
  readonly state: 'open' | 'ended'
  readonly owner: string | undefined
  /** Grows with each claim, so that an owner that was replaced can write nothing. */
  readonly generation: number
  readonly createdAt: number
  readonly endedAt: number | undefined
  readonly result: string | undefined
}

/** A step in storage. */
export interface StoredStep {
  readonly key: string
  readonly state: StepState
  readonly idempotent: boolean
  readonly position: number
  readonly attempts: number
  readonly startedAt: number
  readonly endedAt: number | undefined
  readonly result: string | undefined
}

/** What is to be claimed, and by whom. */
export interface ClaimRequest {
  readonly id: string
  readonly owner: string
  readonly kind: string
  readonly input: string | undefined
  readonly now: number
}

export type Claim =
  | { readonly kind: 'claimed'; readonly run: StoredRun; readonly resumed: boolean }
  | { readonly kind: 'held'; readonly owner: string; readonly until: number }
  | { readonly kind: 'ended'; readonly run: StoredRun }

/** Which claim a write stands on. */
export interface Fence {
  readonly run: string
  readonly generation: number
}

export type StepStart =
  /** It is recorded as started: now it may be run. */
  | { readonly kind: 'run' }
  /** It is finished, failed or interrupted. */
  | { readonly kind: 'known'; readonly step: StoredStep }
  | { readonly kind: 'lost' }

/** Which runs. */
export interface RunFilter {
  readonly kind: string | undefined
  readonly state: StoredRun['state'] | undefined
  /** Open, and its owner has no lease that holds at this time. */
  readonly abandonedAt: number | undefined
  readonly limit: number
}

/**
 * What a journal is written on. Each operation is atomic, among all processes that use the storage,
 * and is on the disk, where there is one, before it resolves.
 */
export interface JournalRecords {
  /**
   * Makes a run, or takes one that is nobody's or whose owner's lease has expired. The steps that
   * its former owner had in flight become interrupted, but for the idempotent ones.
   */
  claim(request: ClaimRequest): Promise<Claim>
  /** A step that is recorded as started already is begun again if idempotent, else interrupted. */
  start(fence: Fence, step: { key: string; idempotent: boolean; now: number }): Promise<StepStart>
  /** Resolves with whether it was recorded: not where the claim does not hold any more. */
  finish(
    fence: Fence,
    step: { key: string; state: 'finished' | 'failed'; result: string | undefined; now: number },
  ): Promise<boolean>
  /** Resolves with whether it was recorded. */
  end(fence: Fence, result: string | undefined, now: number): Promise<boolean>
  release(fence: Fence): Promise<void>
  find(id: string): Promise<StoredRun | undefined>
  steps(id: string, after: number, limit: number): Promise<readonly StoredStep[]>
  /** The oldest first. */
  list(filter: RunFilter): Promise<readonly StoredRun[]>
  delete(id: string): Promise<void>
  /** Removes the runs that ended before. Resolves with how many. */
  forget(before: number): Promise<number>
}
