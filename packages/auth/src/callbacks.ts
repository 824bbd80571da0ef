import { callbackPage } from './callback-page.ts'
import type { CallbackAnswer, CallbackRequest, CallbackServer, Listen } from './callback-server.ts'
import { isLoopback } from './remote-server.ts'

/** Where the browser is to come back to, and what to do when it does. */
export interface Callback {
  readonly redirectUri: string
  /** Waits for the browser to bring this state back, once. Resolves with whether all went well. */
  expect(state: string, onReturn: (parameters: URLSearchParams) => Promise<boolean>): void
  /** It keeps the process alive from here on. */
  hold(): void
  /** Waits no longer. */
  close(): void
}

/** What is known of a callback before there is one. */
export interface CallbackWish {
  /** Arranged, or registered before; any port by default. */
  readonly redirectUri?: string | undefined
  /** Another port will not do. */
  readonly fixed: boolean
}

interface Waiting {
  readonly path: string
  readonly onReturn: (parameters: URLSearchParams) => Promise<boolean>
}

interface Door {
  readonly server: CallbackServer
  readonly waiting: Map<string, Waiting>
  users: number
}

const path = '/callback'

/** The doors that browsers come back to. Sign-ins with the same callback stand behind one door. */
export class Callbacks {
  readonly #listen: Listen
  readonly #doors = new Map<number, Promise<Door>>()

  constructor(listen: Listen) {
    this.#listen = listen
  }

  /** Opens a door on the port that is wished for; on another one where that is taken and may be. */
  async open({ redirectUri, fixed }: CallbackWish): Promise<Callback> {
    const wished = new URL(redirectUri ?? `http://127.0.0.1${path}`)
    try {
      return await this.#use(wished, Number(wished.port))
    } catch (error) {
      if (fixed || !isTaken(error)) throw error
      return await this.#use(wished, 0)
    }
  }

  async #use(wished: URL, port: number): Promise<Callback> {
    const door = await this.#door(port)
    const url = new URL(wished)
    url.port = String(door.server.port)
    door.users += 1
    let state: string | undefined
    return {
      redirectUri: url.href,
      expect(expected, onReturn) {
        state = expected
        door.waiting.set(expected, { path: url.pathname, onReturn })
      },
      hold: () => door.server.hold(),
      close: () => {
        if (state !== undefined) door.waiting.delete(state)
        door.users -= 1
        if (door.users > 0) return
        this.#doors.delete(door.server.port)
        door.server.close()
      },
    }
  }

  async #door(port: number): Promise<Door> {
    const known = port === 0 ? undefined : this.#doors.get(port)
    if (known !== undefined) return await known
    const opening = this.#openDoor(port)
    if (port !== 0) this.#doors.set(port, opening)
    try {
      const door = await opening
      this.#doors.set(door.server.port, opening)
      return door
    } catch (error) {
      this.#doors.delete(port)
      throw error
    }
  }

  async #openDoor(port: number): Promise<Door> {
    const waiting = new Map<string, Waiting>()
    const server = await this.#listen(port, (request) => answer(waiting, request))
    return { server, waiting, users: 0 }
  }
}

async function answer(
  waiting: Map<string, Waiting>,
  { method, target, host }: CallbackRequest,
): Promise<CallbackAnswer> {
  const unknown = (status: number) => ({ status, html: callbackPage('unknown') })
  // A page elsewhere may have made its own name mean this machine.
  if (!isLoopback(host.replace(/:\d+$/, ''))) return unknown(403)
  if (method !== 'GET') return unknown(405)
  const base = 'http://127.0.0.1'
  if (!(target.startsWith('/') && URL.canParse(target, base))) return unknown(400)
  const { pathname, searchParams } = new URL(target, base)
  const [state = '', ...more] = searchParams.getAll('state')
  const found = more.length === 0 ? waiting.get(state) : undefined
  if (!found || found.path !== pathname) {
    return unknown([...waiting.values()].some((each) => each.path === pathname) ? 400 : 404)
  }
  waiting.delete(state)
  const done = await found.onReturn(searchParams)
  return { status: done ? 200 : 400, html: callbackPage(done ? 'done' : 'failed') }
}

function isTaken(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'EADDRINUSE' || code === 'EACCES'
}
