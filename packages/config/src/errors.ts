/** Why there is no configuration, or a file was not changed. */
export const configErrors = {
  /** Nothing stands at the path. */
  CONFIG_NOT_FOUND: 'There is no configuration at',
  /** Something stands there that could not be read. */
  CONFIG_UNREADABLE: 'Could not read the configuration',
  /** It was read, but says something that cannot be meant. */
  CONFIG_INVALID: 'Could not use the configuration',
  /** Another client's file cannot hold the gateway as it was asked to. */
  CLIENT_UNSUITED: 'Could not connect',
} as const

/** A permanent name for the reason why there is no configuration. */
export type ConfigErrorCode = keyof typeof configErrors

/** What may be wrong with one place of a file, by its permanent name. */
export type ConfigProblemCode =
  /** The text is not YAML. */
  | 'SYNTAX'
  /** A key that means nothing here. */
  | 'UNKNOWN_KEY'
  /** A key that must be there. */
  | 'MISSING_KEY'
  /** A value of the wrong type or form. */
  | 'WRONG_VALUE'
  /** One key twice in one map. */
  | 'DUPLICATE_KEY'
  /** A name that belongs to something built in. */
  | 'RESERVED_NAME'
  /** A name that something else has. */
  | 'TAKEN_NAME'
  /** A reference to a server that nobody configured. */
  | 'UNKNOWN_SERVER'
  /** A reference to an agent that nobody configured. */
  | 'UNKNOWN_AGENT'
  /** A reference to a prompt that no file holds. */
  | 'UNKNOWN_PROMPT'
  /** A model whose provider nobody configured. */
  | 'UNKNOWN_MODEL'
  /** A variable without a value. */
  | 'UNSET_VARIABLE'
  /** A profile that no file has. */
  | 'UNKNOWN_PROFILE'
  /** A rule that cannot be read. */
  | 'WRONG_RULE'
  /** The file, or what a reference names, could not be found or read. */
  | 'UNREADABLE'
  /** A warning: something without effect here. */
  | 'NOT_HONOURED'

/** Something wrong with one place of a file. Never holds a secret. */
export interface ConfigProblem {
  readonly code: ConfigProblemCode
  readonly file: string
  /** From 1; absent where it is about the file as a whole. */
  readonly line?: number
  /** From 1. */
  readonly column?: number
  /** Where it is: the keys that lead there. */
  readonly path: readonly string[]
  /** What is wrong, without the place. */
  readonly message: string
  /** What stands in the file can become right by being replaced with this. */
  readonly suggestion?: string
}

const shownProblems = 50

/** There is no configuration, and all the reasons why. Its message is meant for people. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode
  readonly file: string
  readonly problems: readonly ConfigProblem[]

  constructor(
    code: ConfigErrorCode,
    options: { file: string; problems: readonly ConfigProblem[]; cause?: unknown },
  ) {
    const { file, problems, cause } = options
    super(describeProblems(code, file, problems), { cause })
    this.name = 'ConfigError'
    this.code = code
    this.file = file
    this.problems = problems
  }
}

/** One readable line: place, path and what is wrong. */
export function formatProblem(problem: ConfigProblem): string {
  const { file, line, column, path, message } = problem
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`
  return path.length === 0 ? `${place}: ${message}` : `${place}: ${formatPath(path)}: ${message}`
}

/** Keys as people write them: `mcpServers.github.args[0]`. */
function formatPath(path: readonly string[]): string {
  return path.reduce((text, key) => {
    if (/^\d+$/.test(key)) return `${text}[${key}]`
    if (!/^[\w$-]+$/.test(key)) return `${text}[${JSON.stringify(key)}]`
    return text === '' ? key : `${text}.${key}`
  }, '')
}

function describeProblems(
  code: ConfigErrorCode,
  file: string,
  problems: readonly ConfigProblem[],
): string {
  const [only, ...more] = problems
  if (only && only.line === undefined && more.length === 0) {
    return `${configErrors[code]} ${only.file}: ${only.message}`
  }
  const lines = problems.slice(0, shownProblems).map((problem) => `  ${formatProblem(problem)}`)
  if (problems.length > shownProblems) {
    lines.push(`  … and ${problems.length - shownProblems} more`)
  }
  return [`${configErrors[code]} ${file}:`, ...lines].join('\n')
}
