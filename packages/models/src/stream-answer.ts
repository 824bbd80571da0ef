import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Clock } from '@mobius-mcp/protocol'
import { toCallOptions } from './call-options.ts'
import { costOf, type Price } from './cost.ts'
import { ModelError } from './errors.ts'
import type { ErrorEvent, FinishEvent, ModelEvent, Usage } from './events.ts'
import { interrupted, toModelError } from './failure.ts'
import { openIdleTimer } from './idle-timer.ts'
import type { Destination } from './provider-settings.ts'
import { AnswerReader, type Ending } from './read-answer.ts'
import type { AssistantMessage, ModelRequest } from './request.ts'
import { delayAfter, type RetryPolicy, wait } from './retry.ts'
import { createVendorTools, type VendorTools } from './vendor-tools.ts'

/** One model and what its answers need. */
export interface AnswerSource extends Destination {
  /** `provider/model`. */
  readonly name: string
  readonly open: () => Promise<LanguageModelV4>
  readonly secrets: readonly string[]
  readonly price: Price | undefined
  readonly retry: RetryPolicy
  readonly idleTimeout: number
  readonly clock: Clock
  readonly random: () => number
}

type Outcome = Pick<ErrorEvent, 'error' | 'message' | 'usage'> & { shown: boolean }

/** Asks, and asks again where that may help and nothing was shown yet. */
export async function* streamAnswer(
  source: AnswerSource,
  request: ModelRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelEvent, void, undefined> {
  const closing = new AbortController()
  const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal
  try {
    for (let attempt = 1; ; attempt += 1) {
      const failed = yield* attemptAnswer(source, request, stop)
      if (!failed) return
      const delay = failed.shown
        ? undefined
        : delayAfter(failed.error, attempt, source.retry, source.random)
      if (delay === undefined || stop.aborted) return yield fail(source, failed)
      yield { type: 'retry', attempt, delay, error: failed.error }
      try {
        await wait(delay, source.clock, stop)
      } catch {
        return yield fail(source, { ...failed, error: cancelled(source) })
      }
    }
  } finally {
    // Whoever stops reading has the request stopped too.
    closing.abort()
  }
}

async function* attemptAnswer(
  source: AnswerSource,
  request: ModelRequest,
  stop: AbortSignal,
): AsyncGenerator<ModelEvent, Outcome | undefined, undefined> {
  const tools = createVendorTools(request, source.dialect)
  const reader = new AnswerReader(source.provider, tools)
  let shown = false
  try {
    for await (const part of readParts(source, request, tools, stop)) {
      const read = reader.read(part)
      if (!Array.isArray(read)) {
        if (read.type === 'finished') return yield finish(source, request, reader, read)
        return { ...outcome(source, reader, read), shown }
      }
      for (const event of read) {
        shown ||= event.type !== 'warning'
        yield event
      }
    }
    return { ...outcome(source, reader, { type: 'interrupted', usage: {} }), shown }
  } catch (error) {
    const known = stop.aborted ? cancelled(source) : toModelError(error, failureContext(source))
    return { error: known, message: reader.message, shown }
  }
}

/** The vendor's parts, each within the time that may pass without any. */
async function* readParts(
  source: AnswerSource,
  request: ModelRequest,
  tools: VendorTools,
  stop: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  stop.throwIfAborted()
  using idle = openIdleTimer(source.clock, source.idleTimeout, () => timedOut(source))
  const abortSignal = AbortSignal.any([stop, idle.signal])
  const model = await source.open()
  const options = { ...toCallOptions(request, tools, source), abortSignal }
  const { stream } = await idle.race(model.doStream(options), stop)
  const parts = stream.getReader()
  try {
    while (true) {
      const { done, value } = await idle.race(parts.read(), stop)
      if (done) return
      yield value
    }
  } finally {
    // What it was cancelled for has been told; how its end went is nobody's concern.
    parts.cancel().catch(() => {})
  }
}

function finish(
  source: AnswerSource,
  request: ModelRequest,
  reader: AnswerReader,
  { reason, usage }: Extract<Ending, { type: 'finished' }>,
): FinishEvent {
  const cost = costOf(usage, source.price)
  const { message } = reader
  const output = request.output && reason === 'stop' ? readOutput(message) : undefined
  return {
    type: 'finish',
    reason,
    message,
    usage,
    ...(cost === undefined ? {} : { cost }),
    ...(output === undefined ? {} : { output }),
  }
}

function readOutput({ content }: AssistantMessage): unknown {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function outcome(
  source: AnswerSource,
  reader: AnswerReader,
  ending: Exclude<Ending, { type: 'finished' }>,
): Omit<Outcome, 'shown'> {
  const { message } = reader
  if (ending.type === 'failed') {
    return { error: toModelError(ending.error, failureContext(source)), message }
  }
  return { error: interrupted(source.name), message, usage: ending.usage }
}

function fail(source: AnswerSource, { error, message, usage }: Outcome): ErrorEvent {
  const known: Usage = usage ?? {}
  const cost = costOf(known, source.price)
  return {
    type: 'error',
    error,
    message,
    ...(usage && Object.keys(usage).length > 0 ? { usage } : {}),
    ...(cost === undefined ? {} : { cost }),
  }
}

function failureContext({
  name,
  secrets,
  clock,
}: AnswerSource): Parameters<typeof toModelError>[1] {
  return { model: name, secrets, now: () => clock.now() }
}

function cancelled({ name }: AnswerSource): ModelError {
  return new ModelError('CANCELLED', 'Whoever asked for it stopped it.', {
    model: name,
    retryable: false,
  })
}

function timedOut({ name, idleTimeout }: AnswerSource): ModelError {
  const explanation = `Nothing came for ${idleTimeout / 1000} seconds.`
  return new ModelError('TIMED_OUT', explanation, { model: name, retryable: true })
}
