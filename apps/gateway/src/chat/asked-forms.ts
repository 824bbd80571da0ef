import { isObject, type JsonObject, ProtocolError } from '@mobius-mcp/protocol'
import type { CommandClient } from '../attach.ts'
import type { UsedGateway } from '../use-gateway.ts'
import { answerForm, type FormAnswer } from './answer-form.ts'
import { callMeta, withMeta } from './records.ts'
import type { Terminal } from './terminal.ts'

/** Answers what servers ask, by asking whoever sits at the terminal. */
export function clientAt(terminal: Terminal): CommandClient {
  return {
    capabilities: { elicitation: { form: {}, url: {} } },
    handler: {
      onMessage(message, context) {
        const { method, params = {} } = message
        if (method === 'elicitation/create') return answerAt(terminal, params, context.signal)
        if ('id' in message) {
          throw new ProtocolError('METHOD_NOT_FOUND', `Method not found: ${method}`)
        }
        return undefined
      },
    },
  }
}

/** What was asked before the person came, perhaps before the gateway was started again. */
export async function answerWhatWaits(
  gateway: UsedGateway,
  thread: string,
  terminal: Terminal,
): Promise<void> {
  await withMeta(gateway, async (session) => {
    const { questions } = await callMeta(session, 'list_questions')
    for (const question of Array.isArray(questions) ? questions.filter(isObject) : []) {
      if (question.kind !== 'form' || question.thread !== thread) continue
      const params = isObject(question.params) ? question.params : {}
      const answer = await answerAt(terminal, params)
      // Who does not want to say now may say later.
      if (answer.action === 'cancel') continue
      const answering = callMeta(session, 'answer_question', { id: question.id, ...answer })
      await answering.catch(() => terminal.screen.line('  It was answered elsewhere.', 'dim'))
    }
  })
}

async function answerAt(
  terminal: Terminal,
  params: JsonObject,
  signal?: AbortSignal,
): Promise<FormAnswer> {
  return await terminal.interview((ask) =>
    answerForm(params, {
      ask,
      signal,
      say: (text) => terminal.say(text),
      openUrl: async (url) => (await import('@mobius-mcp/auth')).openBrowser(url),
    }),
  )
}
