import { isObject, type JsonObject } from '@mobius-mcp/protocol'
import { showLines, showText } from '@mobius-mcp/telemetry'
import { type FormField, toFields } from './form-field.ts'
import type { Ask } from './terminal.ts'

/** An answer as `elicitation/create` has it. */
export interface FormAnswer extends JsonObject {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: JsonObject
}

export interface FormOptions {
  readonly ask: Ask
  say(text: string): void
  /** Aborted where nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined
  /** Shows an address to the person. */
  openUrl(url: string): Promise<void> | void
}

/**
 * Puts to a person what a server asks (elicitation: form mode and URL mode). Whatever it says is text, and
 * shown as such.
 */
export async function answerForm(params: JsonObject, options: FormOptions): Promise<FormAnswer> {
  const { message } = params
  options.say(`? ${showLines(String(message ?? ''))}`)
  const answer = await answerAnyhow(params, options)
  if (options.signal?.aborted) options.say('  This is not asked any more.')
  return answer
}

async function answerAnyhow(params: JsonObject, options: FormOptions): Promise<FormAnswer> {
  const { mode, requestedSchema } = params
  if (mode === 'url') return await answerUrl(String(params.url), options)
  const fields = toFields(isObject(requestedSchema) ? requestedSchema : {})
  if (fields.length === 0) return await confirm('Accept?', {}, options)
  options.say('  Enter takes what stands in brackets; /decline refuses, /cancel leaves it.')
  return await fillIn(fields, options)
}

async function fillIn(fields: readonly FormField[], options: FormOptions): Promise<FormAnswer> {
  const content: JsonObject = {}
  for (const field of fields) {
    const answer = await readField(field, options)
    if ('action' in answer) return answer
    if (answer.value !== undefined) {
      // A name that came from outside, even `__proto__`, is a member like any other.
      Object.defineProperty(content, field.name, {
        ...{ value: answer.value, enumerable: true, writable: true, configurable: true },
      })
    }
  }
  if (fields.length === 1) return { action: 'accept', content }
  options.say(`  ${showText(JSON.stringify(content), 2000)}`)
  return await confirm('Send it?', content, options)
}

/** Asks until what is typed fits. */
async function readField(
  field: FormField,
  { ask, say, signal }: FormOptions,
): Promise<{ readonly value: unknown } | FormAnswer> {
  if (field.description !== '') say(`  ${showLines(field.description)}`)
  for (const [index, { title, value }] of field.choices.entries()) {
    say(`  ${index + 1}. ${showText(title === value ? value : `${title} (${value})`, 200)}`)
  }
  for (;;) {
    const text = await ask(questionOf(field), signal)
    const taken = take(field, text?.trim())
    if (!(taken instanceof Error)) return taken
    say(`  That does not fit: ${showText(taken.message)}.`)
  }
}

function take(
  field: FormField,
  text: string | undefined,
): { readonly value: unknown } | FormAnswer | Error {
  if (text === undefined || text === '/cancel') return { action: 'cancel' }
  if (text === '/decline') return { action: 'decline' }
  if (text === '') {
    const hasDefault = field.preset !== undefined || !field.required
    return hasDefault ? { value: field.preset } : new Error(`expected ${field.expects}`)
  }
  try {
    return { value: field.read(text) }
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

function questionOf({ title, required, preset, expects }: FormField): string {
  const without = required ? '' : ' [none]'
  const bracket = preset === undefined ? without : ` [${showText(JSON.stringify(preset), 80)}]`
  const hint = expects === 'text' ? '' : ` (${expects})`
  return `  ${showText(title, 200)}${hint}${bracket}: `
}

/** An address at which something is to be done: it is shown whole, and opened with the person's leave alone. */
async function answerUrl(url: string, options: FormOptions): Promise<FormAnswer> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') {
    options.say(`  Refused: ${showText(url)} is no address of a web page.`)
    return { action: 'decline' }
  }
  options.say(`  At ${showText(parsed.host)}: ${showText(parsed.href, 4000)}`)
  const answer = await confirm('Open it?', undefined, options)
  if (answer.action === 'accept') await options.openUrl(parsed.href)
  return answer
}

async function confirm(
  question: string,
  content: JsonObject | undefined,
  { ask, signal }: FormOptions,
): Promise<FormAnswer> {
  const text = (await ask(`  ${question} [y]es, [n]o, or Ctrl-D to leave it: `, signal))?.trim()
  if (text === undefined || text === '/cancel') return { action: 'cancel' }
  if (!/^y(es)?$/i.test(text)) return { action: 'decline' }
  return content === undefined ? { action: 'accept' } : { action: 'accept', content }
}
