// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { expect, test } from 'vitest'
import { chat } from './support/chat.ts'
import { connectClient, type Person } from './support/client.ts'
import { openModelEndpoint } from './support/model-endpoint.ts'
import { openPlace } from './support/place.ts'

const needsKey = `env: { TRACKER_KEY: The key of the tracker }
agents: { main: { instructions: "\${TRACKER_KEY}" } }
`

test('a client comes in only when what is declared has a value, and is told what has none', async () => {
  await using place = await openPlace(needsKey)
  await using mobius = await place.serve()
  const refusal = await connectClient(`${mobius.origin}/mcp`).catch((error: unknown) => error)
  expect(refusal).toMatchObject({
    code: -32602,
    message: expect.stringContaining('missing required environment variables: [TRACKER_KEY]'),
    data: { missingEnv: [{ name: 'TRACKER_KEY', description: 'The key of the tracker' }] },
  })
  // A form is no place for a secret.
  const person: Person = () => ({ action: 'accept', content: { TRACKER_KEY: 'x' } })
  await expect(connectClient(`${mobius.origin}/mcp`, {}, person)).rejects.toThrow('TRACKER_KEY')
  // An operator still gets at what is there.
  await using meta = await connectClient(`${mobius.origin}/mcp/s/meta`)
  expect((await meta.listTools()).tools).not.toEqual([])
})

test('with the variable set there is nothing to be asked', async () => {
  await using place = await openPlace(needsKey, { TRACKER_KEY: 'a-key-for-the-tracker' })
  await using mobius = await place.serve()
  await using client = await connectClient(`${mobius.origin}/mcp`)
  expect((await client.listTools()).tools).not.toEqual([])
})

const needsRegion = (baseUrl: string) => `env:
  REGION: { description: Where, options: [eu, us], secret: false }
models: { providers: { here: { baseUrl: "${baseUrl}" } }, default: here/small }
agents: { main: { instructions: "In \${REGION}." } }
http: { keys: [{ name: anna, key: key-of-anna-0123 }, { name: bert, key: key-of-bert-0123 }] }
`

test('whoever can be asked is asked, and what they say is for them alone', async () => {
  await using endpoint = await openModelEndpoint(({ system }) => system)
  await using place = await openPlace(needsRegion(endpoint.baseUrl))
  await using mobius = await place.serve()
  const come = (name: string, person: Person) =>
    connectClient(`${mobius.origin}/mcp`, { authorization: `Bearer key-of-${name}-0123` }, person)
  const forms: unknown[] = []
  await using anna = await come('anna', (form) => {
    forms.push(form)
    return { action: 'accept', content: { REGION: 'us', PATH: '/tmp' } }
  })
  const hello = (client: typeof anna) => chat(client, 'hello', { agent: 'main' })
  expect((await hello(anna)).text).toBe('In us.')
  expect(forms).toMatchObject([
    {
      requestedSchema: {
        properties: { REGION: { type: 'string', description: 'Where', enum: ['eu', 'us'] } },
        required: ['REGION'],
      },
    },
  ])
  await using bert = await come('bert', () => ({ action: 'decline' }))
  const answer = await hello(bert)
  expect(answer.isError).toBe(true)
  expect(answer.text).toContain('The variable REGION is needed and not set.')
  // Whoever has said it is not asked again.
  await using again = await come('anna', (form) => {
    forms.push(form)
    return { action: 'cancel' }
  })
  expect((await hello(again)).text).toBe('In us.')
  expect(forms).toHaveLength(1)
})
