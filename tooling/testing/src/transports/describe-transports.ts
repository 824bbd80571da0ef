import { initialize, type MessageHandler } from '@mobius-mcp/protocol'
import { describe } from 'vitest'
import { type Connect, type OpenSession, type TransportName, transportNames } from './connection.ts'
import { openHttp } from './http.ts'
import { openFrozen } from './in-process.ts'
import { openSse } from './sse.ts'
import { openStdio } from './stdio.ts'
import { openWirePair } from './wire-pair.ts'

const ways: Readonly<Record<TransportName, OpenSession>> = {
  'in process': openFrozen,
  'wire pair': openWirePair,
  stdio: openStdio,
  http: openHttp,
  sse: openSse,
}

/**
 * Runs the same tests over each transport: what holds for one must hold for all.
 *
 * @example
 * ```ts
 * describeTransports('an echo', (connect) => {
 *   test('answers with what it was given', async () => {
 *     await using connection = await connect(new URL('./echo-server.ts', import.meta.url))
 *     expect(await connection.session.request('tools/call', call)).toEqual(result)
 *   })
 * })
 * ```
 */
export function describeTransports(
  name: string,
  body: (connect: Connect, transport: TransportName) => void,
  transports: readonly TransportName[] = transportNames,
): void {
  describe.each(transports)(`${name}, %s`, (transport) => body(connectOver(transport), transport))
}

const silent: MessageHandler = { onMessage: () => ({}) }

function connectOver(transport: TransportName): Connect {
  return async (module, { capabilities = {}, client = silent, ...options } = {}) => {
    await using opened = new AsyncDisposableStack()
    const session = await ways[transport](module, { ...options, client }, opened)
    await initialize(session, { info: { name: 'test', version: '1' }, capabilities })
    const lifetime = opened.move()
    return { session, [Symbol.asyncDispose]: () => lifetime.disposeAsync() }
  }
}
