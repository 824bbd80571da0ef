/** What may keep a store from being opened, by its permanent name. */
export const storeErrors = {
  /** A later version of Mobius has migrated it. It is left as it is. */
  STORE_NEWER:
    'was written by a newer version of Mobius, and was left untouched; start that version, or choose another state folder',
  /** It is a database of something else. It is left as it is. */
  STORE_FOREIGN:
    'is a database of another program, and was left untouched; choose another state folder',
  /** It is no database, is damaged, or may not be read or written. */
  STORE_UNUSABLE: 'could not be opened',
} as const

/** A permanent name for what keeps a store from being opened. */
export type StoreErrorCode = keyof typeof storeErrors

/** A store could not be opened. */
export class StoreError extends Error {
  readonly code: StoreErrorCode
  readonly file: string

  constructor(code: StoreErrorCode, file: string, cause?: unknown) {
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    super(`The store ${file} ${storeErrors[code]}${reason}.`, { cause })
    this.name = 'StoreError'
    this.code = code
    this.file = file
  }
}
