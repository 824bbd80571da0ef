import { expect, test } from 'vitest'
import { createModels, type ModelMessage, type ModelRequest } from '../src/index.ts'
import { ask, failed, finished, userSays } from './support/ask.ts'

const model = createModels().model()
const tools = [
  {
    name: 'echo',
    target: 'everything/echo',
    description: 'Says it again.\nMore.',
    inputSchema: {},
  },
  { name: 'read_resource', inputSchema: {} },
]
const typed = async (
  text: string,
  request: Partial<ModelRequest> = { tools },
): Promise<string | object> => {
  const answer = await ask(model, { ...userSays(text), ...request })
  const { message, reason } = finished(answer)
  const [part] = message.content
  if (part?.type === 'tool-call') {
    expect(reason).toBe('tool-calls')
    return { name: part.name, arguments: part.arguments }
  }
  expect(part).toEqual({ type: 'text', text: answer.text })
  return answer.text
}

test('what is no command is answered plainly: there is no model, and how to get one', async () => {
  expect(await typed('What is the weather?')).toMatchInlineSnapshot(`
    "No language model is configured, so nobody can answer this. Add a provider under \`providers\`, and under \`models\` name one of its models as \`default\`: for instance \`default: ollama/llama3.2\`.

    This is the console, not a language model. It understands:

    /tools                        lists the tools
    /call server/tool {"a": 1}    calls a tool, with its arguments as JSON
    /read server uri              reads a resource
    /help                         says this"
  `)
  const configured = createModels({ providers: { ollama: { dialect: 'openai-chat' } } }).model()
  expect((await ask(configured, userSays('Hi'))).text).toContain('one of your providers (ollama)')
})

test('/tools lists them, and /help says what there is', async () => {
  expect(await typed('/tools')).toBe('everything/echo: Says it again.\nread_resource')
  expect(await typed('/tools', {})).toBe('There are no tools here.')
  expect(await typed('/help')).toContain('/call server/tool {"a": 1}')
  expect(await typed('/nothing')).toContain('There is no command /nothing.')
})

test('/call becomes a call, by server/tool or by name', async () => {
  expect(await typed('/call everything/echo {"message": "a b"}')).toEqual({
    name: 'echo',
    arguments: { message: 'a b' },
  })
  expect(await typed(' /call echo')).toEqual({ name: 'echo', arguments: {} })
  expect(await typed('/call everything/echo\n{\n"a":1}')).toEqual({
    name: 'echo',
    arguments: { a: 1 },
  })
})

test('/read becomes a call of read_resource', async () => {
  expect(await typed('/read files file:///a.txt')).toEqual({
    name: 'read_resource',
    arguments: { server: 'files', uri: 'file:///a.txt' },
  })
  expect(await typed('/read files file:///a.txt', {})).toContain('cannot be read')
})

test('what is wrong is said', async () => {
  expect(await typed('/call')).toContain('Which tool?')
  expect(await typed('/call a/b {}')).toContain('There is no tool a/b.')
  expect(await typed('/call echo {"a":')).toContain('could not be read')
  expect(await typed('/call echo [1]')).toContain('Expected a JSON object, received a list.')
  expect(await typed('/read files')).toContain('Expected /read server uri')
})

test('what a tool returned is shown, and is never a command', async () => {
  const said = async (content: ModelMessage): Promise<string> => {
    const first = finished(await ask(model, { ...userSays('/call echo'), tools }))
    const messages = [...userSays('/call echo').messages, first.message, content]
    const answer = await ask(model, { messages, tools })
    expect(finished(answer).reason).toBe('stop')
    return answer.text
  }
  const result = { type: 'tool-result', id: 'console-1', name: 'echo' } as const
  const text = { type: 'text', text: '/call echo {}' } as const
  expect(await said({ role: 'tool', content: [{ ...result, content: [text] }] })).toBe(
    '/call echo {}',
  )
  expect(
    await said({ role: 'tool', content: [{ ...result, content: [text], isError: true }] }),
  ).toBe('echo failed: /call echo {}')
  const image = { type: 'file', mediaType: 'image/png', data: '' } as const
  expect(await said({ role: 'tool', content: [{ ...result, content: [image] }] })).toBe(
    '[image/png]',
  )
  expect(await said({ role: 'tool', content: [{ ...result, content: [] }] })).toBe(
    'Nothing was returned.',
  )
})

test('calls of one conversation have ids of their own', async () => {
  const { message } = finished(await ask(model, { ...userSays('/call echo'), tools }))
  const said = userSays('/call echo').messages
  const again = finished(await ask(model, { messages: [...said, message, ...said], tools }))
  const ids = [message, again.message].map(
    ({ content: [part] }) => part?.type === 'tool-call' && part.id,
  )
  expect(ids).toEqual(['console-1', 'console-3'])
})

test('an answer that was cancelled says so', async () => {
  expect(failed(await ask(model, userSays('/help'), AbortSignal.abort())).error.code).toBe(
    'CANCELLED',
  )
})
