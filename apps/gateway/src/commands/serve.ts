import type { HttpSettings } from '@mobius-mcp/config'
import type { HttpHost } from '@mobius-mcp/http-host'
import { createAccess } from '../access.ts'
import { announce } from '../announce.ts'
import { assemble, type Gateway } from '../assemble.ts'
import { createDoors } from '../doors.ts'
import { keepHouse } from '../keep-house.ts'
import { checkBind, type Listening, listen, parseListen } from '../listen.ts'
import { createOperatorSignIn, type OperatorSignIn } from '../operator-sign-in.ts'
import type { ConfigOptions } from '../program.ts'
import { createKey, leaveNote, type RunningGateway } from '../running-gateway.ts'
import { untilSignal } from '../until-signal.ts'

export interface ServeOptions extends ConfigOptions {
  listen?: string
  insecure?: boolean
}

/** How long calls in flight may take to end when the gateway stops. */
const stopWithin = 10_000

/** `mobius serve`: serves MCP over HTTP until it is told to stop. */
export async function serve(options: ServeOptions): Promise<number> {
  let host: HttpHost | undefined
  const sessions = () => host?.sessions.count ?? 0
  await using gateway = await assemble({
    ...options,
    stays: true,
    asks: 'operators',
    sessions,
  })
  const http = gateway.live.current.http
  const bind = addressOf(options, http)
  checkBind(bind, { keys: http.keys.length, insecure: options.insecure ?? false })
  const local = { operatorKey: createKey(), clientKey: createKey() }
  const signIn = createOperatorSignIn()
  host = openDoors(gateway, { local, signIn })
  const listening = await listen(host.fetch, bind)
  using house = keepHouse({
    logger: gateway.seeing.logger,
    agents: () => gateway.agents.open(),
    state: async () => (await gateway.kept.open()).store,
  })
  // What is loaded holds the process up: nobody is told before that it is there.
  await house.ready
  await using _note = await leaveNote(gateway.state, noteOf(gateway, listening, local))
  announce({ ...listening, gateway, token: signIn.token })
  const signal = await untilSignal()
  process.stderr.write(`${signal}: waiting for calls in flight; press again to stop at once\n`)
  await host.close({ deadline: stopWithin })
  await listening.close()
  return 0
}

function addressOf({ listen: argument }: ServeOptions, http: HttpSettings) {
  const address = parseListen(argument ?? process.env.MOBIUS_LISTEN) ?? http.listen
  return address ?? { host: '127.0.0.1', port: 8420 }
}

type LocalKeys = Pick<RunningGateway, 'operatorKey' | 'clientKey'>

function openDoors(
  { service, views, questions, variables, seeing, live }: Gateway,
  { local, signIn }: { readonly local: LocalKeys; readonly signIn: OperatorSignIn },
): HttpHost {
  const current = () => live.current
  const keys = () => current().http.keys
  const authenticate = createAccess({ keys, local, signIn })
  const { metrics, logger } = seeing
  return createDoors({
    service,
    views,
    questions,
    variables,
    metrics,
    authenticate,
    signIn,
    current,
    onError: (error) => logger.error(error.message, { error }),
  })
}

function noteOf({ live }: Gateway, { url }: Listening, local: LocalKeys): RunningGateway {
  return {
    version: 1,
    url: reachable(url),
    pid: process.pid,
    configuration: live.paths,
    profiles: live.profiles,
    ...local,
  }
}

/** Commands are on the same machine, and nobody can be called at every address at once. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
