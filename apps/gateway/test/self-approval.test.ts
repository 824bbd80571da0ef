import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CallResult,
  Cancellation,
  type Origin,
  type OriginKind,
  type Principal,
} from '@mobius-mcp/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { assemble, type Gateway } from '../src/assemble.ts'
import { localOperator } from '../src/operator-sign-in.ts'
import { findRunning } from '../src/running-gateway.ts'
import { connectClient } from './support/client.ts'
import { startServing } from './support/mobius.ts'

// Rules that allow everything: what refuses here is that nobody approves themselves.
const file = `mcpServers: {}
permissions: { allow: ["*"] }
log: { level: silent }
`
const selfMade: readonly OriginKind[] = ['agent', 'hook', 'workflow', 'task', 'script']
const client: Origin = { kind: 'client' }

let folder: Awaited<ReturnType<typeof mkdtempDisposable>>
let gateway: Gateway
let path: string

beforeEach(async () => {
  folder = await mkdtempDisposable(join(tmpdir(), 'mobius-'))
  path = join(folder.path, 'mobius.yaml')
  await writeFile(path, file)
  gateway = await assemble({ config: [path], state: join(folder.path, 'state'), asks: 'operators' })
})

afterEach(async () => {
  await gateway[Symbol.asyncDispose]()
  await folder.remove()
})

/** Everything that only an operator may do, on a gateway on which a question is open. */
const actions: readonly [
  tool: string,
  args: (question: string) => Record<string, string | object>,
][] = [
  ['answer_question', (id) => ({ id, decision: 'approve' })],
  ['answer_question', (id) => ({ id, decision: 'deny' })],
  ['add_server', () => ({ name: 'evil', entry: { command: 'evil' } })],
  ['remove_server', () => ({ name: 'good' })],
  ['reload_configuration', () => ({})],
]

describe.each(actions)('%s', (tool, args) => {
  const attempt = async (principal: Principal, origin: Origin) => {
    const question = gateway.questions.ask(
      {
        ...{ id: 'c1', server: 'files', method: 'tools/call', name: 'delete' },
        ...{
          params: { name: 'delete' },
          principal,
          origin,
          root: { id: 'session', kind: 'client' },
        },
      },
      { why: 'ask files/delete', cancellation: new Cancellation() },
    )
    await expect.poll(() => gateway.questions.list().length).toBe(1)
    const [open] = gateway.questions.list()
    const caller = gateway.service.callerFor({ principal, origin })
    const result = caller.call({ server: 'meta', tool }, args(open?.id ?? ''))
    const outcome = await result.then(
      ({ isError = false, content }) => ({ refused: isError, text: textOf(content) }),
      (error: Error) => ({ refused: true, text: error.message }),
    )
    const answered = await Promise.race([question, Promise.resolve('open')])
    return { ...outcome, answered }
  }

  test.each(selfMade)('is refused to a call that the operator’s own %s makes', async (kind) => {
    const { refused, text, answered } = await attempt(localOperator, { kind, name: 'helper' })
    expect(text).toContain(`was made by the ${kind} "helper", and nobody approves themselves`)
    expect(refused).toBe(true)
    expect(answered).toBe('open')
    expect(await readFile(path, 'utf8')).toBe(file)
  })

  test.each(selfMade)(
    'is refused to a client’s call in a chain that began with a %s',
    async (kind) => {
      const chain: Origin = { kind: 'client', cause: { kind, cause: client } }
      const { refused, text, answered } = await attempt(localOperator, chain)
      expect(text).toContain('nobody approves themselves')
      expect({ refused, answered }).toEqual({ refused: true, answered: 'open' })
    },
  )

  test.each<[string, Principal]>([
    ['the machine’s own user', { id: 'local', scopes: [] }],
    ['a key without the scope', { id: 'ci', issuer: 'bearer-key', scopes: ['files'] }],
    ['a scope that only looks like it', { id: 'ci', issuer: 'bearer-key', scopes: ['Operator'] }],
  ])('is refused to %s', async (_who, principal) => {
    const { refused, text, answered } = await attempt(principal, client)
    expect(text).toContain('needs the scope "operator"')
    expect({ refused, answered }).toEqual({ refused: true, answered: 'open' })
  })
})

test('an operator’s own call is not refused', async () => {
  const caller = gateway.service.callerFor({ principal: localOperator, origin: client })
  const added = await caller.call(
    { server: 'meta', tool: 'add_server' },
    { name: 'good', entry: { command: 'good' } },
  )
  expect(added.structuredContent).toEqual({ changes: ['server good: added'] })
  expect(await readFile(path, 'utf8')).toContain('good')
  const removed = await caller.call({ server: 'meta', tool: 'remove_server' }, { name: 'good' })
  expect(removed.structuredContent).toEqual({ changes: ['server good: removed'] })
})

test('another gateway’s client is nobody here, whatever key that gateway shows', async () => {
  await using here = await startServing()
  const { operatorKey = '' } = (await findRunning(join(here.folder, 'state'))) ?? {}
  const upstream = {
    url: `${here.origin}/mcp/s/meta`,
    headers: { Authorization: `Bearer ${operatorKey}` },
  }
  const files = { 'mobius.yaml': JSON.stringify({ mcpServers: { inner: upstream } }) }
  await using there = await startServing([], { files })
  await using client = await connectClient(`${there.origin}/mcp`)
  const attempt = client.callTool({
    name: 'inner__add_server',
    arguments: { name: 'evil', entry: { command: 'evil' } },
  })
  expect(await attempt).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('was made by something behind another gateway') }],
  })
})

test('a hook that is the answering tool itself answers nothing', async () => {
  const hooks = { 'tools/call?server=meta&name=list_servers': ['meta/answer_question'] }
  const files = { 'mobius.yaml': JSON.stringify({ hooks, permissions: { allow: ['*'] } }) }
  await using mobius = await startServing([], { files })
  await using client = await connectClient(`${mobius.origin}/mcp`)
  await expect(client.callTool({ name: 'meta__list_servers', arguments: {} })).rejects.toThrow(
    /hook/,
  )
})

function textOf(content: CallResult['content']): string {
  return content.map(({ text }) => String(text)).join('\n')
}
