import type { MessageHandler, Principal, Session } from '@mobius-mcp/protocol'
import { localPrincipal, openInProcess } from '@mobius-mcp/protocol'
import type { AssembleOptions, Gateway } from './assemble.ts'
import { askingClient, attach, type Caller, type CommandClient, introduce } from './attach.ts'
import { CommandConfiguration } from './command-configuration.ts'
import { localOperator } from './operator-sign-in.ts'
import type { ConfigOptions } from './program.ts'
import { findAttachable } from './reach.ts'
import type { RunningGateway } from './running-gateway.ts'
import { UserError } from './user-error.ts'
import { askForVariables } from './variables-door.ts'

/** The gateway that a command works with: the one that runs, or one of its own that ends with it. */
export interface UsedGateway extends AsyncDisposable {
  /** Somebody else's, which goes on when the command ends. */
  readonly isRunning: boolean
  /** Opens a conversation with one of its servers. Who is done closes it. */
  open(server: string, as: Caller, client?: CommandClient): Promise<Session>
}

/** Finds the gateway that runs on the configuration that is meant, or assembles one. */
export async function useGateway(
  options: ConfigOptions & Pick<AssembleOptions, 'asks'>,
): Promise<UsedGateway> {
  const configuration = new CommandConfiguration(options)
  const running = await findAttachable(configuration)
  if (running) return useRunning(running)
  // Whoever goes through another's gateway need not load one.
  const { assemble } = await import('./assemble.ts')
  return useOwn(await assemble({ ...options, configuration }))
}

function useRunning(running: RunningGateway): UsedGateway {
  return {
    isRunning: true,
    open: (server, as, client) =>
      attach(running, `/mcp/s/${encodeURIComponent(server)}`, as, client),
    async [Symbol.asyncDispose]() {},
  }
}

function useOwn(gateway: Gateway): UsedGateway {
  const principals: Record<Caller, Principal> = { client: localPrincipal, operator: localOperator }
  const handlers = new Map<string, MessageHandler>()
  const handlerOf = (server: string) => {
    const { service, views } = gateway
    const known = handlers.get(server)
    if (known) return known
    const published = service.publishServer(server, views.single)
    if (!published) throw new UserError(`There is no server ${JSON.stringify(server)} here.`, 1)
    handlers.set(server, published)
    return published
  }
  return {
    isRunning: false,
    async open(server, as, client = askingClient) {
      const handler = handlerOf(server)
      // Whoever can be asked gives what the configuration needs to know.
      const asks = client.capabilities.elicitation !== undefined
      const door = asks ? askForVariables(handler, gateway.variables) : handler
      const session = openInProcess(door, {
        client: client.handler,
        principal: principals[as],
      })
      return await introduce(session, client)
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}
