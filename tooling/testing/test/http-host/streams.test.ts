import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createHttpHost } from '@mobius-mcp/http-host'
import { type MessageHandler, refusingCaller, type Session } from '@mobius-mcp/protocol'
import { fromSdkServer } from '@mobius-mcp/protocol/sdk'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { describeStreams } from '../../src/fidelity/describe-streams.ts'
import type { StreamSubject } from '../../src/fidelity/target.ts'
import { createFixture } from '../../src/probe/fixture.ts'
import { createLatches } from '../../src/probe/latches.ts'
import { type Probe, serveProbe } from '../../src/probe/server.ts'
import { listen } from '../../src/transports/listen.ts'

// The host alone, judged at the socket: behind it stands the probe, in this process.

const keepAliveMs = 100

const subject: StreamSubject = {
  kind: 'direct',
  upstream: 'stdio',
  tag: 'probe',
  publicName: (name) => name,
  keepAliveMs,
  answersJson: true,
  keepsEqualIdsApart: true,
  cutsSlowReaders: false,
  async open() {
    await using opened = new AsyncDisposableStack()
    const handler = createProbeHandler()
    const host = createHttpHost({ route: () => handler, keepAlive: keepAliveMs })
    const origin = await listen(createServer(getRequestListener(host.fetch)), opened)
    opened.defer(() => host.close({ deadline: 0 }))
    const lifetime = opened.move()
    return {
      endpoint: { kind: 'http', url: `${origin}/mcp` },
      log: '',
      [Symbol.asyncDispose]: () => lifetime.disposeAsync(),
    }
  },
}

describeStreams('streams of the host', subject)

/** The probe, with a server for each session. */
function createProbeHandler(): MessageHandler {
  const probe: Probe = {
    fixture: createFixture('probe'),
    latches: createLatches(),
    record: () => undefined,
  }
  const definition = fromSdkServer('probe', () => ({
    connect: (wire) =>
      serveProbe(probe, {
        transport: wire as Transport,
        label: 'session',
        listening: Promise.resolve(),
      }),
    close: async () => {},
  }))
  const handlers = new WeakMap<Session, Promise<MessageHandler>>()
  const handlerOf = (session: Session): Promise<MessageHandler> => {
    const environment = { folder: '', closing: session.closed, callerFor: () => refusingCaller }
    const handler =
      handlers.get(session) ?? Promise.resolve().then(() => definition.create(environment))
    handlers.set(session, handler)
    return handler
  }
  return {
    async onMessage(message, context) {
      const handler = await handlerOf(context.session)
      return await handler.onMessage(message, context)
    },
  }
}
