/** The variables that a configuration may name, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where the texts come from that references stand for. */
export interface ValueSources {
  readonly env: Environment
  /** What the configuration itself says of variables, by their names. */
  readonly declared: ReadonlyMap<string, DeclaredVariable>
  /** What editors' own names stand for, `workspaceFolder` and the like, unless a variable is called so. */
  readonly editorNames: ReadonlyMap<string, string>
  /** What an editor would offer where it asks the person, by the input's id. */
  readonly inputs: ReadonlyMap<string, string>
  /** The text of a file, or what a program prints; or why there is none. */
  readOutside(kind: 'file' | 'exec', what: string): string | Failure
}

export interface Failure {
  readonly code: 'UNSET_VARIABLE' | 'UNREADABLE' | 'WRONG_VALUE'
  readonly message: string
}

/** A variable that the configuration declares. */
export interface DeclaredVariable {
  /** Its own, or the default. */
  readonly value: string | undefined
  /** Without a value, what needs it cannot be used. */
  readonly required: boolean
  readonly description: string | undefined
}
