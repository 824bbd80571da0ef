import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { createFixture, type Fixture } from '../probe/fixture.ts'
import { answers } from '../probe/fixture-results.ts'
import type { JsonObject } from '../probe/recording.ts'
import { asObject, nonceKey } from '../probe/session.ts'
import { expectSame, toCarried, withName } from './compare.ts'
import { type Exchange, findExchange } from './exchange.ts'
import { followProbeLog } from './probe-log.ts'
import type {
  ClientBehaviour,
  Driver,
  FidelityClient,
  FidelitySubject,
  FidelityTarget,
  RequestOptions,
} from './target.ts'

/** A target with a client connected to it, and what a judge does with them. */
export interface Stage extends AsyncDisposable {
  readonly subject: FidelitySubject
  readonly fixture: Fixture
  readonly client: FidelityClient
  readonly target: FidelityTarget
  /** One more client in a session of its own. */
  connect(behaviour?: ClientBehaviour): Promise<FidelityClient>
  /** Sends a request and waits until it is settled, however that may be. */
  exchange(method: string, params: JsonObject, options?: ExchangeOptions): Promise<BothEnds>
  /** What both ends have recorded of an exchange by now. */
  find(nonce: string, client?: FidelityClient): { [End in keyof BothEnds]?: Exchange | undefined }
  /** Calls the probe's tool `state`, which waits for latches; gives its structured content. */
  state(args: JsonObject, client?: FidelityClient): Promise<JsonObject>
}

/** Who sends a request, and how; by default the stage's own client under a fresh nonce. */
export interface ExchangeOptions extends RequestOptions {
  client?: FidelityClient
  nonce?: string
}

/** The same exchange as the client and as the probe saw it. */
export interface BothEnds {
  near: Exchange
  /** Missing if it never got there. */
  far?: Exchange | undefined
}

/** A client that can do everything. */
export const fullBehaviour: ClientBehaviour = {
  capabilities: { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } },
  answer: (method) => answers[method] ?? {},
}

/** Opens the target and connects a client that can do everything. */
export async function openStage(subject: FidelitySubject, driver: Driver): Promise<Stage> {
  await using opened = new AsyncDisposableStack()
  const target = opened.use(await subject.open())
  const readLog = followProbeLog(target.log)
  const client = opened.use(await driver.connect(target.endpoint, fullBehaviour))
  const lifetime = opened.move()
  const stage: Stage = {
    subject,
    fixture: createFixture(subject.tag),
    client,
    target,
    connect: (behaviour = fullBehaviour) => driver.connect(target.endpoint, behaviour),
    exchange: (method, params, options) => exchange(stage, { method, params }, options),
    find: (nonce, by = client) => ({
      near: findExchange(by.tape.records, nonce),
      far: findExchange(readLog(), nonce),
    }),
    async state(args, by = client) {
      const name = subject.publicName('state')
      const result = await by.request('tools/call', { name, arguments: args }, { timeout: 5_000 })
      return asObject(asObject(result).structuredContent)
    },
    [Symbol.asyncDispose]: () => lifetime.disposeAsync(),
  }
  return stage
}

/** Expects request and answer to be the same at both ends, but for what belongs to a connection. */
export function expectSameEnds({ near, far }: BothEnds, subject: FidelitySubject): void {
  expect(far, 'the request at the probe').toBeDefined()
  const method = String(near.request.method)
  expect(far?.request.method).toBe(method)
  const publicParams = asObject(far?.request.params)
  expectSame(
    toCarried(near.request.params),
    toCarried(withName(method, publicParams, subject.publicName)),
  )
  expectSame(near.answer, far?.answer)
}

async function exchange(
  { subject, client, find }: Stage,
  { method, params }: { method: string; params: JsonObject },
  { client: by = client, nonce = randomUUID(), ...options }: ExchangeOptions = {},
): Promise<BothEnds> {
  const request = withName(method, params, subject.publicName)
  const _meta = { ...asObject(params._meta), [nonceKey]: nonce }
  let rejection: unknown
  await by
    .request(method, { ...request, _meta }, { timeout: 10_000, ...options })
    .catch((error) => {
      // An SDK refuses some answers that are judged here as they came; aborting rejects as well.
      rejection = error
    })
  const { near, far } = find(nonce, by)
  if (near === undefined || (near.answer === undefined && options.signal === undefined)) {
    throw new Error(`${method} was never answered.`, { cause: rejection })
  }
  return { near, far }
}
