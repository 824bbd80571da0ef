import type { JsonObject, Recorded } from '../probe/recording.ts'
import { asObject, nonceKey } from '../probe/session.ts'

/** A request, its answer and what passed in between, as one end saw them. */
export interface Exchange {
  request: JsonObject
  /** Without `id` and `jsonrpc`; `undefined` while there is none. */
  answer: { result?: unknown; error?: unknown } | undefined
  /** What passed on the same conversation until the answer. */
  during: Recorded[]
  /** Everything that passed on the same conversation. */
  conversation: Recorded[]
}

/** The exchange whose request carries the nonce, if this end saw it. */
export function findExchange(records: readonly Recorded[], nonce: string): Exchange | undefined {
  const start = records.findIndex(
    ({ message }) => asObject(asObject(message.params)._meta)[nonceKey] === nonce,
  )
  const opening = records[start]
  if (opening === undefined) {
    return undefined
  }
  const isSameConversation = ({ pid, session }: Recorded): boolean =>
    pid === opening.pid && session === opening.session
  const later = records.slice(start + 1).filter(isSameConversation)
  const end = later.findIndex(
    ({ direction, message }) =>
      direction !== opening.direction &&
      message.id === opening.message.id &&
      !('method' in message),
  )
  const { id: _, jsonrpc: __, ...answer } = later[end]?.message ?? {}
  return {
    request: opening.message,
    answer: end < 0 ? undefined : answer,
    during: end < 0 ? later : later.slice(0, end),
    conversation: records.filter(isSameConversation),
  }
}
