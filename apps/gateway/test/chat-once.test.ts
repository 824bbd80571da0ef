import { expect, test, vi } from 'vitest'
import { openModelEndpoint } from './support/model-endpoint.ts'
import { asking, openPlace } from './support/place.ts'

// Each command is a process of its own, from source.
vi.setConfig({ testTimeout: 120_000 })

const allowed = 'permissions: { allow: [effects] }\n'

test('what stands on stdin is said, and the answer alone is on stdout', async () => {
  await using place = await openPlace(allowed)
  const { code, stdout, stderr } = await place.run(['chat'], '/call effects/note {"n":1}\n')
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'did note {"n":1}\n', stderr: '' })
  expect(await place.effects()).toEqual(['note {"n":1}'])
})

test('through a running gateway it is the same, and a thread of the one is gone on with in the other', async () => {
  await using endpoint = await openModelEndpoint(({ last }) => `heard ${last}`)
  await using place = await openPlace(`models:
  providers: { here: { baseUrl: "${endpoint.baseUrl}" } }
  default: here/small
agents: { one: { instructions: One. }, two: { default: true, instructions: Two. } }
`)
  const first = await place.run(['chat', 'one', '--json'], 'first')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  const { content, _meta } = JSON.parse(first.stdout)
  expect(content).toEqual([{ type: 'text', text: 'heard first' }])
  const thread = _meta['mobius-mcp.dev/thread']
  {
    await using _mobius = await place.serve()
    // The agent is that of the thread, and not the default one.
    const second = await place.run(['chat', '--thread', thread], 'second')
    expect(second).toEqual({ code: 0, stdout: 'heard second\n', stderr: '' })
    expect((await place.run(['chat'], 'third')).stdout).toBe('heard third\n')
  }
  expect(endpoint.asked.map(({ system }) => system)).toEqual(['One.', 'One.', 'Two.'])
  const shown = await place.run(['threads', 'show', thread])
  expect(shown.stdout).toBe('A title (one)\n> first\nheard first\n> second\nheard second\n')
  const other = await place.run(['chat', 'two', '--thread', thread], 'x')
  expect(other).toMatchObject({ code: 2, stdout: '' })
  expect(other.stderr).toContain('is one with the agent "one", and not with "two"')
})

test.each([
  [['chat', 'nobody'], 'hello', 1, 'There is no agent "nobody". There are: assistant\n'],
  [['chat', '-t', 'no\u001b[2J'], 'hello', 1, 'You have no thread "no\\\\u001b[2J".'],
  [['chat'], '  \n', 2, 'There is nothing to say: expected a prompt on stdin, received none\n'],
])('mobius %j with %j on stdin ends with %d', async (args, input, code, said) => {
  await using place = await openPlace('')
  const result = await place.run(args, input)
  expect(result).toMatchObject({ code, stdout: '' })
  expect(result.stderr).toContain(said)
})

test('a turn that fails ends with 1 and says why', async () => {
  await using place = await openPlace(
    'models: { providers: { here: { baseUrl: "http://127.0.0.1:1/v1" } }, default: here/small }\n',
  )
  const { code, stdout } = await place.run(['chat'], 'hello')
  expect(code).toBe(1)
  expect(stdout).toMatch(/^\[Failed: .*\]\n$/s)
})

test('what a terminal would obey does not reach it, from tools nor from models', async () => {
  const evil = 'before \u001b]0;title\u0007 \u001b[2J\u202e \r\nafter \u{1f468}\u200d\u{1f469}'
  await using endpoint = await openModelEndpoint(() => evil)
  await using place = await openPlace(
    `${asking}models: { providers: { here: { baseUrl: "${endpoint.baseUrl}" } }, default: here/small }\n`,
  )
  const safe = 'before \\u001b]0;title\\u0007 \\u001b[2J\\u202e \nafter \u{1f468}\u200d\u{1f469}\n'
  expect((await place.run(['chat'], 'hello')).stdout).toBe(safe)
  const json = (await place.run(['chat', '--json'], 'hello')).stdout
  expect(json).not.toContain('\u001b')
  expect(JSON.parse(json).content).toEqual([{ type: 'text', text: evil }])
})

test('an approval that nobody can give is a no, and a form that nobody can fill in is left', async () => {
  await using place = await openPlace(`${asking}permissions: { allow: [asking], ask: [effects] }\n`)
  const refused = await place.run(['chat'], '/call effects/note')
  expect(refused.stdout).toContain('nobody is here to approve it')
  expect(await place.effects()).toEqual([])
  const left = await place.run(['chat'], '/call asking/order')
  expect(left.stdout).toBe('told {"action":"cancel"}\n')
  expect(left.stderr).toBe('Nobody is here to answer: What shall it \\u001b[2Jbe?\n')
})

test('a prompt of the agent’s server is filled in, and what it lacks is named', async () => {
  await using endpoint = await openModelEndpoint(({ last }) => `heard ${last}`)
  await using place = await openPlace(`${asking}models:
  providers: { here: { baseUrl: "${endpoint.baseUrl}" } }
  default: here/small
agents: { main: { prompts: [asking] } }
`)
  const say = async (text: string) => await place.run(['chat'], text)
  expect((await say('/review a.ts')).stdout).toBe('heard review a.ts kindly\n')
  expect((await say('/review file="my file" tone=harshly')).stdout).toBe(
    'heard review my file harshly\n',
  )
  expect((await say('/plain')).stdout).toBe('heard hello\n')
  expect((await say('/other')).stdout).toBe('heard /other\n')
  const lacking = await say('/review')
  expect(lacking).toMatchObject({ code: 2, stdout: '' })
  expect(lacking.stderr).toBe('/review needs more to go by: file. Give it as name=value\n')
})

test('Ctrl-C stops the turn: it ends with 130, and the thread says that it was stopped', async () => {
  await using place = await openPlace(allowed)
  await using mobius = await place.serve()
  await using chat = await place.start('chat')
  chat.child.stdin?.end('/call effects/hold')
  await expect.poll(place.effects, { timeout: 30_000 }).toEqual(['hold {}'])
  chat.child.kill('SIGINT')
  expect(await chat.ended()).toBe(130)
  const { stdout } = await place.run(['threads', '--json'])
  const [{ id }] = JSON.parse(stdout)
  await expect
    .poll(async () => (await place.run(['threads', 'show', id])).stdout, { timeout: 60_000 })
    .toContain('[Cancelled: whoever asked for it took it back.')
  expect(mobius.child.exitCode).toBeNull()
})
