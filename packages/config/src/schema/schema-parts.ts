import * as z from 'zod/mini'
import { bytesForm, durationForm, parseBytes, parseDuration } from '../units.ts'

// Every message here says what was expected; `explainIssues` adds what was received.

/** A map with these keys and no others. The message of an unknown key names the known ones. */
export function closed<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  options: { readonly expected?: string; readonly known?: readonly string[] } = {},
): z.ZodMiniObject<Shape, z.core.$strict> {
  const { expected = 'a map', known = Object.keys(shape) } = options
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? known.join(', ') : expected),
  })
}

/** A value that is read; what cannot be read makes `undefined`, and is told what was expected. */
export function read<Input, Output>(
  input: z.ZodMiniType<Input>,
  expected: string,
  parse: (value: Input) => Output | undefined,
): z.ZodMiniType<Output> {
  const reader = z.transform<Input, Output>((value, context) => {
    const output = parse(value)
    if (output !== undefined) return output
    context.issues.push({ code: 'custom', message: expected, input: value })
    return z.NEVER
  })
  return z.pipe(input, reader)
}

/** What was expected instead of a text; `undefined` if it is right. */
export type Rule = (value: string) => string | undefined

/** Text with a rule. */
export function text(rule?: Rule): z.ZodMiniType<string> {
  const plain = z.string({ error: 'text' })
  if (!rule) return plain
  return plain.check(({ value, issues }) => {
    const expected = rule(value)
    if (expected) issues.push({ code: 'custom', message: expected, input: value })
  })
}

export function list<Item>(item: z.ZodMiniType<Item>): z.ZodMiniType<Item[]> {
  return z.array(item, { error: 'a list' })
}

/** A map of any keys that keep a rule. Every wrong key is told, beside all that is wrong in values. */
export function map<Value>(
  value: z.ZodMiniType<Value>,
  rule?: Rule,
): z.ZodMiniType<Record<string, Value>> {
  return z.record(keyText(rule), value, { error: 'a map' })
}

function keyText(rule: Rule | undefined): z.ZodMiniString {
  if (!rule) return z.string()
  return z.string().check(({ value, issues }) => {
    const expected = rule(value)
    if (expected) issues.push({ code: 'custom', message: expected, input: value })
  })
}

/** Also as text, for a variable holds nothing else. */
export function flag(): z.ZodMiniType<boolean> {
  const expected = 'true or false'
  const input = z.union([z.boolean(), z.string()], { error: expected })
  return read(input, expected, (value) =>
    typeof value === 'boolean'
      ? value
      : new Map([
          ['true', true],
          ['false', false],
        ]).get(value),
  )
}

/** A whole number between two, also as text. */
export function wholeNumber(
  expected: string,
  range: { readonly min: number; readonly max: number },
): z.ZodMiniType<number> {
  return read(numberOrText(expected), expected, (value) => {
    const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
    const right = typeof number === 'number' && Number.isSafeInteger(number)
    return right && number >= range.min && number <= range.max ? number : undefined
  })
}

/** A number between two, also as text. */
export function number(
  expected: string,
  range: { readonly min: number; readonly max: number },
): z.ZodMiniType<number> {
  return read(numberOrText(expected), expected, (value) => {
    const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    const right = typeof read === 'number' && Number.isFinite(read)
    return right && read >= range.min && read <= range.max ? read : undefined
  })
}

/** A whole number from 1, also as text. */
export function count(): z.ZodMiniType<number> {
  return wholeNumber('a whole number, at least 1', { min: 1, max: Number.MAX_SAFE_INTEGER })
}

export function duration(): z.ZodMiniType<number> {
  return read(numberOrText(durationForm), durationForm, parseDuration)
}

export function size(): z.ZodMiniType<number> {
  return read(numberOrText(bytesForm), bytesForm, parseBytes)
}

export function choice<const Word extends string>(words: readonly Word[]): z.ZodMiniType<Word> {
  return z.enum(words, { error: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` })
}

function numberOrText(expected: string): z.ZodMiniType<string | number> {
  return z.union([z.number(), z.string()], { error: expected })
}
