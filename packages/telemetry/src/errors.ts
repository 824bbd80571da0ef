/** What may go wrong with the record of calls, by its permanent name. None of it stops a call. */
export const callLogProblems = {
  /** A batch could not be written; a gap stands in its place when writing works again. */
  CALLS_NOT_WRITTEN: 'could not be written: its calls are missing',
  /** More calls ended than the disk takes; a gap stands where they are missing. */
  CALLS_OVERFLOW: 'is missing calls: they ended faster than they could be written',
  /** Old files could not be looked through or removed. */
  CALLS_NOT_TIDIED: 'could not be tidied up',
} as const

/** A permanent name for a kind of problem. */
export type CallLogProblemCode = keyof typeof callLogProblems

/** A problem with the record of calls, told to whoever wants to know. */
export interface CallLogProblem {
  readonly code: CallLogProblemCode
  readonly folder: string
  /** A full sentence that names the folder. */
  readonly message: string
  readonly cause?: unknown
}

/** A problem as a full sentence, with its cause's own words. */
export function createCallLogProblem(
  code: CallLogProblemCode,
  folder: string,
  cause?: unknown,
): CallLogProblem {
  const reason = cause instanceof Error ? ` (${cause.message})` : ''
  const message = `The record of calls in ${folder} ${callLogProblems[code]}${reason}.`
  return { code, folder, message, cause }
}
