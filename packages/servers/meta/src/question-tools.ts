import {
  type JsonObject,
  type Principal,
  ProtocolError,
  type Tool,
  type ToolContext,
  tool,
} from '@mobius-mcp/protocol'
import { z } from 'zod'
import type { AskedReport, Chats } from './chat-contracts.ts'
import type { Operations, QuestionReport } from './contracts.ts'
import { isVisible } from './is-visible.ts'

/** Where questions come from. */
export interface QuestionSources {
  readonly operations?: Operations | undefined
  readonly chats?: Chats | undefined
}

const json = z.record(z.string(), z.json())

const approvalShape = z.object({
  kind: z.literal('approval'),
  id: z.string(),
  askedAt: z.string().describe('As ISO 8601'),
  until: z.string().describe('When it counts as denied'),
  call: z.string().describe('The id of the call that waits'),
  principal: z.string(),
  issuer: z.string().exactOptional(),
  origin: z.string().describe('What made the call'),
  thread: z.string().exactOptional().describe('The conversation that the call was made in'),
  server: z.string(),
  method: z.string(),
  name: z.string(),
  arguments: json.exactOptional(),
  rule: z.string().exactOptional().describe('The rule that asks'),
})

const formShape = z.object({
  kind: z.literal('form'),
  id: z.string(),
  askedAt: z.string().describe('As ISO 8601'),
  thread: z.string().describe('The conversation that it was asked in'),
  params: json.describe('Those of elicitation/create: a message, and a form or an address'),
})

const questionShape = z.discriminatedUnion('kind', [approvalShape, formShape])
const questionsShape = z.object({ questions: z.array(questionShape) })

/** The tools about questions. Everybody sees them: who may answer depends on the question. */
export function questionTools(sources: QuestionSources): Readonly<Record<string, Tool>> {
  return {
    list_questions: tool({
      title: 'List questions',
      description:
        'Lists what waits for an answer: calls that need an approval, and forms that servers want filled in in your conversations. answer_question answers them.',
      input: z.object({}),
      output: questionsShape,
      annotations: { readOnlyHint: true, openWorldHint: false },
      run: (_input, context) => showQuestions(sources, context),
    }),
    answer_question: answerQuestionTool(sources),
  }
}

/** The open questions that whoever asks may see, as JSON. */
export async function readQuestions(
  sources: QuestionSources,
  context: Pick<ToolContext, 'principal' | 'call'>,
): Promise<string> {
  return JSON.stringify(await showQuestions(sources, context), null, 2)
}

/** Calls back when there may be other questions for a principal; returns its own undo. */
export function watchQuestions(
  { operations, chats }: QuestionSources,
  principal: Principal,
  listener: () => void,
): () => void {
  const stops = [operations?.watchQuestions(listener), chats?.watch(principal, listener)]
  return () => {
    for (const stop of stops) stop?.()
  }
}

async function showQuestions(
  { operations, chats }: QuestionSources,
  context: Pick<ToolContext, 'principal' | 'call'>,
): Promise<z.infer<typeof questionsShape>> {
  const approvals = operations?.questions() ?? []
  const asked = chats && isPerson(chats, context) ? await chats.asked(context.principal) : []
  return {
    questions: [
      ...approvals.filter((question) => isVisible(question, context.principal)).map(showApproval),
      ...asked.map(showForm),
    ],
  }
}

const answerShape = z.object({
  id: z.string().min(1),
  decision: z.enum(['approve', 'deny']).exactOptional().describe('To an approval'),
  reason: z.string().exactOptional().describe('With a decision: told to whoever made the call'),
  action: z.enum(['accept', 'decline', 'cancel']).exactOptional().describe('To a form'),
  content: json.exactOptional().describe('With "accept": the fields of the form'),
})

function answerQuestionTool({ operations, chats }: QuestionSources): Tool {
  return tool({
    title: 'Answer a question',
    description:
      'Answers what waits in question:///open: an approval with "decision", which needs an operator; a form in one of your conversations with "action".',
    input: answerShape,
    output: answerShape.pick({ id: true, decision: true, action: true }),
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    async run({ id, decision, reason, action, content }, context) {
      if (decision !== undefined && action === undefined) {
        operations?.require(context, 'Answering a question')
        const approved = decision === 'approve'
        const isFirst = operations?.answer(id, approved, context.principal, reason)
        return isFirst ? { id, decision } : notOpen('No open question', id)
      }
      if (action === undefined || decision !== undefined) throw oneOfBoth()
      chats?.requirePerson(context, 'Answering a question')
      const answer: JsonObject =
        action === 'accept' ? { action, content: content ?? {} } : { action }
      const isFirst = await chats?.answer(context.principal, id, answer)
      return isFirst ? { id, action } : notOpen('No open question of yours', id)
    },
  })
}

function oneOfBoth(): ProtocolError {
  return new ProtocolError(
    'INVALID_PARAMS',
    'Invalid arguments for tool answer_question: expected either "decision", for an approval, or "action", for a form',
  )
}

function notOpen(what: string, id: string): never {
  throw new Error(
    `${what} has the id "${id}": it was answered, whoever asked left, or its time was up. The open ones are in question:///open.`,
  )
}

function isPerson(chats: Chats, context: Pick<ToolContext, 'call'>): boolean {
  try {
    chats.requirePerson(context, 'Reading questions')
    return true
  } catch {
    return false
  }
}

function showApproval(question: QuestionReport): z.infer<typeof approvalShape> {
  const { askedAt, until, issuer, thread, arguments: args, rule, ...rest } = question
  return {
    kind: 'approval',
    ...rest,
    ...(issuer === undefined ? {} : { issuer }),
    ...(thread === undefined ? {} : { thread }),
    // What came as JSON is.
    ...(args === undefined ? {} : { arguments: args as z.infer<typeof json> }),
    ...(rule === undefined ? {} : { rule }),
    askedAt: new Date(askedAt).toISOString(),
    until: new Date(until).toISOString(),
  }
}

function showForm({ id, thread, askedAt, params }: AskedReport): z.infer<typeof formShape> {
  return {
    kind: 'form',
    id,
    thread,
    askedAt: new Date(askedAt).toISOString(),
    // What came as JSON is.
    params: params as z.infer<typeof json>,
  }
}
