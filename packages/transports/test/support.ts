import {
  initialize,
  type JsonObject,
  type MessageContext,
  type MessageHandler,
  openSession,
  type Session,
  type Wire,
} from '@mobius-mcp/protocol'
import {
  type ConnectEnvironment,
  connect,
  type HttpOptions,
  type LogLine,
  type ServerOptions,
} from '@mobius-mcp/transports'

/** A session over a wire, and everything that was said beside its answers. */
export interface TestSession extends AsyncDisposable {
  readonly session: Session
  readonly wire: Wire
  readonly heard: { method: string; params: JsonObject | undefined; relatedTo: unknown }[]
  readonly logs: LogLine[]
  readonly errors: Error[]
  readonly closed: Promise<string>
  request(method: string, params?: JsonObject): Promise<JsonObject>
}

export async function openTestSession(
  options: ServerOptions,
  environment: ConnectEnvironment = {},
): Promise<TestSession> {
  const heard: TestSession['heard'] = []
  const logs: LogLine[] = []
  const errors: Error[] = []
  const log = (line: LogLine) => void logs.push(line)
  const wire = await connect(options, { graces: { stdin: 300, term: 300 }, log, ...environment })
  const handler: MessageHandler = {
    onMessage(message, context: MessageContext) {
      heard.push({ method: message.method, params: message.params, relatedTo: context.relatedTo })
      return { answered: message.method }
    },
  }
  const session = await openSession(wire, handler, { onError: (error) => void errors.push(error) })
  const closed = new Promise<string>((resolve) => {
    session.ending.listen({ onCancel: (reason) => resolve(String(reason)) })
  })
  return {
    session,
    wire,
    heard,
    logs,
    errors,
    closed,
    request: (method, params = {}) => session.request(method, params),
    [Symbol.asyncDispose]: () => session.close('the test is over'),
  }
}

export function openHttp(
  url: string,
  options: Partial<HttpOptions> = {},
  environment: ConnectEnvironment = {},
): Promise<TestSession> {
  return openTestSession({ type: 'http', url, ...options }, environment)
}

export async function openInitialized(
  url: string,
  type: 'http' | 'sse' = 'http',
): Promise<TestSession> {
  const client = await openTestSession({ type, url })
  await initialize(client.session, { info: { name: 'test', version: '1' }, capabilities: {} })
  return client
}

/** Waits until a condition holds, as it soon must. */
export async function until(condition: () => boolean, within = 5000): Promise<void> {
  const deadline = Date.now() + within
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`It never happened: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The message of what a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  const error = await failureOf(promise)
  return error.message
}

export async function failureOf(
  promise: Promise<unknown>,
): Promise<Error & { code?: unknown; status?: unknown }> {
  try {
    await promise
  } catch (error) {
    return error as Error
  }
  throw new Error('It succeeded, and was expected to fail')
}
