import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCRequest, type Result, ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Fixture } from './fixture.ts'
import type { Latches } from './latches.ts'
import { type Recorded, recordTransport } from './recording.ts'
import { answerRequest } from './requests.ts'
import { asObject, type ProbeRequest, type ProbeSession } from './session.ts'

/** What a process shares between the conversations it holds. */
export interface Probe {
  readonly fixture: Fixture
  readonly latches: Latches
  record(record: Recorded): void
}

/** How one conversation is connected. */
export interface ProbeConnection {
  readonly transport: Transport
  /** What its records are filed under. */
  readonly label: string
  /** Resolves once messages that belong to no request can reach the client. */
  readonly listening: Promise<void>
}

/** Serves one conversation over a transport of the v1 SDK, recording all that passes. */
export async function serveProbe(probe: Probe, connection: ProbeConnection): Promise<void> {
  const { transport, label, listening } = connection
  const { serverInfo, capabilities, instructions, tools } = probe.fixture
  const server = new Server(serverInfo, { capabilities, instructions })
  const session: ProbeSession = {
    fixture: probe.fixture,
    latches: probe.latches,
    tools: [...tools],
    subscriptions: new Set(),
    level: 'debug',
    listening,
    notify: (method, params) => server.notification(params ? { method, params } : { method }),
  }
  // Handlers with a schema drop unknown members; the fallback gets and gives plain JSON.
  server.removeRequestHandler('logging/setLevel')
  server.fallbackRequestHandler = async (request, extra) =>
    (await answerRequest(request.method, toProbeRequest(session, request, extra))) as Result
  recordTransport(transport, (direction, message) => {
    probe.record({ pid: process.pid, session: label, direction, message })
  })
  await server.connect(transport)
}

type Extra = Parameters<NonNullable<Server['fallbackRequestHandler']>>[1]

function toProbeRequest(
  session: ProbeSession,
  request: JSONRPCRequest,
  extra: Extra,
): ProbeRequest {
  const params = asObject(request.params)
  return {
    session,
    params,
    meta: asObject(params._meta),
    signal: extra.signal,
    // The SDK knows its own methods only; these are sent as they are.
    notify: (method, body) => extra.sendNotification({ method, params: body } as never),
    ask: (method, body) => extra.sendRequest({ method, params: body } as never, ResultSchema),
  }
}
