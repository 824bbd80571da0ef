import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openTemporaryFolder } from '@mobius-mcp/testing'
import { expect, test } from 'vitest'
import { openHouse } from './support/house.ts'
import { scriptModels } from './support/scripted-model.ts'
import { createToolBox } from './support/tools.ts'

const pixel = 'iVBORw0KGgo='

test('images, texts and resources come with a prompt', async () => {
  await using folder = await openTemporaryFolder()
  await writeFile(join(folder.path, 'note.txt'), 'buy milk')
  const models = scriptModels(() => 'seen')
  const box = createToolBox()
  const servers = [box.definition]
  const roots = [folder.path]
  await using house = await openHouse({ agents: [{ name: 'main' }], models, servers, roots })
  await using client = await house.client()
  const note = pathToFileURL(join(folder.path, 'note.txt')).href
  await client.chat('main', 'look', {
    attachments: [
      `data:image/png;base64,${pixel}`,
      { url: 'data:text/plain,hello%20there', name: 'greeting.txt' },
      { url: note },
      { url: note },
      { url: 'box://inside', server: 'box' },
    ],
  })
  expect(models.requests[0]?.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'file', mediaType: 'image/png', data: pixel },
        { type: 'text', text: '[greeting.txt]\nhello there' },
        { type: 'text', text: '[note.txt]\nbuy milk' },
        { type: 'text', text: 'what is in the box' },
      ],
    },
  ])
})

test('what is not open, not there or of no use is refused by name', async () => {
  await using folder = await openTemporaryFolder()
  const open = join(folder.path, 'open')
  await mkdir(open)
  const outside = join(folder.path, 'secret.txt')
  await writeFile(outside, 'secret')
  await symlink(outside, join(open, 'link.txt'))
  const models = scriptModels(() => 'seen')
  await using house = await openHouse({ agents: [{ name: 'main' }], models, roots: [open] })
  await using client = await house.client()
  const say = (url: string) => client.say('main', 'look', { attachments: [url] })
  const closed = 'there is no such file in the folders that are open to agents'
  expect(await say(pathToFileURL(outside).href)).toContain(closed)
  expect(await say(pathToFileURL(join(open, 'link.txt')).href)).toContain(closed)
  expect(await say(`${pathToFileURL(open).href}/../secret.txt`)).toContain(closed)
  expect(await say(`${pathToFileURL(open).href}/%2e%2e/secret.txt`)).toContain(closed)
  expect(await say('file:///nowhere')).toContain(closed)
  expect(await say('https://example.com/a.png')).toContain(
    'expected a data: URI, a file:/// URI, or a resource and its "server"',
  )
  expect(models.requests).toEqual([])
})
