import {
  Cancellation,
  initialize,
  type JsonObject,
  type MessageHandler,
  openInProcess,
} from '@mobius-mcp/protocol'
import { createTestClock } from '@mobius-mcp/testing'
import { expect, test } from 'vitest'
import { localOperator } from '../src/operator-sign-in.ts'
import { describeQuestion } from '../src/question-text.ts'
import { type AskedCall, type AskOptions, createQuestions } from '../src/questions.ts'

test('the first answer counts, and later ones find no question', async () => {
  const questions = createQuestions({ clock: createTestClock() })
  const answered = questions.ask(createCall(), asking('ask: files/write'))
  const [question] = questions.list()
  expect(question).toMatchObject({
    call: 'c1',
    principal: 'anna',
    server: 'files',
    name: 'write',
    rule: 'ask: files/write',
    arguments: { path: 'a.txt' },
  })
  const id = question?.id ?? ''
  expect(questions.answer(id, true, localOperator)).toBe(true)
  expect(questions.answer(id, false, localOperator)).toBe(false)
  expect(await answered).toMatchObject({ approved: true, by: 'local' })
  expect(questions.list()).toEqual([])
})

test('a question that nobody answers counts as denied when its time is up', async () => {
  const clock = createTestClock()
  const questions = createQuestions({ clock, patience: 1000 })
  const answered = questions.ask(createCall(), asking())
  await clock.advance(999)
  expect(questions.list()).toHaveLength(1)
  await clock.advance(1)
  expect(await answered).toMatchObject({ approved: false, by: 'nobody' })
  expect(questions.list()).toEqual([])
})

test('a caller that leaves makes its question void, and no timer stays', async () => {
  const clock = createTestClock()
  const questions = createQuestions({ clock })
  const cancellation = new Cancellation()
  const answered = questions.ask(createCall(), { why: undefined, cancellation })
  cancellation.cancel('gone')
  expect(await answered).toMatchObject({ approved: false, by: 'the caller' })
  expect(questions.list()).toEqual([])
  expect(clock.timers).toBe(0)
})

test('whoever watches is told when a question is asked and when it is closed', () => {
  const questions = createQuestions({ clock: createTestClock() })
  let told = 0
  const stop = questions.watch(() => {
    told += 1
  })
  void questions.ask(createCall(), asking())
  expect(told).toBe(1)
  questions.answer(questions.list()[0]?.id ?? '', false, localOperator)
  expect(told).toBe(2)
  stop()
  void questions.ask(createCall(), asking())
  expect(told).toBe(2)
})

test.each([
  ['approves', { action: 'accept', content: { decision: 'approve' } }, true],
  ['denies', { action: 'accept', content: { decision: 'deny', reason: 'not on Fridays' } }, false],
  ['declines', { action: 'decline' }, false],
])('an operator at a client that can be asked %s', async (_what, answer, approved) => {
  const questions = createQuestions({ clock: createTestClock() })
  const person = await createPerson(() => answer)
  questions.addOperator(person.session, localOperator)
  expect(await questions.ask(createCall(), asking('ask: files'))).toMatchObject({
    approved,
    by: 'an operator',
  })
  expect(person.asked).toEqual([
    'May anna call files/write (ask: files)? Arguments: {"path":"a.txt"}',
  ])
})

test('an operator who closes the form, or whose client fails, leaves it to the others', async () => {
  const questions = createQuestions({ clock: createTestClock() })
  const absent = await createPerson(() => ({ action: 'cancel' }))
  const broken = await createPerson(() => {
    throw new Error('no screen')
  })
  for (const { session } of [absent, broken]) questions.addOperator(session, localOperator)
  const answered = questions.ask(createCall(), asking())
  await expect.poll(() => absent.asked.length + broken.asked.length).toBe(2)
  expect(questions.list()).toHaveLength(1)
  const late = await createPerson(() => ({ action: 'accept', content: { decision: 'approve' } }))
  questions.addOperator(late.session, localOperator)
  expect(await answered).toMatchObject({ approved: true })
})

test('a client without elicitation is not asked', async () => {
  const questions = createQuestions({ clock: createTestClock() })
  const person = await createPerson(() => ({ action: 'accept' }), {})
  questions.addOperator(person.session, localOperator)
  void questions.ask(createCall(), asking())
  expect(person.asked).toEqual([])
})

test('what is asked is plain text, whatever the names and arguments hold', () => {
  const report = {
    ...{ id: '1', call: '1', principal: 'an\u001b[2Jna', origin: 'agent helper\u202e', askedAt: 0 },
    ...{ server: 's', method: 'tools/call', name: 't\n', until: 0 },
    arguments: { text: `\u2028${'x'.repeat(2000)}` },
  }
  const text = describeQuestion(report)
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(text).toMatch(/^May an\\u\{1b\}\[2Jna, by agent helper\\u\{202e\}, call s\/t\\u\{a\}\?/)
  expect(text.length).toBeLessThan(1300)
})

function createCall(): AskedCall {
  return {
    id: 'c1',
    ...{ server: 'files', method: 'tools/call', name: 'write' },
    params: { name: 'write', arguments: { path: 'a.txt' } },
    principal: { id: 'anna', scopes: [] },
    origin: { kind: 'client' },
    root: { id: 'session' },
  }
}

function asking(why?: string): AskOptions {
  return { why, cancellation: new Cancellation() }
}

/** A session whose client answers questions. */
async function createPerson(
  answer: (params: JsonObject) => JsonObject,
  capabilities: JsonObject = { elicitation: {} },
) {
  const asked: unknown[] = []
  const opened = Promise.withResolvers<import('@mobius-mcp/protocol').Session>()
  const server: MessageHandler = {
    onMessage(message, { session }) {
      opened.resolve(session)
      return 'id' in message
        ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} }
        : undefined
    },
  }
  const client: MessageHandler = {
    onMessage({ params = {} }) {
      asked.push(params.message)
      return answer(params)
    },
  }
  const session = openInProcess(server, { client })
  await initialize(session, { info: { name: 'person', version: '1' }, capabilities })
  return { asked, session: await opened.promise }
}
