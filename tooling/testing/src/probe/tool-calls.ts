import { createHash } from 'node:crypto'
import { failure, questions, structuredResults, unicodeResult } from './fixture-results.ts'
import type { JsonObject } from './recording.ts'
import { asObject, nonceKey, ProbeError, type ProbeRequest } from './session.ts'

type Tool = (args: JsonObject, request: ProbeRequest) => Promise<JsonObject> | JsonObject

const levels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const

const implementations: Record<string, Tool> = {
  echo,
  unicode: () => unicodeResult,
  structured: ({ shape }) => structuredResults[String(shape ?? 'object')] ?? {},
  fail: () => {
    throw new ProbeError(failure)
  },
  progress,
  wait,
  ask,
  grow,
  touch,
  large: ({ size }) => text('0123456789abcdef'.repeat(Math.ceil(Number(size) / 16))),
  digest: ({ payload }) => {
    const sha256 = createHash('sha256').update(String(payload)).digest('hex')
    return { content: [], structuredContent: { length: String(payload).length, sha256 } }
  },
  state,
  log,
}

/** Answers `tools/call`. */
export async function callTool(request: ProbeRequest): Promise<JsonObject> {
  const name = String(request.params.name)
  if (!request.session.tools.some((tool) => tool.name === name)) {
    throw new ProbeError({ code: -32602, message: `Unknown tool: ${name}` })
  }
  const run = implementations[name] ?? echo
  return await run(asObject(request.params.arguments), request)
}

function echo(_args: JsonObject, { params, meta }: ProbeRequest): JsonObject {
  return {
    content: [{ type: 'text', text: JSON.stringify(params.arguments ?? null) }],
    structuredContent: { params, meta },
    _meta: { 'example.test/echo': meta },
  }
}

async function progress(args: JsonObject, request: ProbeRequest): Promise<JsonObject> {
  const { steps = 10, after, gate } = args
  const progressToken = request.meta.progressToken
  for (let step = 1; step <= Number(steps); step += 1) {
    if (progressToken !== undefined) {
      await request.notify('notifications/progress', {
        progressToken,
        progress: step,
        total: Number(steps),
        message: `step ${step} 😀`,
        _meta: { 'example.test/step': step },
        'x-unknown': { nested: [null, false, step] },
      })
    }
    if (step === after) {
      await request.session.latches.opened(String(gate))
    }
  }
  request.session.latches.open(`done ${gate}`)
  return text('done')
}

function wait(_args: JsonObject, { meta, session, signal }: ProbeRequest): Promise<JsonObject> {
  const nonce = String(meta[nonceKey])
  session.latches.open(`started ${nonce}`)
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      session.latches.open(`aborted ${nonce}`)
      reject(new ProbeError({ code: -32800, message: 'aborted' }))
    })
  })
}

async function ask({ method }: JsonObject, request: ProbeRequest): Promise<JsonObject> {
  const question = String(method)
  try {
    const answer = await request.ask(question, questions[question] ?? {})
    return { content: [], structuredContent: { answer } }
  } catch (error) {
    const { code, message, data } = error as Partial<ProbeError>
    return { content: [], structuredContent: { error: { code, message, data } } }
  }
}

async function grow({ name }: JsonObject, { session }: ProbeRequest): Promise<JsonObject> {
  session.tools.push({ name, inputSchema: { type: 'object' }, 'x-unknown': { grown: null } })
  await session.listening
  await session.notify('notifications/tools/list_changed')
  return text(`added ${name}`)
}

async function touch({ uri }: JsonObject, { session }: ProbeRequest): Promise<JsonObject> {
  await session.listening
  const isWatched = session.subscriptions.has(String(uri))
  if (isWatched) {
    const params = { uri, title: null, 'x-unknown': { nested: [null, false] } }
    await session.notify('notifications/resources/updated', params)
  }
  return { content: [], structuredContent: { isWatched } }
}

async function state(args: JsonObject, { session }: ProbeRequest): Promise<JsonObject> {
  for (const name of toStrings(args.open)) {
    session.latches.open(name)
  }
  await Promise.all(toStrings(args.opened).map((name) => session.latches.opened(name)))
  const environment = Object.fromEntries(
    toStrings(args.environment).map((name) => [name, process.env[name] ?? null]),
  )
  return { content: [], structuredContent: { pid: process.pid, environment } }
}

async function log(args: JsonObject, request: ProbeRequest): Promise<JsonObject> {
  const { count = 1, size = 0 } = args
  const asked = toStrings(args.levels)
  for (let index = 0; index < Number(count); index += 1) {
    const level = asked[index % asked.length] ?? 'info'
    if (rank(level) >= rank(request.session.level)) {
      await request.notify('notifications/message', {
        level,
        logger: 'probe/log',
        data: { index, filling: 'x'.repeat(Number(size)), odd: [null, false, '\u2028'] },
        'x-unknown': { nested: null },
      })
    }
  }
  return text('logged')
}

function rank(level: string): number {
  return (levels as readonly string[]).indexOf(level)
}

function text(value: string): JsonObject {
  return { content: [{ type: 'text', text: value }] }
}

function toStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
