import { isObject, type JsonObject } from '@mobius-mcp/protocol'

/** One field of a form, as MCP's elicitation has them. */
export interface FormField {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly required: boolean
  /** What counts where nothing is typed. */
  readonly preset: unknown
  /** What there is to choose from, where there is. */
  readonly choices: readonly Choice[]
  /** What is expected, in words. */
  readonly expects: string
  /** @throws Error saying what was expected. */
  read(text: string): unknown
}

interface Choice {
  readonly value: string
  readonly title: string
}

/** The fields of a form's schema. */
export function toFields(schema: JsonObject): readonly FormField[] {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(properties).map(([name, property]) =>
    toField(name, isObject(property) ? property : {}, required.includes(name)),
  )
}

function toField(name: string, property: JsonObject, required: boolean): FormField {
  const { title, description } = property
  const kind = kindOf(property)
  return {
    name,
    title: typeof title === 'string' && title !== '' ? title : name,
    description: typeof description === 'string' ? description : '',
    required,
    preset: property.default,
    ...kind,
  }
}

type Kind = Pick<FormField, 'choices' | 'expects' | 'read'>

function kindOf(property: JsonObject): Kind {
  const choices = choicesOf(property)
  if (choices.length > 0)
    return { choices, expects: 'one of them', read: (text) => choose(text, choices) }
  switch (property.type) {
    case 'boolean':
      return { choices, expects: 'y or n', read: readBoolean }
    case 'integer':
    case 'number':
      return {
        choices,
        expects: describeNumber(property),
        read: (text) => readNumber(text, property),
      }
    case 'array':
      return kindOfArray(isObject(property.items) ? property.items : {}, property)
    case 'string':
      return { choices, expects: describeText(property), read: (text) => readText(text, property) }
    default:
      return { choices, expects: 'JSON', read: readJson }
  }
}

function kindOfArray(items: JsonObject, { minItems, maxItems }: JsonObject): Kind {
  const choices = choicesOf(items)
  const one = kindOf(items)
  return {
    choices,
    expects: 'several, with commas between them',
    read(text) {
      const parts = text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
      const values = [...new Set(parts.map((part) => one.read(part)))]
      if (typeof minItems === 'number' && values.length < minItems) {
        throw new Error(`expected at least ${minItems} of them`)
      }
      if (typeof maxItems === 'number' && values.length > maxItems) {
        throw new Error(`expected at most ${maxItems} of them`)
      }
      return values
    },
  }
}

/** `enum` with or without `enumNames`, or titled constants. */
function choicesOf(property: JsonObject): readonly Choice[] {
  const { enum: values, enumNames, oneOf, anyOf } = property
  if (Array.isArray(values)) {
    const titles = Array.isArray(enumNames) ? enumNames : []
    return values.map((value, index) => ({
      value: String(value),
      title: String(titles[index] ?? value),
    }))
  }
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : []
  return titled
    .filter(isObject)
    .filter((each) => each.const !== undefined)
    .map((each) => ({ value: String(each.const), title: String(each.title ?? each.const) }))
}

/** By its number, its value or its title. */
function choose(text: string, choices: readonly Choice[]): string {
  const folded = text.toLowerCase()
  const found =
    choices.find(({ value }) => value === text) ??
    choices.find(({ title }) => title.toLowerCase() === folded) ??
    (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined)
  if (found) return found.value
  throw new Error(`expected a number from 1 to ${choices.length}`)
}

function readBoolean(text: string): boolean {
  if (/^(y|yes|true)$/i.test(text)) return true
  if (/^(n|no|false)$/i.test(text)) return false
  throw new Error('expected y or n')
}

function readNumber(text: string, property: JsonObject): number {
  const { type, minimum, maximum } = property
  const value = Number(text)
  const fits =
    Number.isFinite(value) &&
    (type !== 'integer' || Number.isInteger(value)) &&
    (typeof minimum !== 'number' || value >= minimum) &&
    (typeof maximum !== 'number' || value <= maximum)
  if (fits) return value
  throw new Error(`expected ${describeNumber(property)}`)
}

function describeNumber({ type, minimum, maximum }: JsonObject): string {
  const bounds = [
    ...(typeof minimum === 'number' ? [`at least ${minimum}`] : []),
    ...(typeof maximum === 'number' ? [`at most ${maximum}`] : []),
  ]
  const what = type === 'integer' ? 'a whole number' : 'a number'
  return bounds.length > 0 ? `${what}, ${bounds.join(' and ')}` : what
}

const formats: Readonly<Record<string, { readonly what: string; fits(text: string): boolean }>> = {
  email: { what: 'an e-mail address', fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  uri: { what: 'a URI, e.g. https://example.com', fits: (text) => URL.canParse(text) },
  date: { what: 'a date, e.g. 2026-05-31', fits: isDate },
  'date-time': {
    what: 'a time, e.g. 2026-05-31T12:00:00Z',
    fits: (text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)),
  },
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // The 30th of February is read as a day of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

function readText(text: string, property: JsonObject): string {
  const { format, minLength, maxLength } = property
  const { length } = Array.from(text)
  const known = typeof format === 'string' ? formats[format] : undefined
  const fits =
    (known?.fits(text) ?? true) &&
    (typeof minLength !== 'number' || length >= minLength) &&
    (typeof maxLength !== 'number' || length <= maxLength)
  if (fits) return text
  throw new Error(`expected ${describeText(property)}`)
}

function describeText({ format, minLength, maxLength }: JsonObject): string {
  const what = (typeof format === 'string' ? formats[format]?.what : undefined) ?? 'text'
  const bounds = [
    ...(typeof minLength === 'number' && minLength > 1 ? [`at least ${minLength} characters`] : []),
    ...(typeof maxLength === 'number' ? [`at most ${maxLength} characters`] : []),
  ]
  return bounds.length > 0 ? `${what}, ${bounds.join(' and ')}` : what
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('expected JSON')
  }
}
