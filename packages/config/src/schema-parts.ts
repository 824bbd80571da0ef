import { z } from 'zod'
import { bytesForm, durationForm, parseBytes, parseDuration } from './units.ts'

// Every message here says what was expected; `explainIssues` adds what was received.

/** A map with these keys and no others. The message of an unknown key names the known ones. */
export function closed<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(shape).join(', ') : `a map`),
  })
}

/** A value that is read; what cannot be read makes `undefined`, and is told what was expected. */
export function read<Input, Output>(
  input: z.ZodType<Input>,
  expected: string,
  parse: (value: Input) => Output | undefined,
): z.ZodType<Output> {
  return input.transform((value, context) => {
    const output = parse(value)
    if (output !== undefined) return output
    context.issues.push({ code: 'custom', message: expected, input: value })
    return z.NEVER
  })
}

/** Text with a rule, which says what was expected instead, or nothing. */
export function text(rule?: (value: string) => string | undefined): z.ZodType<string> {
  const plain = z.string({ error: 'text' })
  if (!rule) return plain
  return plain.check(({ value, issues }) => {
    const expected = rule(value)
    if (expected) issues.push({ code: 'custom', message: expected, input: value })
  })
}

export function list<Item>(item: z.ZodType<Item>): z.ZodType<Item[]> {
  return z.array(item, { error: 'a list' })
}

/** A map of any keys that keep a rule. */
export function map<Value>(
  value: z.ZodType<Value>,
  rule: (key: string) => string | undefined = () => undefined,
): z.ZodType<Record<string, Value>> {
  const record = z.record(z.string(), value, { error: 'a map' })
  return record.check(({ value: found, issues }) => {
    for (const key of Object.keys(found)) {
      const expected = rule(key)
      if (expected) {
        // The value is right; `wrongKey` makes the report point at the key.
        const params = { wrongKey: true }
        issues.push({ code: 'custom', message: expected, path: [key], params, input: found })
      }
    }
  })
}

/** Also as text, for a variable holds nothing else. */
export function flag(): z.ZodType<boolean> {
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

/** A whole number from 1, also as text. */
export function count(): z.ZodType<number> {
  const expected = 'a whole number, at least 1'
  return read(numberOrText(expected), expected, (value) => {
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
    return typeof number === 'number' && Number.isSafeInteger(number) && number >= 1
      ? number
      : undefined
  })
}

export function duration(): z.ZodType<number> {
  return read(numberOrText(durationForm), durationForm, parseDuration)
}

export function size(): z.ZodType<number> {
  return read(numberOrText(bytesForm), bytesForm, parseBytes)
}

export function choice<const Word extends string>(words: readonly Word[]): z.ZodType<Word> {
  return z.enum(words, { error: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` })
}

function numberOrText(expected: string): z.ZodType<string | number> {
  return z.union([z.number(), z.string()], { error: expected })
}
