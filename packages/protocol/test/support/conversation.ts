import {
  createWirePair,
  defineServer,
  initialize,
  type JsonObject,
  type Message,
  type MessageExtra,
  type MessageHandler,
  openSession,
  refusingCaller,
  type ServerDefinition,
  type ServerEnvironment,
  type ServerOptions,
  type Session,
  type SessionOptions,
  type Wire,
} from '../../src/index.ts'

/** A handler that refuses nothing and says nothing. */
export const silent: MessageHandler = { onMessage: () => ({}) }

/** Two sessions that talk to each other, and what passed between them. */
export interface Conversation extends AsyncDisposable {
  readonly client: Session
  readonly server: Session
  readonly fromClient: Message[]
  readonly fromServer: Message[]
}

export interface ConversationOptions {
  client?: MessageHandler
  clientOptions?: SessionOptions
  serverOptions?: SessionOptions
}

export async function openConversation(
  server: MessageHandler,
  options: ConversationOptions = {},
): Promise<Conversation> {
  const [near, far] = createWirePair()
  const fromClient = record(near)
  const fromServer = record(far)
  const client = await openSession(near, options.client ?? silent, options.clientOptions)
  const answering = await openSession(far, server, { kind: 'client', ...options.serverOptions })
  return {
    client,
    server: answering,
    fromClient,
    fromServer,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** A session whose other end is played by the test. */
export interface Scripted extends AsyncDisposable {
  readonly session: Session
  readonly wire: Wire
  /** What the session sent, and with what. */
  readonly sent: Message[]
  readonly extras: (object | undefined)[]
  say(message: object, extra?: MessageExtra): Promise<void>
}

export async function openScripted(
  handler: MessageHandler = silent,
  options: SessionOptions = {},
): Promise<Scripted> {
  const [near, far] = createWirePair()
  const sent: Message[] = []
  const extras: (object | undefined)[] = []
  far.onmessage = (message, extra) => {
    sent.push(message)
    extras.push(extra)
  }
  await far.start()
  const session = await openSession(near, handler, options)
  return {
    session,
    wire: far,
    sent,
    extras,
    say: (message, extra) =>
      far.send({ jsonrpc: '2.0', ...message } as Message, extra as { relatedRequestId?: string }),
    [Symbol.asyncDispose]: () => session.close(),
  }
}

/** What a server is built with here. */
export function environment(
  closing: AbortSignal = new AbortController().signal,
): ServerEnvironment {
  return { folder: '.', closing, callerFor: () => refusingCaller }
}

export async function build(
  definition: ServerDefinition,
  closing?: AbortSignal,
): Promise<MessageHandler> {
  return await definition.create(environment(closing))
}

function record(wire: Wire): Message[] {
  const sent: Message[] = []
  const send = wire.send.bind(wire)
  wire.send = (message, options) => {
    sent.push(message)
    return send(message, options)
  }
  return sent
}

export interface ServedOptions extends ConversationOptions {
  /** What the client declares. */
  capabilities?: JsonObject
  closing?: AbortSignal
}

/** A server of these parts, and a client that has shaken hands with it. */
export async function openServer(
  parts: Partial<ServerOptions>,
  { capabilities = {}, closing, ...options }: ServedOptions = {},
): Promise<Conversation> {
  const definition = defineServer({ name: 'test', version: '1', ...parts })
  const talk = await openConversation(await build(definition, closing), options)
  await initialize(talk.client, { info: { name: 'client', version: '1' }, capabilities })
  talk.fromClient.length = 0
  talk.fromServer.length = 0
  return talk
}

/** The text of a call's first content block, with what kind of result it is. */
export async function callText(session: Session, name: string, args?: unknown): Promise<string> {
  const params = args === undefined ? { name } : { name, arguments: args }
  const { content, isError } = await session.request('tools/call', params)
  const [block] = content as { text: string }[]
  return `${isError === true ? 'failed: ' : ''}${block?.text}`
}

/** The number and text of the error that a request ends with. */
export async function errorOf(answer: Promise<unknown>): Promise<string> {
  return await answer.then(
    () => 'no error',
    (error: { number?: number; message: string }) => `${error.number} ${error.message}`,
  )
}
