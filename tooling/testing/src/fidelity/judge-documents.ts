import { expect, test } from 'vitest'
import { asObject } from '../probe/session.ts'
import { expectSame } from './compare.ts'
import { expectSameEnds, type Stage } from './stage.ts'

/** Resources, prompts and completions are the same JSON at both ends. */
export function judgeDocuments(stage: () => Stage): void {
  test('every resource is read as the server gives it', async () => {
    const { fixture, subject, exchange } = stage()
    for (const { uri } of fixture.resources) {
      const ends = await exchange('resources/read', { uri, 'x-unknown': { nested: [null] } })
      expectSameEnds(ends, subject)
      expectSame(ends.near.answer, { result: fixture.read(String(uri)) })
    }
  })

  test('what a template stands for is read from the server of the template', async () => {
    const { subject, exchange } = stage()
    for (const uri of [
      `${subject.tag}://items/4%2F2?view=all`,
      `file:///${subject.tag}/tree/a/b`,
    ]) {
      const ends = await exchange('resources/read', { uri })
      expectSameEnds(ends, subject)
      expect(ends.near.answer).toMatchObject({ result: { contents: [{ uri }, {}] } })
    }
  })

  test('a resource that is not there is an error, as the server words it if it was asked', async () => {
    const { subject, exchange } = stage()
    const ends = await exchange('resources/read', { uri: `${subject.tag}://nowhere/1` })
    expect(ends.near.answer).toMatchObject({ error: { code: -32002 } })
    if (ends.far !== undefined) {
      expectSameEnds(ends, subject)
    }
  })

  test('every prompt is given as the server gives it', async () => {
    const { fixture, subject, exchange } = stage()
    for (const prompt of fixture.prompts) {
      const name = String(prompt.name)
      const args = { city: 'Oslo 😀\u2028', tone: '' }
      const ends = await exchange('prompts/get', { name, arguments: args, 'x-unknown': null })
      expectSameEnds(ends, subject)
      expectSame(ends.near.answer, { result: fixture.prompt(name, args) })
    }
  })

  test('a prompt that is not there is refused with -32602', async () => {
    const { near } = await stage().exchange('prompts/get', { name: 'nowhere' })
    expect(near.answer).toMatchObject({ error: { code: -32602 } })
  })

  test('arguments of prompts and templates are completed by the server', async () => {
    const { subject, exchange } = stage()
    const context = { arguments: { tone: 'kind' }, 'x-unknown': [null] }
    for (const ref of [
      { type: 'ref/prompt', name: 'greet', title: 'Greet', 'x-unknown': false },
      { type: 'ref/resource', uri: `${subject.tag}://items/{id}{?view}` },
    ]) {
      const argument = { name: 'city', value: 'Os' }
      const ends = await exchange('completion/complete', { ref, argument, context })
      expectSameEnds(ends, subject)
      const { completion } = asObject(ends.near.answer?.result)
      expect(completion).toMatchObject({ values: ['Oslo', 'Osaka'], total: 2, hasMore: false })
    }
  })
}
