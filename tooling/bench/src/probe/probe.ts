import { isDeepStrictEqual } from 'node:util'
import { echoFailure, echoMetaKey, echoTool } from '../echo/answer.ts'
import { openClient, request } from '../http/client.ts'
import type { Answer, Client, Target } from '../http/contract.ts'
import { within } from '../http/within.ts'

/** One thing that was looked at; `fault` says what happened instead. */
export interface Finding {
  what: string
  fault: string | undefined
}

type Probe = (client: Client, target: Target) => Promise<string | undefined>

const patience = 10_000

/** Sends a few telling requests through a gateway to the minimal echo and compares what comes back. */
export async function probe(target: Target): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [what, run] of Object.entries(probes)) {
    findings.push({ what, fault: await findFault(run, target) })
  }
  return findings
}

async function findFault(run: Probe, target: Target): Promise<string | undefined> {
  try {
    const client = await openClient(target)
    try {
      return await within(patience, 'the probe', run(client, target))
    } finally {
      await client.close()
    }
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 100) : String(error)
  }
}

const probes: { [what: string]: Probe } = {
  'every field of a listed tool': probeList,
  'text and structured result': (client, target) => probeText(client, target, 'hello'),
  '4-byte characters, U+2028, NUL': (client, target) => probeText(client, target, '😀\u2028\u0000'),
  '1 MB argument and result': (client, target) => probeText(client, target, 'x'.repeat(1_000_000)),
  '`_meta` of request and result': probeMeta,
  'code and data of a JSON-RPC error': probeError,
  '200 calls at once in 2 sessions': probeConcurrency,
}

async function probeList(client: Client, { tool }: Target): Promise<string | undefined> {
  const { result } = await request(client, { method: 'tools/list', params: {} })
  // A list of another shape fails as a fault.
  const tools = (result?.tools ?? []) as { [field: string]: unknown }[]
  const listed = tools.find(({ name }) => name === tool)
  if (listed === undefined) return 'not listed'
  const lost = Object.entries(echoTool)
    .filter(([field, value]) => field !== 'name' && !isDeepStrictEqual(listed[field], value))
    .map(([field]) => field)
  return lost.length === 0 ? undefined : `lost or changed: ${lost.join(', ')}`
}

async function probeText(
  client: Client,
  { tool }: Target,
  text: string,
): Promise<string | undefined> {
  const answer = await call(client, tool, { arguments: { text } })
  const expected = { content: [{ type: 'text', text }], structuredContent: { text } }
  return isDeepStrictEqual(answer.result, expected) ? undefined : excerpt(answer)
}

async function probeMeta(client: Client, { tool }: Target): Promise<string | undefined> {
  const sent = { [echoMetaKey]: [1, null, false] }
  const { result } = await call(client, tool, { arguments: { text: 'hello' }, _meta: sent })
  const received = (result?._meta as { received?: { [key: string]: unknown } } | undefined)
    ?.received
  if (received === undefined) return 'the result came without it'
  return isDeepStrictEqual(received[echoMetaKey], sent[echoMetaKey])
    ? undefined
    : 'the request came without it'
}

async function probeError(client: Client, { tool }: Target): Promise<string | undefined> {
  const answer = await call(client, tool.replace(/echo$/, 'fail'), { arguments: {} })
  const { code, data } = answer.error ?? {}
  const isKept = code === echoFailure.code && isDeepStrictEqual(data, echoFailure.data)
  return isKept ? undefined : excerpt(answer)
}

async function probeConcurrency(client: Client, target: Target): Promise<string | undefined> {
  const other = await openClient(target)
  const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`)
  const answers = await Promise.all(
    texts.map((text, index) =>
      call(index % 2 === 0 ? client : other, target.tool, { arguments: { text } }),
    ),
  )
  await other.close()
  const wrong = answers.filter(
    ({ result }, index) => !isDeepStrictEqual(result?.structuredContent, { text: texts[index] }),
  )
  return wrong.length === 0 ? undefined : `${wrong.length} wrong answers`
}

async function call(client: Client, name: string, params: object): Promise<Answer> {
  return await request(client, { method: 'tools/call', params: { name, ...params } })
}

function excerpt(answer: Answer): string {
  return JSON.stringify(answer).slice(0, 100)
}
