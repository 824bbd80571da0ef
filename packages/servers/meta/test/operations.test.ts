import {
  type JsonObject,
  type MessageHandler,
  openInProcess,
  type Principal,
  refusingCaller,
  type Session,
} from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { createMetaServer, type Operations, type QuestionReport } from '../src/index.ts'
import { createWorld } from './support/world.ts'

const anna: Principal = { id: 'anna', issuer: 'keys', scopes: [] }
const operator: Principal = { id: 'olga', issuer: 'keys', scopes: ['operator'] }

test('without operations nothing can be changed', async () => {
  const open = await createStage(undefined)
  const { tools } = (await open(operator).session.request('tools/list', {})) as {
    tools: JsonObject[]
  }
  expect(tools.map(({ name }) => name)).toEqual(['list_servers'])
})

test.each([
  ['answer_question', { id: 'q1', decision: 'approve' }],
  ['reload_configuration', {}],
  ['add_server', { name: 'x', entry: { command: 'x' } }],
  ['remove_server', { name: 'files' }],
])('%s is refused where the operations refuse, and does nothing', async (name, args) => {
  const operations = createOperations()
  const open = await createStage(operations)
  const result = await open(anna).session.request('tools/call', { name, arguments: args })
  expect(result).toMatchObject({ isError: true, content: [{ text: /needs the operator scope/ }] })
  expect(operations.done).toEqual([])
})

test('an operator answers, adds, removes and reloads', async () => {
  const operations = createOperations()
  const { session } = (await createStage(operations))(operator)
  const call = async (name: string, args: JsonObject) => {
    const result = await session.request('tools/call', { name, arguments: args })
    return result.structuredContent
  }
  expect(
    await call('answer_question', { id: 'q1', decision: 'deny', reason: 'not today' }),
  ).toEqual({ id: 'q1', decision: 'deny' })
  expect(await call('add_server', { name: 'x', entry: { command: 'x', args: [1, null] } })).toEqual(
    {
      changes: ['added x'],
    },
  )
  expect(await call('remove_server', { name: 'x' })).toEqual({ changes: ['removed x'] })
  expect(await call('reload_configuration', {})).toEqual({ changes: [] })
  expect(operations.done).toEqual([
    'answer q1 false olga not today',
    'add x {"command":"x","args":[1,null]}',
    'remove x',
    'reload',
  ])
})

test('a question that is not open is said to be so', async () => {
  const { session } = (await createStage(createOperations()))(operator)
  const args = { id: 'gone', decision: 'approve' }
  expect(
    await session.request('tools/call', { name: 'answer_question', arguments: args }),
  ).toMatchObject({ isError: true, content: [{ text: /No open question has the id "gone"/ }] })
})

test('open questions are shown to those whom they concern, and watched', async () => {
  const operations = createOperations()
  const open = await createStage(operations)
  const uri = 'question:///open'
  const seen = async (session: Session) => {
    const { contents } = (await session.request('resources/read', { uri })) as {
      contents: { text: string }[]
    }
    const { questions } = JSON.parse(contents[0]?.text ?? '') as { questions: JsonObject[] }
    return questions.map(({ id }) => id)
  }
  const { session, updates } = open(anna)
  expect(await seen(session)).toEqual(['q1'])
  expect(await seen(open(operator).session)).toEqual(['q1', 'q2'])
  await session.request('resources/subscribe', { uri })
  operations.ask({ id: 'q3', principal: 'anna', issuer: 'keys' })
  await expect.poll(() => updates).toEqual([uri])
  expect(await seen(session)).toEqual(['q1', 'q3'])
})

interface RecordedOperations extends Operations {
  readonly done: string[]
  ask(question: Partial<QuestionReport>): void
}

function createOperations(): RecordedOperations {
  const done: string[] = []
  const questions = [
    createQuestion({ principal: 'anna', issuer: 'keys' }),
    createQuestion({ id: 'q2', principal: 'bob', issuer: 'keys' }),
  ]
  const listeners = new Set<() => void>()
  return {
    done,
    ask(question) {
      questions.push(createQuestion(question))
      for (const listener of listeners) listener()
    },
    require({ principal }, what) {
      if (!principal.scopes.includes('operator'))
        throw new Error(`To ${what} needs the operator scope`)
    },
    questions: () => questions,
    watchQuestions(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    answer(id, approved, by, reason) {
      if (!questions.some((question) => question.id === id)) return false
      done.push(`answer ${id} ${approved} ${by.id} ${reason}`)
      return true
    },
    async reload() {
      done.push('reload')
      return { changes: [] }
    },
    async addServer(name, entry) {
      done.push(`add ${name} ${JSON.stringify(entry)}`)
      return { changes: [`added ${name}`] }
    },
    async removeServer(name) {
      done.push(`remove ${name}`)
      return { changes: [`removed ${name}`] }
    },
  }
}

function createQuestion(more: Partial<QuestionReport>): QuestionReport {
  const what = {
    call: 'c1',
    origin: 'client',
    server: 'files',
    method: 'tools/call',
    name: 'write',
  }
  return { id: 'q1', principal: 'anna', askedAt: 0, until: 60_000, ...what, ...more }
}

async function createStage(operations: Operations | undefined) {
  const { dependencies } = createWorld()
  const definition = createMetaServer({ ...dependencies, operations })
  const handler: MessageHandler = await definition.create({
    folder: '.',
    closing: new AbortController().signal,
    callerFor: () => refusingCaller,
  })
  return (principal: Principal) => {
    const updates: unknown[] = []
    const client: MessageHandler = {
      onMessage({ method, params }) {
        if (method === 'notifications/resources/updated') updates.push(params?.uri)
      },
    }
    return { session: openInProcess(handler, { client, principal, crossing: 'frozen' }), updates }
  }
}
