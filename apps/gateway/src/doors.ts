import type { Configuration } from '@mobius-mcp/config'
import {
  type Authenticate,
  createHttpHost,
  type HttpHost,
  type OpenSessionStore,
} from '@mobius-mcp/http-host'
import type {
  MessageContext,
  MessageHandler,
  NotificationMessage,
  Principal,
  RequestMessage,
} from '@mobius-mcp/protocol'
import type { Metrics } from '@mobius-mcp/telemetry'
import type { ToolsService, ViewSource } from '@mobius-mcp/tools-service'
import { addMetricsRoute } from './metrics-route.ts'
import type { OperatorSignIn } from './operator-sign-in.ts'
import { isOperator } from './operators.ts'
import type { Questions } from './questions.ts'
import type { Variables } from './variables.ts'
import { askForVariables } from './variables-door.ts'
import type { Views } from './views.ts'

export interface DoorsOptions {
  readonly service: ToolsService
  readonly views: Views
  readonly questions: Questions
  readonly variables: Variables
  readonly authenticate: Authenticate
  readonly signIn: OperatorSignIn
  readonly metrics: Metrics
  /** Where sessions are kept, so that they live through a restart. */
  readonly openStore: OpenSessionStore
  /** The configuration of the moment; what the host is made with is that of the start. */
  current(): Configuration
  /** Told of what is our own fault. */
  onError(error: Error): void
}

/**
 * The doors: `/mcp` for all that is published, `/mcp/chat` for the agents alone, `/mcp/g/<group>` for
 * a group of it, `/mcp/s/<server>` for one server as it is, `/metrics`, and the address at which a browser becomes the operator's.
 */
export function createDoors(options: DoorsOptions): HttpHost {
  const http = options.current().http
  const host = createHttpHost({
    route: createRoute(options),
    authenticate: options.authenticate,
    allowedHosts: http.allowedHosts,
    allowedOrigins: http.allowedOrigins,
    trustedProxies: http.trustedProxies,
    maxBodyBytes: http.maxBodyBytes,
    keepAlive: http.keepAlive,
    sessions: http.sessions,
    store: options.openStore,
    onError: options.onError,
  })
  options.signIn.mount(host.app)
  addMetricsRoute(host.app, options)
  return host
}

const serverPrefix = '/mcp/s/'
const groupPrefix = '/mcp/g/'

function createRoute({
  service,
  views,
  questions,
  variables,
  current,
}: DoorsOptions): (path: string, principal: Principal) => MessageHandler | undefined {
  const forClients = new Map<string, MessageHandler>()
  const forOperators = new Map<string, MessageHandler>()

  const publish = (view: ViewSource) => askForVariables(service.publish(view), variables)
  const make = (path: string): MessageHandler | undefined => {
    if (path === '/mcp') return publish(views.all)
    if (path === '/mcp/chat') return publish(views.agents)
    if (path.startsWith(groupPrefix)) {
      return publish(views.group(decode(path.slice(groupPrefix.length))))
    }
    return service.publishServer(decode(path.slice(serverPrefix.length)), views.single)
  }

  const isThere = (path: string): boolean => {
    if (path === '/mcp' || path === '/mcp/chat') return true
    if (path.startsWith(serverPrefix)) return true
    if (!path.startsWith(groupPrefix)) return false
    return current().groups[decode(path.slice(groupPrefix.length))] !== undefined
  }

  return (path, principal) => {
    if (!isThere(path)) return undefined
    const operator = isOperator(principal)
    const handlers = operator ? forOperators : forClients
    const known = handlers.get(path)
    if (known) return known
    const made = make(path)
    if (!made) return undefined
    const handler = operator ? new OperatorDoor(made, questions) : made
    handlers.set(path, handler)
    return handler
  }
}

/** Whoever comes in here is also asked what only an operator may answer. */
class OperatorDoor implements MessageHandler {
  readonly #inner: MessageHandler
  readonly #questions: Questions

  constructor(inner: MessageHandler, questions: Questions) {
    this.#inner = inner
    this.#questions = questions
  }

  onMessage(message: RequestMessage | NotificationMessage, context: MessageContext): unknown {
    if (message.method === 'notifications/initialized') {
      this.#questions.addOperator(context.session, context.principal)
    }
    return this.#inner.onMessage(message, context)
  }
}

/** What cannot be decoded is nobody's name. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
