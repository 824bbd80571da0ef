/** What a field of an `input` or `output` is called, and what it holds. */
export interface FieldName {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean'
  /** A list of such values. */
  readonly list: boolean
  /** The only values that there are. */
  readonly choices?: readonly string[]
}

/** What `readFieldName` takes, for whoever wrote something else. */
export const fieldForm =
  'a field: name, name[] for a list, name(int), name(number), name(bool), or name(one, other) for one of these words, in quotes within braces'

const types = new Map<string, FieldName['type']>([
  ['int', 'integer'],
  ['integer', 'integer'],
  ['float', 'number'],
  ['number', 'number'],
  ['bool', 'boolean'],
  ['boolean', 'boolean'],
])

/** Reads the key of a field; `undefined` where it is none. */
export function readFieldName(key: string): FieldName | undefined {
  const [, name, list, inside] = /^([\w-]+)\s*(?:(\[\])|\(([^()]*)\))?$/.exec(key) ?? []
  if (name === undefined) return undefined
  if (inside === undefined) return { name, type: 'string', list: list !== undefined }
  const type = types.get(inside.trim())
  if (type) return { name, type, list: false }
  const choices = inside.split(',').map((word) => word.trim())
  if (choices.length < 2 || choices.includes('')) return undefined
  return { name, type: 'string', list: false, choices }
}

/** The name alone. */
export function fieldName(key: string): string {
  return readFieldName(key)?.name ?? key
}
