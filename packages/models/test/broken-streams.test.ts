import { expect, test } from 'vitest'
import { createModels, type FinishEvent, type ModelRequest } from '../src/index.ts'
import { type Answer, ask, finished, userSays } from './support/ask.ts'
import { describeDialects } from './support/dialects.ts'

const request: ModelRequest = {
  ...userSays('Hi'),
  tools: [{ name: 'get_weather', inputSchema: { type: 'object', properties: {} } }],
}

describeDialects(({ fixture }) => {
  /** Reads a body without a network: hundreds of them. */
  const read = (body: string): Promise<Answer> => {
    const fetch = async (): Promise<Response> =>
      new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    const providers = { vendor: { dialect: fixture.dialect, baseUrl: 'http://127.0.0.1:9' } }
    const models = createModels({ providers, fetch, retry: { attempts: 1 } })
    return ask(models.model(`vendor/${fixture.model}`), request)
  }
  /** What was said, without what is made up anew each time. */
  const said = ({ message, reason }: FinishEvent): unknown => [
    reason,
    message.content.map((part) => ({ ...part, id: undefined, replay: undefined })),
  ]
  const bodies = [fixture.text, fixture.reasoning, fixture.parallel].map(({ body }) => String(body))

  test('wherever a stream is cut, the answer is whole or an error', async () => {
    for (const body of bodies) {
      const whole = said(finished(await read(body)))
      for (const cut of cutsOf(body)) {
        const { end } = await read(body.slice(0, cut))
        if (end.type === 'finish') expect(said(end)).toEqual(whole)
      }
    }
  })

  test('whichever event is broken, the answer is an error', async () => {
    for (const body of bodies) {
      const events = body.split('\n\n').slice(0, -1)
      for (const [index, event] of events.entries()) {
        if (event.includes('[DONE]')) continue
        const data = event.replace(/^event: .*\n/, '')
        for (const broken of [
          'data: {',
          data.slice(0, -1),
          'data: null',
          'data: []',
          'data: "x"',
          'data: 1',
        ]) {
          const { end } = await read(events.with(index, broken).join('\n\n').concat('\n\n'))
          expect([broken, end.type]).toEqual([broken, 'error'])
        }
      }
    }
  })
})

/** Before, within and behind each event. */
function cutsOf(body: string): number[] {
  const ends = [...body.matchAll(/\n\n/g)].map(({ index }) => index + 2)
  return [0, ...ends.flatMap((end) => [end - 8, end - 2, end - 1, end])].filter(
    (cut) => cut < body.length,
  )
}
