import type { AgentSettings, PermissionSettings } from '@mobius-mcp/config'
import type { Origin } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { compilePermissions } from '../src/compile-permissions.ts'

const rules = (given: Partial<Record<keyof PermissionSettings, string[]>>): PermissionSettings => {
  const list = (texts: string[] = []) =>
    texts.map((text) => ({ text, file: 'm.yaml', line: 1, column: 1 }))
  return { allow: list(given.allow), ask: list(given.ask), deny: list(given.deny) }
}
const agent = (name: string, own: Parameters<typeof rules>[0]) =>
  ({ name, permissions: rules(own) }) as AgentSettings

const client: Origin = { kind: 'client' }
const by = (name: string, cause: Origin = client): Origin => ({ kind: 'agent', name, cause })

const decide = compilePermissions(
  {
    permissions: rules({ allow: ['files/list'], deny: ['files/delete'] }),
    agents: [
      agent('writer', { allow: ['files/*'], ask: ['files/move'] }),
      agent('boss', { allow: ['files/read'], deny: ['files/write(path: /etc/*)'], ask: ['notes'] }),
      agent('plain', {}),
    ],
  },
  () => false,
)

test.each([
  ['its own allow lets an agent', by('writer'), 'files/write', 'allow'],
  ['that of another does not', by('plain'), 'files/write', 'deny'],
  ['nor for a client that needs none', client, 'files/write', 'allow'],
  ['a rule for all lets every agent', by('plain'), 'files/list', 'allow'],
  ['a deny for all goes before its own allow', by('writer'), 'files/delete', 'deny'],
  ['its own ask goes before its own allow', by('writer'), 'files/move', 'ask'],
  ['who was sent may what it may itself', by('writer', by('boss')), 'files/write', 'allow'],
  ['who sent may not what only the other may', by('boss', by('writer')), 'files/write', 'deny'],
  ['an ask of the sender holds for who was sent', by('writer', by('boss')), 'notes/read', 'ask'],
  [
    'a hook acts for whoever configured it',
    { kind: 'hook', cause: by('boss') },
    'notes/x',
    'allow',
  ],
] as const)('%s', (_what, origin, target, decision) => {
  const [server = '', name = ''] = target.split('/')
  const call = { server, name, method: 'tools/call', params: { arguments: {} }, origin }
  expect(decide(call).decision).toBe(decision)
})

test('a deny of the sender holds for what who was sent does', () => {
  const params = { arguments: { path: '/etc/passwd' } }
  const call = { server: 'files', name: 'write', method: 'tools/call', params }
  expect(decide({ ...call, origin: by('writer') }).decision).toBe('allow')
  expect(decide({ ...call, origin: by('writer', by('boss')) })).toEqual({
    decision: 'deny',
    rule: 'deny files/write(path: /etc/*)',
  })
})
