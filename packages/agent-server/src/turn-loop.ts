import type { AssistantPart, Model, ModelRequest, ToolCallPart, Usage } from '@mobius-mcp/models'
import type { JsonObject } from '@mobius-mcp/protocol'
import { compactTurn } from './compact-turn.ts'
import { endText } from './end-text.ts'
import { type ReadyDefinition, readInstructions, readyFor } from './instructions.ts'
import type { EndReason } from './items.ts'
import { askModel, type ModelAnswer } from './model-turn.ts'
import type { ChatEvent } from './progress-log.ts'
import { type CheckOutput, compileOutput, repairText } from './structured-output.ts'
import { toContent } from './to-content.ts'
import { toMessages } from './to-messages.ts'
import { toPlain } from './to-plain.ts'
import type { Turn } from './turn.ts'
import { TurnCalls } from './turn-calls.ts'
import { fireTurnHooks } from './turn-hooks.ts'
import type { TurnResult } from './turn-input.ts'

const defaultTurns = 50

/** Runs a turn to its end. What was done before is not done again. */
export async function runTurn(turn: Turn): Promise<TurnResult> {
  const { thread, input } = turn
  await thread.log.catchUp()
  const isFirst = thread.log.items.length === 0
  turn.tell({ type: 'turn-start', turn: turn.id })
  await turn.append('user', { type: 'user', turn: turn.id, content: input.content })
  turn.host.name(thread, input.content)
  const loop = new TurnLoop(turn)
  return (await loop.prepare(isFirst)) ?? (await loop.run())
}

/** What a model said, and how much of the thread it had seen. */
type SeenAnswer = ModelAnswer & { readonly seen: number }

/** Model, calls, model, calls, until there is nothing more to do. */
class TurnLoop {
  readonly #turn: Turn
  #definition: ReadyDefinition
  #instructions: string | undefined
  readonly #calls: TurnCalls
  #check: CheckOutput | undefined
  #repaired = false
  #squeezed = false
  #usage: Required<Pick<Usage, 'inputTokens' | 'outputTokens'>> = {
    inputTokens: 0,
    outputTokens: 0,
  }
  #cost: number | undefined
  #said: readonly AssistantPart[] = []
  #output: JsonObject | undefined

  constructor(turn: Turn) {
    this.#turn = turn
    this.#definition = { ...turn.definition, instructions: undefined }
    this.#calls = new TurnCalls(turn)
  }

  /** Everything before the model is first asked; the end of the turn where it cannot be. */
  async prepare(isFirst: boolean): Promise<TurnResult | undefined> {
    const { thread, principal } = this.#turn
    const about = { thread: thread.id, agent: this.#turn.definition.name }
    if (isFirst) {
      const opened = await fireTurnHooks(this.#turn, 'session', about)
      if (opened.blocked !== undefined) return await this.#end('blocked', opened.blocked)
    }
    let definition: ReadyDefinition
    try {
      definition = readyFor(this.#turn.definition, principal)
    } catch (error) {
      return await this.#end('error', reasonOf(error))
    }
    const configured = await fireTurnHooks(this.#turn, 'config', {
      ...about,
      ...toPlain(definition),
    })
    if (configured.blocked !== undefined) return await this.#end('blocked', configured.blocked)
    const { thread: _thread, agent: _agent, ...left } = configured.value
    // Who it is and what it may use up is not a hook's to change.
    this.#definition = { ...definition, ...left, name: definition.name, limits: definition.limits }
    const { output } = this.#definition
    try {
      if (output) this.#check = compileOutput(definition.name, output)
      const { missing } = await this.#calls.list(this.#definition)
      const { caller } = this.#calls
      this.#instructions = await readInstructions(caller, this.#definition.instructions, missing)
    } catch (error) {
      const { stopped } = this.#turn
      if (stopped) return await this.#end(stopped.reason, stopped.text)
      return await this.#end('error', reasonOf(error))
    }
    return undefined
  }

  async run(): Promise<TurnResult> {
    for (let count = 1; ; count += 1) {
      const reached = this.#turn.stopped ?? this.#limit(count)
      if (reached) return await this.#end(reached.reason, reached.text)
      await this.#compact(count, false)
      const answer = await this.#ask(count)
      this.#count(answer.usage, answer.cost)
      if (await this.#squeeze(count, answer)) continue
      const end = await this.#take(count, answer)
      if (end) return end
    }
  }

  /** Keeps what the model said and does what it wants done; the end of the turn where it is one. */
  async #take(count: number, answer: SeenAnswer): Promise<TurnResult | undefined> {
    const { content, model, usage, cost, kind, seen } = answer
    const incomplete = kind !== 'finished'
    if (!incomplete || content.length > 0) {
      const item = {
        type: 'assistant' as const,
        turn: this.#turn.id,
        model,
        content,
        seen,
        usage,
        cost,
      }
      await this.#turn.append(`${count}`, incomplete ? { ...item, incomplete } : item)
      this.#said = content
    }
    if (kind !== 'finished') return await this.#fail(answer)
    const calls = content.filter((part): part is ToolCallPart => part.type === 'tool-call')
    if (calls.length > 0) {
      await this.#calls.make(this.#definition, count, calls, this.#limit(count)?.text)
      return undefined
    }
    return await this.#finish(count, answer)
  }

  async #finish(
    count: number,
    answer: SeenAnswer & { readonly kind: 'finished' },
  ): Promise<TurnResult | undefined> {
    if (this.#check) {
      const checked = this.#check(answer.content, answer.output)
      if ('issues' in checked) return await this.#repair(count, checked.issues)
      this.#output = checked.output
    }
    if (await this.#turn.hasNews(answer.seen)) return undefined
    if (answer.reason === 'content-filter') {
      return await this.#end('blocked', "the provider's filter stopped the answer")
    }
    if (answer.reason === 'length')
      return await this.#end('limit', 'the model may not say more at once')
    return await this.#end('done', undefined)
  }

  async #repair(count: number, issues: string): Promise<TurnResult | undefined> {
    if (this.#repaired) {
      return await this.#end('error', `the answer has not the shape that it must have: ${issues}`)
    }
    this.#repaired = true
    const content = [{ type: 'text' as const, text: repairText(issues) }]
    await this.#turn.append(`${count}:repair`, { type: 'user', turn: this.#turn.id, content })
    return undefined
  }

  async #fail(answer: ModelAnswer & { readonly message: string }): Promise<TurnResult> {
    const { stopped } = this.#turn
    if (stopped) return await this.#end(stopped.reason, stopped.text)
    return await this.#end(answer.kind === 'blocked' ? 'blocked' : 'error', answer.message)
  }

  #limit(count: number): { reason: EndReason; text: string } | undefined {
    const { turns = defaultTurns, tokens, cost } = this.#definition.limits ?? {}
    const reached = (text: string) => ({ reason: 'limit' as const, text })
    if (count > turns) return reached(`the limit of ${turns} questions to the model was reached`)
    if (tokens !== undefined && this.#tokens >= tokens) {
      return reached(`the limit of ${tokens} tokens was reached`)
    }
    if (cost !== undefined && (this.#cost ?? 0) >= cost) {
      return reached(`the limit of ${cost} in cost was reached`)
    }
    return undefined
  }

  get #tokens(): number {
    return this.#usage.inputTokens + this.#usage.outputTokens
  }

  #count({ inputTokens = 0, outputTokens = 0 }: Usage = {}, cost?: number): void {
    const { inputTokens: before, outputTokens: said } = this.#usage
    this.#usage = { inputTokens: before + inputTokens, outputTokens: said + outputTokens }
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost
  }

  async #ask(count: number): Promise<SeenAnswer> {
    const step = await this.#turn.step(`model-${count}`, true, async () => {
      const seen = this.#turn.thread.log.items.at(-1)?.sequence ?? 0
      return { ...(await this.#askAnew()), seen }
    })
    // A question may be asked again, so nothing of it is ever cut off for good.
    if (step.kind === 'finished') return step.value
    return {
      ...failed('STREAM_INTERRUPTED', 'The answer was cut off when its process ended.'),
      seen: 0,
    }
  }

  async #askAnew(): Promise<ModelAnswer> {
    const { hooks, cancellation } = this.#turn
    let model: Model
    try {
      model = this.#turn.model(this.#definition.model)
    } catch (error) {
      return failed('MODEL_UNKNOWN', reasonOf(error))
    }
    const wanted = this.#request()
    const { messages, instructions = '' } = wanted
    const asked = await fireTurnHooks(this.#turn, 'request', {
      model: model.name,
      instructions,
      messages,
    })
    if (asked.blocked !== undefined) return blocked(model.name, asked.blocked)
    const request = {
      ...wanted,
      messages: asked.value.messages,
      instructions: asked.value.instructions,
    }
    const chain = hooks?.for(this.#turn.definition.name, 'response', 'response')
    const isLookedAt = chain !== undefined && !chain.empty
    const held: ChatEvent[] = []
    const answer = await askModel(model, request, {
      signal: cancellation.signal,
      // What hooks have yet to look at is shown to nobody.
      onEvent: (event) => (isLookedAt ? held.push(event) : this.#turn.tell(event)),
    })
    return isLookedAt ? await this.#look(answer, held) : answer
  }

  /** Lets hooks look at what the model said, and tells what they leave of it. */
  async #look(answer: ModelAnswer, held: readonly ChatEvent[]): Promise<ModelAnswer> {
    const { model, usage, cost, content } = answer
    if (content.length === 0) return answer
    const seen = await fireTurnHooks(this.#turn, 'response', { model, content })
    if (seen.blocked !== undefined) return { ...blocked(model, seen.blocked), usage, cost }
    const left = seen.value.content
    if (left === content) {
      for (const event of held) this.#turn.tell(event)
      return answer
    }
    for (const part of left) {
      if (part.type === 'text') this.#turn.tell({ type: 'text-delta', id: 'left', text: part.text })
    }
    if (answer.kind !== 'finished') return { ...answer, content: left }
    // It was read from what the model had said.
    const { output: _said, ...rest } = answer
    return { ...rest, content: left }
  }

  #request(): ModelRequest {
    const { temperature, topP, maxOutputTokens, reasoning, output } = this.#definition
    return {
      messages: toMessages(this.#turn.thread.log.items),
      tools: this.#calls.tools.models,
      cache: { key: this.#turn.thread.id },
      ...(this.#instructions ? { instructions: this.#instructions } : {}),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(output === undefined ? {} : { output }),
    }
  }

  async #compact(count: number, isForced: boolean): Promise<boolean> {
    const { tools } = this.#calls
    const [definition, instructions] = [this.#definition, this.#instructions]
    const options = { definition, instructions, tools, count, isForced }
    const spent = await compactTurn(this.#turn, options)
    for (const usage of spent?.usage ?? []) this.#count(usage)
    this.#count(undefined, spent?.cost)
    return spent !== undefined
  }

  /** The model says that the conversation is too long: once more, with less of it. */
  async #squeeze(count: number, answer: ModelAnswer): Promise<boolean> {
    const isTooLong = answer.kind === 'failed' && answer.code === 'CONTEXT_TOO_LONG'
    if (!isTooLong || this.#squeezed) return false
    this.#squeezed = true
    return await this.#compact(count, true)
  }

  async #end(reason: EndReason, why: string | undefined): Promise<TurnResult> {
    const { id, thread } = this.#turn
    const text = why === undefined ? undefined : endText(reason, why)
    const usage = this.#usage
    const cost = this.#cost
    // Whose run it is not any more must not end it.
    await this.#turn.step('end', true, async () => reason)
    await this.#turn.append('end', { type: 'end', turn: id, reason, text, usage, cost })
    this.#turn.tell({ type: 'turn-end', reason, ...(text === undefined ? {} : { text }) })
    const content = [...toContent(this.#said), ...this.#calls.shown]
    if (text !== undefined) content.push({ type: 'text', text })
    if (content.length === 0) content.push({ type: 'text', text: '[no content]' })
    return toPlain({
      turn: id,
      thread: thread.id,
      reason,
      content,
      output: this.#output,
      tokens: this.#tokens,
      cost,
    })
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function failed(
  code: (ModelAnswer & { kind: 'failed' })['code'],
  message: string,
): ModelAnswer & { kind: 'failed' } {
  return { kind: 'failed', model: '', content: [], code, message }
}

function blocked(model: string, message: string): ModelAnswer & { kind: 'blocked' } {
  return { kind: 'blocked', model, content: [], message }
}
