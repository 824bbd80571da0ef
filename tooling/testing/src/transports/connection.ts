import type {
  JsonObject,
  MessageHandler,
  ServerDefinition,
  Session,
  SessionOptions,
} from '@mobius-mcp/protocol'

/** The ways in which a test reaches its server. */
export const transportNames = ['in process', 'wire pair', 'stdio', 'http', 'sse'] as const

export type TransportName = (typeof transportNames)[number]

/** What the client of a test is like. */
export interface ConnectOptions extends Pick<SessionOptions, 'timeouts' | 'onError'> {
  /** Answers what the server says; by default every request with an empty result. */
  readonly client?: MessageHandler | undefined
  /** What the client declares; nothing by default. */
  readonly capabilities?: JsonObject | undefined
}

/** A client that has shaken hands with the server. Disposing of it ends both. */
export interface Connection extends AsyncDisposable {
  readonly session: Session
}

/**
 * Builds the server that a module makes, and reaches it. The module exports one function that is
 * called `create…Server` and needs no arguments, so that another process can call it too.
 */
export type Connect = (module: URL, options?: ConnectOptions) => Promise<Connection>

/** One way to reach a server. What it opens goes onto the stack. */
export type OpenSession = (
  module: URL,
  options: ConnectOptions & { readonly client: MessageHandler },
  stack: AsyncDisposableStack,
) => Promise<Session>

/** The definition that a module makes. */
export async function loadDefinition(module: URL): Promise<ServerDefinition> {
  const exports = (await import(module.href)) as Record<string, unknown>
  const [create, ...more] = Object.entries(exports).filter(([name]) =>
    /^create\w*Server$/.test(name),
  )
  if (!create || more.length > 0 || typeof create[1] !== 'function') {
    const found = Object.keys(exports).join(', ') || 'nothing'
    throw new Error(`${module.href} must export one function create…Server; it exports ${found}.`)
  }
  return create[1]()
}
