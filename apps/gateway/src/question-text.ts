import type { JsonObject } from '@mobius-mcp/protocol'
import type { QuestionReport } from '@mobius-mcp/server-meta'

const longestArguments = 1000

/** The form that a person is shown. */
export function toElicitation(question: QuestionReport): JsonObject {
  return {
    message: describeQuestion(question),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', enum: ['approve', 'deny'] },
        reason: { type: 'string', title: 'Reason', description: 'Told to whoever made the call' },
      },
      required: ['decision'],
    },
  }
}

/** One question for a person: what is asked, by whom, and why it is. */
export function describeQuestion(question: QuestionReport): string {
  const { server, method, name, principal, origin, rule } = question
  const what = name === '' ? `${server} ${method}` : `${server}/${name}`
  const who = origin === 'client' ? principal : `${principal}, by ${origin},`
  const why = rule === undefined ? '' : ` (${rule})`
  const text = JSON.stringify(question.arguments ?? {})
  const shown =
    text.length <= longestArguments ? text : `${text.slice(0, longestArguments)}… (${text.length})`
  return `May ${plain(who)} call ${plain(what)}${plain(why)}? Arguments: ${plain(shown)}`
}

/** Names and arguments come from anywhere: nothing in them moves a cursor or hides a character. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`
  })
}
