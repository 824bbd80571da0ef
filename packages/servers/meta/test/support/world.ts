import type { CallReport, MetaDependencies, ServerReport } from '../../src/index.ts'

/** What a meta server shows, to be changed by a test. */
export interface World {
  readonly dependencies: Omit<MetaDependencies, 'clock'>
  /** How many watch servers or calls just now. */
  readonly watchers: number
  setState(name: string, state: string, reason?: string): void
  addServer(name: string): void
  addCall(call?: Partial<CallReport>): void
}

const since = Date.UTC(2026, 0, 1)

export function createWorld(): World {
  const servers = [
    createServer('meta', { kind: 'built-in', state: 'ready' }),
    createServer('files', {
      state: 'ready',
      connections: 2,
      inFlight: 1,
      calls: 7,
      offers: { tools: 3 },
    }),
    createServer('@acme/broken one', { state: 'failed', reason: 'no licence', restarts: 4 }),
  ]
  const calls = [createCall({}), createCall({ id: '2', principal: 'anna', issuer: 'keys' })]
  const serverListeners = new Set<(name: string) => void>()
  const callListeners = new Set<(call: CallReport) => void>()
  return {
    dependencies: {
      version: '1.2.3',
      servers: () => servers,
      watchServers: (listener) => listenTo(serverListeners, listener),
      recent: { list: () => calls, watch: (listener) => listenTo(callListeners, listener) },
    },
    get watchers() {
      return serverListeners.size + callListeners.size
    },
    setState(name, state, reason) {
      const index = servers.findIndex((server) => server.name === name)
      servers[index] = createServer(name, { ...servers[index], state, reason })
      for (const listener of serverListeners) listener(name)
    },
    addServer(name) {
      servers.push(createServer(name, {}))
      for (const listener of serverListeners) listener('')
    },
    addCall(more = {}) {
      const call = createCall({ id: String(calls.length + 1), ...more })
      calls.push(call)
      for (const listener of callListeners) listener(call)
    },
  }
}

function createServer(name: string, more: Partial<ServerReport>): ServerReport {
  const counts = { connections: 0, inFlight: 0, restarts: 0, calls: 0, errors: 0, offers: {} }
  return { kind: 'external', state: 'idle', since, sharing: 'session', ...counts, ...more, name }
}

function createCall(more: Partial<CallReport>): CallReport {
  const what = { server: 'files', method: 'tools/call', name: 'read' }
  const how = { startedAt: since, milliseconds: 5, outcome: 'ok' }
  return { id: '1', principal: 'local', ...what, ...how, ...more }
}

function listenTo<T>(listeners: Set<(value: T) => void>, listener: (value: T) => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
