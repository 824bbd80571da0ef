import { type CallResult, isObject, type JsonObject } from '@mobius-mcp/protocol'
import type { QuestionReport } from '@mobius-mcp/server-meta'
import { showText } from '@mobius-mcp/telemetry'
import { withRunning } from '../attach.ts'
import { CommandConfiguration } from '../command-configuration.ts'
import { formatResult } from '../format-result.ts'
import { formatTable } from '../format-table.ts'
import type { ConfigOptions } from '../program.ts'
import { describeQuestion } from '../question-text.ts'

export interface QuestionsOptions extends ConfigOptions {
  json?: boolean
}

/** `mobius questions`: what waits for an answer: calls that need an approval, and forms in this user's threads. */
export async function questions(options: QuestionsOptions): Promise<number> {
  const place = { server: 'meta', purpose: 'list questions' }
  return await withRunning(await stateOf(options), place, async (session) => {
    const { contents } = await session.request('resources/read', { uri: 'question:///open' })
    const open = readQuestions(contents)
    if (options.json) process.stdout.write(`${JSON.stringify(open, null, 2)}\n`)
    else if (open.length === 0) process.stderr.write('Nothing waits for an answer.\n')
    else process.stdout.write(format(open))
    return 0
  })
}

export interface AnswerOptions extends ConfigOptions {
  reason?: string
}

/** `mobius approve` and `mobius deny`. The exit code is 1 where no such question is open. */
export async function answer(
  id: string,
  decision: 'approve' | 'deny',
  options: AnswerOptions,
): Promise<number> {
  const place = { server: 'meta', purpose: `${decision} a call` }
  return await withRunning(await stateOf(options), place, async (session) => {
    const { reason } = options
    const args = { id, decision, ...(reason === undefined ? {} : { reason }) }
    const params = { name: 'answer_question', arguments: args }
    const result = (await session.request('tools/call', params)) as CallResult
    if (result.isError === true) {
      process.stderr.write(formatResult(result))
      return 1
    }
    process.stderr.write(decision === 'approve' ? 'Approved.\n' : 'Denied.\n')
    return 0
  })
}

function stateOf(options: ConfigOptions): Promise<string> {
  return new CommandConfiguration(options).state()
}

/** A question as `question:///open` shows it. */
type ShownQuestion =
  | (QuestionReport & { readonly kind: 'approval' })
  | {
      readonly kind: 'form'
      readonly id: string
      readonly thread: string
      readonly params: JsonObject
    }

function readQuestions(contents: unknown): readonly ShownQuestion[] {
  const [first] = Array.isArray(contents) ? contents : []
  const text = isObject(first) && typeof first.text === 'string' ? first.text : '{}'
  const value: unknown = JSON.parse(text)
  return isObject(value) && Array.isArray(value.questions)
    ? (value.questions as unknown as readonly ShownQuestion[])
    : []
}

function format(open: readonly ShownQuestion[]): string {
  const rows = open.map((question) => [question.id, describe(question)])
  return formatTable(['id', 'question'], rows)
}

function describe(question: ShownQuestion): string {
  if (question.kind === 'approval') return describeQuestion(question)
  const { thread, params } = question
  const asked = showText(String(params.message ?? ''))
  return `${asked} (to answer: mobius chat --thread ${showText(thread)})`
}
