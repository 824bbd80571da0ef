import { expect, test } from 'vitest'
import type { JsonObject } from '../probe/recording.ts'
import { asObject } from '../probe/session.ts'
import { expectSame } from './compare.ts'
import type { Stage } from './stage.ts'
import type { FidelityClient } from './target.ts'

const mostPages = 20

/** Lists arrive as they were sent, over all their pages. */
export function judgeLists(stage: () => Stage): void {
  test('every tool arrives as the server sent it, over all pages', async () => {
    await expectList(stage(), 'tools/list', 'tools', 'name')
  })

  test('every resource arrives as the server sent it, over all pages', async () => {
    await expectList(stage(), 'resources/list', 'resources', 'uri')
  })

  test('every resource template arrives as the server sent it, over all pages', async () => {
    await expectList(stage(), 'resources/templates/list', 'resourceTemplates', 'uriTemplate')
  })

  test('every prompt arrives as the server sent it, over all pages', async () => {
    await expectList(stage(), 'prompts/list', 'prompts', 'name')
  })

  test('the capabilities of the server are offered to the client', () => {
    const { client, subject, fixture } = stage()
    const answer = client.tape.records.find(({ message }) => 'result' in message)
    const result = asObject(answer?.message.result)
    expect(result.capabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    })
    if (subject.kind !== 'aggregate') {
      expect(result.instructions).toBe(fixture.instructions)
    }
  })
}

/** All items of a list as one client sees it, over all its pages. */
export async function drain(
  { exchange }: Stage,
  client: FidelityClient,
  method = 'tools/list',
  member = 'tools',
): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  let cursor: unknown
  for (let page = 0; page < mostPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const { near } = await exchange(method, params, { client })
    const result = asObject(near.answer?.result)
    items.push(...(result[member] as JsonObject[]))
    cursor = result.nextCursor
    if (cursor === undefined) {
      return items
    }
  }
  throw new Error(`${method} has more than ${mostPages} pages.`)
}

async function expectList(
  stage: Stage,
  method: string,
  member: 'tools' | 'resources' | 'resourceTemplates' | 'prompts',
  key: string,
): Promise<void> {
  const { subject, fixture } = stage
  const isNamed = member === 'tools' || member === 'prompts'
  const expected = fixture[member].map((item) =>
    isNamed ? { ...item, name: subject.publicName(String(item.name)) } : item,
  )
  const keys = new Set(expected.map((item) => item[key]))
  const items = await drain(stage, stage.client, method, member)
  // Others' items stand beside them where several servers are shown as one.
  const seen = subject.kind === 'aggregate' ? items.filter((item) => keys.has(item[key])) : items
  expectSame(seen, expected)
}
