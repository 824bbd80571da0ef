import { createInterface } from 'node:readline/promises'
import { localPrincipal } from '@mobius-mcp/protocol'
import type { QuestionReport } from '@mobius-mcp/server-meta'
import { describeQuestion } from './question-text.ts'
import type { Questions } from './questions.ts'

/** Has the person at the terminal answer; where nobody sits there, the answer is no. */
export async function answerInTerminal(
  questions: Questions,
  question: QuestionReport,
): Promise<void> {
  const { stdin, stderr } = process
  if (!stdin.isTTY || !stderr.isTTY) {
    const reason =
      'nobody is here to approve it: run the command in a terminal, or through a gateway that runs'
    questions.answer(question.id, false, localPrincipal, reason)
    return
  }
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    const answer = await lines.question(`${describeQuestion(question)}\nApprove? [y/N] `)
    questions.answer(question.id, /^y(es)?$/i.test(answer.trim()), localPrincipal)
  } finally {
    lines.close()
  }
}
