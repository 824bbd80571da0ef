import { describe, expect, test, vi } from 'vitest'
import { connectClient } from './support/client.ts'
import { openModelEndpoint } from './support/model-endpoint.ts'
import { asking, openPlace } from './support/place.ts'
import { ctrlC, ctrlD, hasTerminal } from './support/terminal.ts'

// Each command is a process of its own, from source.
vi.setConfig({ testTimeout: 120_000 })

const allowed = 'permissions: { allow: [effects] }\n'

describe.runIf(hasTerminal)('at a terminal', () => {
  test('what is thought is dim, what is said streams, and calls are shown in short', async () => {
    await using endpoint = await openModelEndpoint(({ last, isResult }) =>
      isResult
        ? { thought: 'Well, well.', text: `It \u001b[2Jsaid ${last}` }
        : { call: 'note', args: { what: last } },
    )
    await using place = await openPlace(`${allowed}models:
  providers: { here: { baseUrl: "${endpoint.baseUrl}" } }
  default: here/small
agents:
  main: { title: Mainly, mcpServers: [effects], permissions: { allow: [effects] }, starterMessages: [Try this] }
`)
    await using chat = place.sit('chat')
    await chat.sees('Mainly (main).')
    await chat.sees('Try this')
    await chat.sees('> ')
    chat.type('hello\r')
    await chat.sees('→ note {"what":"hello"}\n← note: did note {"what":"hello"}\n')
    await chat.sees('Well, well.\nIt \\u001b[2Jsaid did note {"what":"hello"}\n> ')
    expect(chat.raw).toContain('\u001b[2mWell, well.\u001b[22m')
    expect(chat.raw).not.toContain('\u001b[2J')
    chat.type('/exit\r')
    await chat.sees('To go on: mobius chat --thread ')
    expect(await chat.ended()).toBe(0)
  })

  test.each([
    ['by itself', false],
    ['through a running gateway', true],
  ])('an approval is asked for and given or not, %s', async (_how, isServed) => {
    await using place = await openPlace('permissions: { ask: [effects] }\n')
    await using _mobius = isServed ? await place.serve() : undefined
    await using chat = place.sit('chat')
    await chat.sees('> ')
    chat.type('/call effects/note {"n":1}\r')
    await chat.sees('? May local, by agent assistant, call effects/note (ask effects)?')
    await chat.sees('Approve? [y/N] ')
    chat.type('y\r')
    await chat.sees('did note {"n":1}\n> ')
    chat.type('/call effects/note {"n":2}\r')
    await chat.sees('Approve? [y/N] ')
    chat.type('\r')
    await chat.sees('effects/note was refused: local said no')
    await chat.sees('> ')
    chat.type(ctrlD)
    expect(await chat.ended()).toBe(0)
    expect(await place.effects()).toEqual(['note {"n":1}'])
  })

  test('an approval that is given elsewhere is not asked any more', async () => {
    await using place = await openPlace('permissions: { ask: [effects] }\n')
    await using _mobius = await place.serve()
    await using chat = place.sit('chat')
    await chat.sees('> ')
    chat.type('/call effects/note\r')
    await chat.sees('Approve? [y/N] ')
    const { stdout } = await place.run(['questions', '--json'])
    const [{ id }] = JSON.parse(stdout)
    expect((await place.run(['approve', id])).code).toBe(0)
    await chat.sees('It was answered, or is not asked any more.\n')
    await chat.sees('did note {}\n> ')
  })

  test.each([
    ['by itself', false],
    ['through a running gateway', true],
  ])('a form is filled in field by field, %s', async (_how, isServed) => {
    await using place = await openPlace(`${asking}permissions: { allow: [effects, asking] }\n`)
    await using _mobius = isServed ? await place.serve() : undefined
    await using chat = place.sit('chat')
    await chat.sees('> ')
    chat.type('/call asking/order\r')
    await chat.sees('? What shall it \\u001b[2Jbe?\n')
    await chat.sees('Your name (text, at least 2 characters): ')
    chat.type('x\r')
    await chat.sees('That does not fit: expected text, at least 2 characters.')
    await chat.sees('Your name (text, at least 2 characters): ')
    chat.type('Ann\r')
    await chat.sees('count (a whole number, at least 1 and at most 9) [2]: ')
    chat.type('\r')
    await chat.sees('1. Small (s)\n  2. Large (l)\n')
    await chat.sees('size (one of them): ')
    chat.type('2\r')
    await chat.sees('extras (several, with commas between them) [none]: ')
    chat.type('basil, 1\r')
    await chat.sees('Wrapped as one\n')
    await chat.sees('gift (y or n): ')
    chat.type('y\r')
    await chat.sees('mail (an e-mail address) [none]: ')
    chat.type('\r')
    await chat.sees('{"name":"Ann","count":2,"size":"l","extras":["b","a"],"gift":true}\n')
    chat.type('y\r')
    await chat.sees(
      'told {"action":"accept","content":{"name":"Ann","count":2,"size":"l","extras":["b","a"],"gift":true}}\n> ',
    )
    chat.type('/call asking/order\r')
    await chat.sees('Your name')
    chat.type('/decline\r')
    await chat.sees('told {"action":"decline"}\n> ')
    chat.type('/call asking/order\r')
    await chat.sees('Your name')
    chat.type(ctrlD)
    await chat.sees('told {"action":"cancel"}\n> ')
    chat.type('/call asking/visit\r')
    await chat.sees('Refused: file:///etc/passwd is no address of a web page.')
    await chat.sees('told {"action":"decline"}\n> ')
  })

  test('Ctrl-C stops the turn, throws away what was begun to be typed, and then leaves', async () => {
    await using place = await openPlace(allowed)
    await using chat = place.sit('chat')
    await chat.sees('> ')
    chat.type('/call effects/hold\r')
    await expect.poll(place.effects, { timeout: 30_000 }).toEqual(['hold {}'])
    chat.type(ctrlC)
    await chat.sees('Stopped. What was done until then is kept.\n> ')
    chat.type(`/call effects/note${ctrlC}/call effects/note {"n":2}\r`)
    await chat.sees('did note {"n":2}\n> ')
    chat.type(ctrlC)
    expect(await chat.ended()).toBe(0)
    expect(await place.effects()).toEqual(['hold {}', 'note {"n":2}'])
  })

  test('prompts are listed by /help and asked for what they lack; what is pasted is one prompt', async () => {
    await using endpoint = await openModelEndpoint(({ last }) => `heard ${JSON.stringify(last)}`)
    await using place = await openPlace(`${asking}models:
  providers: { here: { baseUrl: "${endpoint.baseUrl}" } }
  default: here/small
agents: { main: { prompts: [asking] } }
`)
    await using chat = place.sit('chat')
    await chat.sees('> ')
    chat.type('/help\r')
    await chat.sees('/review file=… [tone=…]  Reviews a file\n  /plain  Says hello\n')
    await chat.sees('> ')
    chat.type('/rev\t\r')
    await chat.sees('file: ')
    chat.type('a.ts\r')
    await chat.sees('heard "review a.ts kindly"\n> ')
    chat.type('one\rtwo\r')
    await chat.sees('heard "one\\ntwo"\n> ')
  })

  test('who goes on with a thread sees its last exchange, and what it waits for', async () => {
    await using place = await openPlace(`${asking}permissions: { allow: [effects, asking] }\n`)
    await using _mobius = await place.serve()
    await place.run(['chat'], '/call effects/note {"n":1}')
    const { stdout } = await place.run(['threads', '--json'])
    const [{ id }] = JSON.parse(stdout)
    await using chat = place.sit('chat', '-t', id)
    await chat.sees('> /call effects/note {"n":1}\n→ note {"n":1}\n← note: did note {"n":1}\n')
    await chat.sees('did note {"n":1}\n> ')
    chat.type('/call effects/note {"n":2}\r')
    await chat.sees('did note {"n":2}\n> ')
    const { stdout: after } = await place.run(['threads', '--json'])
    expect(JSON.parse(after)).toHaveLength(1)
  })

  test('a form that waits in a thread is asked of whoever goes on with it', async () => {
    await using place = await openPlace(`${asking}permissions: { allow: [asking] }\n`)
    await using mobius = await place.serve()
    await using client = await connectClient(`${mobius.origin}/mcp`)
    const { _meta } = await client.callTool({
      ...{ name: 'chat-with-assistant', arguments: { prompt: '/call asking/order' } },
      _meta: { 'mobius-mcp.dev/async': true },
    })
    const waiting = async () => (await place.run(['questions'])).stdout
    await expect
      .poll(waiting, { timeout: 60_000 })
      .toContain('What shall it \\u001b[2Jbe? (to answer')
    const thread = String(_meta?.['mobius-mcp.dev/thread'])
    await using chat = place.sit('chat', '-t', thread)
    await chat.sees('? What shall it \\u001b[2Jbe?\n')
    await chat.sees('Your name')
    chat.type('/decline\r')
    await chat.sees('> ')
    chat.type('/help\r')
    await chat.sees('another /.')
    await expect
      .poll(async () => (await place.run(['threads', 'show', thread])).stdout, { timeout: 60_000 })
      .toContain('told {"action":"decline"}')
  })
})
