import { openRawSession, type RawSession } from '../../../src/fidelity/raw-session.ts'
import type { JsonObject } from '../../../src/probe/recording.ts'
import { asObject } from '../../../src/probe/session.ts'

/** A client with nothing of an SDK in it, so that nothing of it heals what it should show. */
export interface CaseClient extends RawSession {
  /** What a request was answered with: a result or an error, whatever came before it. */
  ask(method: string, params?: JsonObject): Promise<JsonObject>
  /** The names on the list of tools. */
  names(): Promise<string[]>
  /** Those of configured servers among them. */
  serverNames(): Promise<string[]>
  /** A call's first text, or its error as "code message". */
  text(name: string, args?: JsonObject): Promise<string>
}

/** Opens a session. Without disposing of it, it is never ended from this side. */
export async function openClient(url: string): Promise<CaseClient> {
  const session = await openRawSession(url)
  const ask: CaseClient['ask'] = async (method, params = {}) => {
    const id = crypto.randomUUID()
    const answer = await session.post({ jsonrpc: '2.0', id, method, params })
    return (await answer.messages()).at(-1) ?? {}
  }
  const names: CaseClient['names'] = async () => {
    const { tools } = asObject((await ask('tools/list')).result)
    return (tools as { name: string }[]).map(({ name }) => name)
  }
  return {
    ...session,
    ask,
    names,
    serverNames: async () => (await names()).filter(isOfServer),
    async text(name, args = {}) {
      const { result, error } = await ask('tools/call', { name, arguments: args })
      if (error !== undefined) return `${asObject(error).code} ${asObject(error).message}`
      const { content } = result as { content: { text: string }[] }
      return content[0]?.text ?? ''
    },
  }
}

/** Whether a tool is not one of the gateway's own. */
export function isOfServer(name: string): boolean {
  return !(name.startsWith('meta__') || name.startsWith('chat-with-'))
}

/** The process of the server that answered a call with its name. */
export function pidIn(text: string): number {
  return Number(/ by (\d+)$/.exec(text)?.[1])
}
