import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTemporaryFolder } from '@mobius-mcp/testing/temporary-folder.ts'
import { expect, test } from 'vitest'
import { chat, readJson, readThread } from './support/chat.ts'
import { connectClient } from './support/client.ts'
import { type MobiusOptions, startServing } from './support/mobius.ts'

const effectsServer = join(import.meta.dirname, 'support/effects-server.mjs')

/** A folder in which a gateway can be started again and again, with a server whose calls leave traces. */
async function openPlace(more = '') {
  const folder = await openTemporaryFolder()
  const effects = join(folder.path, 'effects.txt')
  await writeFile(effects, '')
  await writeFile(
    join(folder.path, 'mobius.yaml'),
    `mcpServers:
  effects: { command: ${process.execPath}, args: [${effectsServer}], env: { EFFECTS: ${effects} } }
${more}`,
  )
  const options: MobiusOptions = {
    cwd: folder.path,
    env: { MOBIUS_STATE: join(folder.path, 'state') },
  }
  return {
    effects: async () => (await readFile(effects, 'utf8')).split('\n').filter(Boolean),
    serve: () => startServing([], options),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

const allowed = 'permissions: { allow: [effects] }\n'

test('with nothing configured, the default agent calls tools, and its thread outlives a kill in the middle of a turn', async () => {
  await using place = await openPlace(allowed)
  let thread: string
  {
    await using mobius = await place.serve()
    await using client = await connectClient(`${mobius.origin}/mcp`)
    const first = await chat(client, '/call effects/note {"n":1}')
    expect(first).toMatchObject({ text: 'did note {"n":1}', isError: false })
    thread = first.thread
    const broken = chat(client, '/call effects/hold').catch(() => 'broken off')
    await expect.poll(place.effects).toEqual(['note {"n":1}', 'hold {}'])
    mobius.child.kill('SIGKILL')
    await mobius.ended()
    expect(await broken).toBe('broken off')
  }
  await using mobius = await place.serve()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  expect(await readJson(client, 'chat://threads')).toMatchObject([
    { id: thread, agent: 'assistant' },
  ])
  const interrupted =
    'hold failed: The call was interrupted when the process that made it ended. Nobody knows whether it was done: find out before you make it again.'
  const before = [
    'user: /call effects/note {"n":1}',
    'assistant: calls note',
    'note: did note {"n":1}',
    'assistant: did note {"n":1}',
    'end: done',
    'user: /call effects/hold',
    'assistant: calls hold',
    `hold: ${interrupted.replace('hold failed: ', '')}`,
    `assistant: ${interrupted}`,
    'end: done',
  ]
  await expect.poll(() => readThread(client, thread)).toEqual(before)
  const next = await chat(client, '/call effects/note {"n":2}', { thread })
  expect(next).toEqual({ text: 'did note {"n":2}', thread, isError: false })
  expect((await readThread(client, thread)).slice(before.length)).toEqual([
    'user: /call effects/note {"n":2}',
    'assistant: calls note',
    'note: did note {"n":2}',
    'assistant: did note {"n":2}',
    'end: done',
  ])
  expect(await place.effects()).toEqual(['note {"n":1}', 'hold {}', 'note {"n":2}'])
})
