/** What may go wrong with a catalog in files, by its permanent name. None of it stops anything. */
export const catalogProblems = {
  /** The file is there, but could not be read. */
  CATALOG_UNREADABLE: 'could not be read',
  /** The file is not what this catalog writes: cut off, edited, or something else. */
  CATALOG_CORRUPT: 'is damaged and was ignored; it is written anew when its server is next asked',
  /** A later version of Mobius wrote it. */
  CATALOG_NEWER: 'was written by a newer version of Mobius and was ignored',
  /** The change stays in memory, but the next process will not know of it. */
  CATALOG_NOT_WRITTEN: 'could not be written',
  /** So many changes wait for the disk that this one was left out. */
  CATALOG_OVERFLOW: 'was not written: too many changes wait for the disk',
} as const

/** A permanent name for a kind of problem. */
export type CatalogProblemCode = keyof typeof catalogProblems

/** A problem with one file of a catalog, told to whoever wants to know. */
export interface CatalogProblem {
  readonly code: CatalogProblemCode
  readonly file: string
  /** A full sentence that names the file. */
  readonly message: string
  readonly cause?: unknown
}

/** Says what is wrong with a file of a catalog. */
export function createCatalogProblem(
  code: CatalogProblemCode,
  file: string,
  cause?: unknown,
): CatalogProblem {
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  const message = `The catalog file ${file} ${catalogProblems[code]}${reason}.`
  return cause === undefined ? { code, file, message } : { code, file, message, cause }
}

/** What may go wrong with tokens in files, by its permanent name. Only the last one stops a sign-in. */
export const tokensProblems = {
  /** The file is there, but could not be read. */
  TOKENS_UNREADABLE: 'could not be read',
  /** The file is not what this store writes, or was sealed with another key. */
  TOKENS_CORRUPT: 'is damaged, or was sealed with another key, and was ignored; sign in again',
  /** A later version of Mobius wrote it. */
  TOKENS_NEWER: 'was written by a newer version of Mobius and was ignored',
  /** Others on this machine can read the key. */
  TOKENS_KEY_EXPOSED: 'can be read by others on this machine; set its mode to 0600',
  /** The file of the key holds something else. */
  TOKENS_KEY_UNUSABLE: 'is not a key; remove it, and sign in again',
} as const

/** A permanent name for a kind of problem. */
export type TokensProblemCode = keyof typeof tokensProblems

/** A problem with one file of a store of tokens, told to whoever wants to know. */
export interface TokensProblem {
  readonly code: TokensProblemCode
  readonly file: string
  /** A full sentence that names the file. */
  readonly message: string
  readonly cause?: unknown
}

/** Says what is wrong with a file of a store of tokens. */
export function createTokensProblem(
  code: TokensProblemCode,
  file: string,
  cause?: unknown,
): TokensProblem {
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  const message = `The token file ${file} ${tokensProblems[code]}${reason}.`
  return cause === undefined ? { code, file, message } : { code, file, message, cause }
}

/** What else may go wrong with what is kept, by its permanent name. */
export type StateErrorCode =
  | TokensProblemCode
  /** The run is not this owner's any more. */
  | 'RUN_LOST'
  /** The step ran before, and threw. */
  | 'STEP_FAILED'
  /** A page was asked for with a cursor that was not given out here. */
  | 'CURSOR_INVALID'

/** Something could not be kept, or not be given out. */
export class StateError extends Error {
  readonly code: StateErrorCode

  constructor(problem: { code: StateErrorCode; message: string; cause?: unknown }) {
    super(problem.message, { cause: problem.cause })
    this.name = 'StateError'
    this.code = problem.code
  }
}
