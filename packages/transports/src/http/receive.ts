import { type Message, parseMessage, toMessage } from '@mobius-mcp/protocol'
import type { EventSourceMessage } from 'eventsource-parser'
import { answerToMalformed } from '../malformed.ts'

/** Who takes what the server said. */
export interface Receiver {
  onMessage(message: Message): void
  /** Something that is no message. */
  onProblem(error: Error): void
}

/** Hands on the message in an event; events of other names and empty ones are none. */
export function receiveEvent(event: EventSourceMessage, receiver: Receiver): void {
  if (event.data === '' || (event.event !== undefined && event.event !== 'message')) return
  receive(() => parseMessage(event.data), receiver)
}

/** Hands on the message in a JSON body, or the messages: revision 2025-03-26 had batches. */
export function receiveJson(text: string, receiver: Receiver): void {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    receiver.onProblem(error as Error)
    return
  }
  for (const item of Array.isArray(value) ? value : [value])
    receive(() => toMessage(item), receiver)
}

function receive(read: () => Message, receiver: Receiver): void {
  let message: Message | undefined
  try {
    message = read()
  } catch (error) {
    receiver.onProblem(error as Error)
    message = answerToMalformed(error)
  }
  if (message) receiver.onMessage(message)
}
