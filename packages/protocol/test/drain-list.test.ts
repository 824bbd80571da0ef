import { describe, expect, test } from 'vitest'
import { drainList, type JsonObject, type ListKind } from '../src/index.ts'
import { openConversation } from './support/conversation.ts'

/** The drained list of a server whose pages are these, the warnings, and what it was asked. */
async function drain(
  pages: (params: JsonObject) => JsonObject,
  options: { kind?: ListKind; maxPages?: number } = {},
) {
  const asked: unknown[] = []
  const warnings: string[] = []
  await using talk = await openConversation({
    onMessage({ method, params = {} }) {
      asked.push([method, params])
      return pages(params)
    },
  })
  const { kind = 'tools', ...rest } = options
  const items = await drainList(talk.client, kind, {
    ...rest,
    onWarning: (warning) => warnings.push(warning),
  })
  return { items, warnings, asked }
}

describe('draining a list', () => {
  test('follows the cursors to the end', async () => {
    const { items, warnings, asked } = await drain(({ cursor }) => {
      if (cursor === undefined) return { tools: [{ name: 'a' }], nextCursor: 'p2' }
      if (cursor === 'p2') return { tools: [{ name: 'b' }], nextCursor: 'p3' }
      return { tools: [{ name: 'c' }] }
    })
    expect(items).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    expect(asked).toEqual([
      ['tools/list', {}],
      ['tools/list', { cursor: 'p2' }],
      ['tools/list', { cursor: 'p3' }],
    ])
    expect(warnings).toEqual([])
  })

  test('takes an empty cursor for the end, as some servers mean it', async () => {
    const { items, asked } = await drain(() => ({ tools: [{ name: 'a' }], nextCursor: '' }))
    expect(items).toEqual([{ name: 'a' }])
    expect(asked).toHaveLength(1)
  })

  test('stops at a cursor that it has seen, and says so', async () => {
    const { items, warnings, asked } = await drain(({ cursor }) => ({
      tools: [{ name: String(cursor) }],
      nextCursor: cursor === 'a' ? 'b' : 'a',
    }))
    expect(items).toHaveLength(3)
    expect(asked).toHaveLength(3)
    expect(warnings).toMatchInlineSnapshot(`
      [
        "tools/list answered the cursor "a" twice; stopped there",
      ]
    `)
  })

  test('stops at the cap, and says so', async () => {
    let page = 0
    const pages = () => ({ tools: [{ name: `t${page}` }], nextCursor: `p${page++}` })
    const { items, warnings } = await drain(pages, { maxPages: 5 })
    expect(items).toHaveLength(5)
    expect(warnings).toEqual(['tools/list has more than 5 pages; the rest was not read'])
  })

  test('leaves out what is no item, and the others as they came', async () => {
    const good = { name: 'a', annotations: { readOnlyHint: false }, ours: null }
    const { items } = await drain(() => ({
      tools: [null, 'x', [], {}, { name: 7 }, good],
      nextCursor: 7,
    }))
    expect(items).toEqual([good])
  })

  test('is empty where the server answers no list at all', async () => {
    for (const tools of [undefined, null, {}]) {
      expect((await drain(() => ({ tools }))).items).toEqual([])
    }
  })

  test('survives a page of a million', async () => {
    const tools = Array.from({ length: 1_000_000 }, () => ({ name: 'a' }))
    expect((await drain(() => ({ tools }))).items).toHaveLength(1_000_000)
  })

  test('knows each kind by its own method, member and name', async () => {
    const all = {
      prompts: [{ name: 'p' }],
      resources: [{ uri: 'r' }],
      resourceTemplates: [{ uriTemplate: 't' }],
    }
    for (const kind of ['prompts', 'resources', 'resourceTemplates'] as const) {
      expect((await drain(() => all, { kind })).items).toEqual(all[kind])
    }
  })

  test('fails where a page does', async () => {
    await using talk = await openConversation({ onMessage: () => Promise.reject(new Error('x')) })
    await expect(drainList(talk.client, 'tools')).rejects.toThrow('Internal error')
  })
})
