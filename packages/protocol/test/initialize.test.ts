import { describe, expect, test } from 'vitest'
import {
  checkClientCapability,
  initialize,
  type JsonObject,
  legacyVersions,
  negotiateVersion,
  type Peer,
} from '../src/index.ts'
import { openConversation, openScripted, silent } from './support/conversation.ts'
import { createTestClock, settle } from './support/test-clock.ts'

const info = { name: 'client', version: '1', title: 'A client' }

const answer = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: { listChanged: true }, experimental: { x: {} } },
  serverInfo: { name: 'server', version: '2' },
  instructions: 'Ask politely.',
  _meta: { kept: true },
}

describe('the handshake', () => {
  test('declares exactly what it is told to, then says that it is done', async () => {
    await using peer = await openScripted(silent, { clock: createTestClock() })
    const opened = initialize(peer.session, { info, capabilities: { roots: {} } })
    await peer.say({ id: 1001, result: answer })
    expect(await opened).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: answer.capabilities,
      info: answer.serverInfo,
      instructions: 'Ask politely.',
      result: answer,
    })
    expect(peer.session.peer).toBe(await opened)
    expect(peer.sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 1001,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: info },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ])
  })

  test('tells the wire the revision before anything else is sent', async () => {
    await using peer = await openScripted(silent, { clock: createTestClock() })
    const versions: unknown[] = []
    const opened = initialize(peer.session, { info, capabilities: {} })
    const adopting = peer.session as unknown as { adopt(peer: Peer): void }
    const adopt = adopting.adopt.bind(adopting)
    adopting.adopt = (each) => {
      versions.push(each.protocolVersion, peer.sent.length)
      adopt(each)
    }
    await peer.say({ id: 1001, result: answer })
    await opened
    expect(versions).toEqual(['2025-06-18', 1])
  })

  test('fails for a revision that we do not speak, and is not completed', async () => {
    await using peer = await openScripted(silent, { clock: createTestClock() })
    const opened = initialize(peer.session, { info, capabilities: {} })
    await peer.say({ id: 1001, result: { ...answer, protocolVersion: '2099-01-01' } })
    await expect(opened).rejects.toMatchInlineSnapshot(
      `[ProtocolError: The server speaks MCP revision 2099-01-01; supported here: 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07]`,
    )
    const again = initialize(peer.session, { info, capabilities: {} })
    await peer.say({ id: 1002, result: {} })
    await expect(again).rejects.toThrow('The server speaks MCP revision (none named);')
    expect(peer.sent.every((message) => 'id' in message)).toBe(true)
    expect(peer.session.peer).toBeUndefined()
  })

  test('tells the server who its client is, before the handler is asked', async () => {
    const peers: unknown[] = []
    await using talk = await openConversation({
      onMessage(message, { session, call }) {
        peers.push([message.method, session.peer?.info, session.peer?.capabilities, call.origin])
        return answer
      },
    })
    await initialize(talk.client, { info, capabilities: { sampling: {} } })
    await settle()
    const origin = { kind: 'client', name: 'client' }
    expect(peers).toEqual([
      ['initialize', info, { sampling: {} }, origin],
      ['notifications/initialized', info, { sampling: {} }, origin],
    ])
    expect(talk.server.peer?.protocolVersion).toBe('2025-06-18')
  })

  test('with a careless client leaves nothing undefined', async () => {
    await using peer = await openScripted({ onMessage: () => answer })
    await peer.say({ id: 1, method: 'initialize', params: { capabilities: [], clientInfo: 7 } })
    expect(peer.session.peer).toEqual({ protocolVersion: '2025-06-18', capabilities: {}, info: {} })
  })
})

test('a server answers with the revision it was offered where it knows it, else with its newest', () => {
  for (const version of legacyVersions) expect(negotiateVersion(version)).toBe(version)
  for (const version of ['2026-07-28', '1.0', 7, undefined]) {
    expect(negotiateVersion(version)).toBe('2025-11-25')
  }
})

describe('what a client did not declare', () => {
  const refusal = (
    method: string,
    capabilities: JsonObject | undefined,
    params: JsonObject = {},
  ) => {
    const peer = capabilities && { protocolVersion: '2025-11-25', capabilities, info: {} }
    try {
      checkClientCapability(method, params, peer)
      return 'allowed'
    } catch (error) {
      return (error as Error).message
    }
  }

  test('is refused by name, at once', () => {
    expect(refusal('sampling/createMessage', {})).toMatchInlineSnapshot(
      `"Method not found: sampling/createMessage. The client did not declare the capability "sampling"."`,
    )
    expect(refusal('roots/list', undefined)).toContain('the capability "roots"')
    expect(refusal('roots/list', { roots: true })).toContain('the capability "roots"')
    expect(refusal('roots/list', { roots: {} })).toBe('allowed')
    expect(refusal('ping', {})).toBe('allowed')
  })

  test('is told apart by the kind of question', () => {
    const url = { mode: 'url' }
    expect(refusal('elicitation/create', { elicitation: {} })).toBe('allowed')
    expect(refusal('elicitation/create', { elicitation: { form: {} } })).toBe('allowed')
    expect(refusal('elicitation/create', { elicitation: {} }, url)).toContain('"elicitation.url"')
    expect(refusal('elicitation/create', { elicitation: { url: {} } }, url)).toBe('allowed')
    expect(refusal('elicitation/create', { elicitation: { url: {} } })).toContain(
      '"elicitation.form"',
    )
  })
})
