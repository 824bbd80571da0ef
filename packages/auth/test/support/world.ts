import { inspect } from 'node:util'
import { createSignIn, type RemoteServer, type SignIn, type SignInOptions } from '@mobius-mcp/auth'
import {
  AuthNeededError,
  initialize,
  isAuthNeeded,
  openSession,
  type PendingLogin,
  type Session,
  toErrorObject,
} from '@mobius-mcp/protocol'
import { createTestClock, type TestClock } from '@mobius-mcp/testing'
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  openAuthorizationServer,
} from '@mobius-mcp/testing/sign-in/authorization-server.ts'
import { visit } from '@mobius-mcp/testing/sign-in/browser.ts'
import {
  type NotesServer,
  type NotesServerOptions,
  openNotesServer,
} from '@mobius-mcp/testing/sign-in/notes-server.ts'
import { connect } from '@mobius-mcp/transports'
import { expect } from 'vitest'

export const ann = { id: 'ann' } as const
export const bob = { id: 'bob', issuer: 'https://people.example' } as const

export interface WorldOptions {
  readonly authority?: AuthorizationServerOptions
  readonly notes?: NotesServerOptions
  readonly signIn?: SignInOptions
  readonly server?: Partial<RemoteServer>
}

/** A sign-in whose URL whoever asked was told. */
type LoginToVisit = PendingLogin & { readonly url: string }

function saysWhere(login: PendingLogin): login is LoginToVisit {
  return login.url !== undefined
}

/** A server that wants a sign-in, where to sign in, and we. */
export interface World extends AsyncDisposable {
  readonly authority: AuthorizationServer
  readonly notes: NotesServer
  /** As it is configured. */
  server: RemoteServer
  readonly signIn: SignIn
  readonly clock: TestClock
  /** Every text that came out. */
  readonly heard: string[]
  /** Opens a conversation with the server; it ends with the world. */
  open(principal?: typeof ann | typeof bob, signIn?: SignIn): Promise<Session>
  /** Calls a tool in a conversation of its own. */
  call(tool: 'read' | 'write', principal?: typeof ann | typeof bob): Promise<string>
  /** Signs in as a person does who is sent to the browser by a call. */
  signInBy(principal?: typeof ann | typeof bob): Promise<void>
  /** How often tokens were asked for with a refresh token. */
  refreshes(): number
  /** The sign-in that a call ends with. */
  needed(work: Promise<unknown>): Promise<LoginToVisit>
  /** What a promise rejects with, put on record. */
  failure(work: Promise<unknown>): Promise<Error>
  /** Another process, as far as it can be told: the same store, and nothing else. */
  another(options?: SignInOptions): SignIn
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const closing = new AsyncDisposableStack()
  const authority = closing.use(await openAuthorizationServer(options.authority))
  const notes = closing.use(await openNotesServer(authority, options.notes))
  const clock = createTestClock(Date.now())
  const heard: string[] = []
  const another = (more: SignInOptions = {}) => {
    const log = (server: string, line: string) => void heard.push(`${server}: ${line}`)
    const signIn = createSignIn({ clock, log, ...options.signIn, ...more })
    closing.defer(() => signIn.close())
    return signIn
  }
  const world: World = {
    authority,
    notes,
    clock,
    heard,
    another,
    server: { name: 'notes', url: notes.url, ...options.server },
    signIn: another(),
    async open(principal = ann, signIn = world.signIn) {
      const auth = signIn.layerFor(world.server, principal)
      const log = (line: object) => void heard.push(inspect(line))
      const wire = await connect({ type: 'http', url: world.server.url, auth }, { log })
      const onError = (error: Error) => void heard.push(inspect(error, { depth: 9 }))
      const session = await openSession(wire, { onMessage: () => ({}) }, { onError })
      closing.defer(() => session.close('the test is over'))
      await initialize(session, { info: { name: 'test', version: '1' }, capabilities: {} })
      return session
    },
    async call(tool, principal = ann) {
      return await callTool(await world.open(principal), tool)
    },
    async signInBy(principal = ann) {
      const login = await world.needed(world.call('read', principal))
      await visit(login.url)
      expect(await login.done).toBe(true)
    },
    refreshes: () => authority.grants.filter(({ type }) => type === 'refresh_token').length,
    async failure(work) {
      const error = await work.then(
        () => new Error('It succeeded, and was expected to fail'),
        (error: Error) => error,
      )
      heard.push(error.message, inspect(error, { depth: 9, showHidden: true }))
      heard.push(JSON.stringify(error), JSON.stringify(toErrorObject(error)))
      return error
    },
    async needed(work) {
      const error = await world.failure(work)
      expect(error).toBeInstanceOf(AuthNeededError)
      if (!(isAuthNeeded(error) && saysWhere(error.login))) throw error
      return error.login
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
  return world
}

/** Calls a tool, and resolves with the text that it answers. */
export async function callTool(session: Session, name: string): Promise<string> {
  const { content } = await session.request('tools/call', { name, arguments: {} })
  return (content as { text: string }[]).map(({ text }) => text).join()
}
