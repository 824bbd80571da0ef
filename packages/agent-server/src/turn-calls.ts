import type { ToolCallPart } from '@mobius-mcp/models'
import type { Caller, JsonObject } from '@mobius-mcp/protocol'
import type { AgentDefinition } from './agent-definition.ts'
import { type AgentTool, type AgentTools, listTools } from './agent-tools.ts'
import type { ResultItem } from './items.ts'
import { readOwnResource, spillUri } from './own-resources.ts'
import { readResourceName } from './read-resource.ts'
import { StepContext } from './step-context.ts'
import { type CallOutcome, failure, makeCall } from './tool-call.ts'
import type { Turn } from './turn.ts'

/** The calls of one turn: each is made once, and what came of it stands in the thread. */
export class TurnCalls {
  /** What is to be shown to a person as it came. */
  readonly shown: JsonObject[] = []
  readonly #turn: Turn
  #tools: AgentTools = { byName: new Map(), models: [], servers: new Set(), missing: [] }

  constructor(turn: Turn) {
    this.#turn = turn
  }

  get tools(): AgentTools {
    return this.#tools
  }

  get caller(): Caller {
    return this.#caller('prepare')
  }

  /** Lists what may be called. */
  async list(definition: AgentDefinition): Promise<AgentTools> {
    this.#tools = await listTools(this.caller, definition)
    return this.#tools
  }

  /** Side by side where all of them only read, else one after the other. Where there is a refusal, none is made. */
  async make(
    definition: AgentDefinition,
    count: number,
    calls: readonly ToolCallPart[],
    refusal: string | undefined,
  ): Promise<void> {
    if (calls.some(({ name }) => !this.#isKnown(name))) {
      // It may have come since the turn began.
      await this.list(definition).catch(() => this.#tools)
    }
    const one = (call: ToolCallPart, index: number) => this.#one(call, `${count}:${index}`, refusal)
    if (calls.every(({ name }) => this.#tools.byName.get(name)?.readOnly ?? true)) {
      await Promise.all(calls.map(one))
      return
    }
    for (const [index, call] of calls.entries()) await one(call, index)
  }

  async #one(call: ToolCallPart, place: string, refusal: string | undefined): Promise<void> {
    const why = this.#turn.stopped?.text ?? refusal
    const step = `call-${place}`
    const outcome =
      why === undefined
        ? await this.#makeOnce(call, step)
        : await this.#refuse(step, `The call was not made: ${why}.`)
    const { id, name } = call
    const { content, isError, whole, shown } = outcome
    this.shown.push(...(shown ?? []))
    const item: ResultItem = {
      type: 'result',
      turn: this.#turn.id,
      call: id,
      name,
      content,
      isError,
      whole,
    }
    await this.#turn.append(place, item)
    this.#turn.tell({ type: 'tool-result', id, name, isError: isError === true })
  }

  /** That it was not made is recorded too, or whoever takes the turn up would make it. */
  async #refuse(step: string, text: string): Promise<CallOutcome> {
    const outcome = await this.#turn.step(step, true, async () => failure(text))
    return outcome.kind === 'finished' ? outcome.value : failure(text)
  }

  async #makeOnce(call: ToolCallPart, step: string): Promise<CallOutcome> {
    const tool = this.#tools.byName.get(call.name)
    // Until it is sent it may begin anew: hooks, rules and people may take long, and do nothing.
    const outcome = await this.#turn.step(step, true, () =>
      this.#turn.wasDone(sendingOf(step)) ? this.#interrupted(step) : this.#make(call, tool, step),
    )
    return outcome.kind === 'finished' ? outcome.value : await this.#interrupted(step)
  }

  /** It was sent, and its process ended before it had come to anything. */
  async #interrupted(step: string): Promise<CallOutcome> {
    const { questions, clock } = this.#turn.host
    const reason = 'the call that asked was cut off'
    await questions.voidAsker(`${this.#turn.id}:${step}`, { reason, at: clock.now() })
    return failure(
      'The call was interrupted when the process that made it ended. Nobody knows whether it was done: find out before you make it again.',
    )
  }

  async #make(call: ToolCallPart, tool: AgentTool | undefined, step: string): Promise<CallOutcome> {
    const { thread, host, id } = this.#turn
    const made = await makeCall(call, tool, {
      caller: this.#caller(step),
      thread: thread.id,
      step: `${id}.${step}`,
      onSend: (sent) => this.#recordSending(sent, step),
      limit: host.resultLimit,
      servers: this.#tools.servers,
      tell: (event) => this.#turn.tell(event),
      spill: async (result) => {
        // A name of its own each time: what a broken-off attempt kept is not this one's.
        const item = `spill-${crypto.randomUUID()}`
        const sequence = await this.#turn.append(item, { type: 'spill', turn: id, result })
        return spillUri(thread.id, sequence)
      },
      readOwn: async (uri) => readOwnResource(thread, uri),
    })
    const { stopped } = this.#turn
    if (!stopped || made.isError !== true) return made
    return failure(`The call was cancelled: ${stopped.text}. It may have been done all the same.`)
  }

  /** What may be done twice need not be known to have been sent. */
  async #recordSending({ idempotent }: AgentTool, step: string): Promise<void> {
    if (!idempotent) await this.#turn.step(sendingOf(step), true, async () => null)
  }

  #isKnown(name: string): boolean {
    return this.#tools.byName.has(name) || name === readResourceName
  }

  #caller(step: string): Caller {
    return this.#turn.callerFor(new StepContext(this.#turn, step))
  }
}

/** The step that is done when a call is about to be sent. */
function sendingOf(step: string): string {
  return `${step}:sending`
}
