import type { Origin, OriginKind } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import { isSelfApproving, requireOperator, requireOwnHands } from '../src/index.ts'
import { client } from './support/calls.ts'

const operator = { id: 'anna', scopes: ['operator'] }

function refusal(run: () => void): string {
  try {
    run()
    return 'no refusal'
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`
  }
}

describe('what only an operator may', () => {
  test('an operator may', () => {
    requireOperator({ principal: operator, call: { origin: client } }, 'Reloading')
  })

  test('others are told what they need and how to get it', () => {
    const asker = { principal: { id: 'local', scopes: [] }, call: { origin: client } }
    expect(refusal(() => requireOperator(asker, 'Reloading'))).toMatchInlineSnapshot(
      `"DENIED: Reloading was refused: it needs the scope "operator", and "local" has no scope. Open the address that \`mobius serve\` printed, with its one-time token; use the \`mobius\` command on that machine; or use a key whose scopes name "operator"."`,
    )
    const other = { principal: { id: 'a', scopes: ['read'] }, call: { origin: client } }
    expect(refusal(() => requireOperator(other, 'Reloading'))).toContain('has only "read"')
  })
})

describe('nobody approves themselves', () => {
  const kinds: OriginKind[] = ['agent', 'hook', 'workflow', 'task', 'script']
  const chains = kinds.flatMap((kind): { how: string; origin: Origin }[] => [
    { how: `${kind} alone`, origin: { kind } },
    { how: `${kind} for a client`, origin: { kind, name: 'x', cause: client } },
    { how: `${kind} further up`, origin: { kind: 'client', cause: { kind, cause: client } } },
    { how: `${kind} for another`, origin: { kind, cause: { kind: 'agent', cause: client } } },
  ])

  test.each(chains)('$how', ({ origin }) => {
    expect(isSelfApproving({ origin })).toBe(true)
    const asker = { principal: operator, call: { origin } }
    expect(refusal(() => requireOperator(asker, 'Approving'))).toMatch(/^DENIED: Approving was/)
    expect(refusal(() => requireOwnHands({ origin }, 'Answering'))).toMatch(/^DENIED: Answering/)
  })

  test('says what made the call', () => {
    const origin: Origin = { kind: 'agent', name: 'co"der\u001b[2J', cause: client }
    expect(
      refusal(() => requireOwnHands({ origin }, 'Adding the server "x"')),
    ).toMatchInlineSnapshot(
      `"DENIED: Adding the server "x" was refused: the call was made by the agent "co\\"der\\u001b[2J", and nobody approves themselves. A person has to do it, as a client of this gateway."`,
    )
    expect(refusal(() => requireOwnHands({ origin: { kind: 'script' } }, 'It'))).toContain(
      'made by a script',
    )
  })

  test('nor through a gateway, for nobody knows who stands behind it', () => {
    expect(isSelfApproving({ origin: client, hops: [] })).toBe(false)
    expect(isSelfApproving({ origin: client, hops: ['g1'] })).toBe(true)
    expect(refusal(() => requireOwnHands({ origin: client, hops: ['g1'] }, 'It'))).toContain(
      'something behind another gateway',
    )
  })

  test('a client with its own hands does', () => {
    expect(isSelfApproving({ origin: client })).toBe(false)
    expect(isSelfApproving({ id: '1', depth: 0, origin: { kind: 'client', cause: client } })).toBe(
      false,
    )
    requireOwnHands({ origin: client }, 'Answering')
  })
})
