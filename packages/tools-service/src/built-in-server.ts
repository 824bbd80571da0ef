import { join } from 'node:path'
import {
  type Actor,
  type Caller,
  type Clock,
  type Crossing,
  type MessageHandler,
  openInProcess,
  type ServerDefinition,
} from '@mobius-mcp/protocol'
import { Holds } from './holds.ts'
import type { Opened, OpenOptions, Server } from './server.ts'

export interface BuiltInOptions {
  readonly folder: string
  readonly crossing: Crossing | undefined
  readonly clock: Clock
  callerFor(actor: Actor): Caller
  onLog(line: string): void
}

/** A server in this process, built on first use: for each root session, or once for all. */
export function createBuiltInServer(definition: ServerDefinition, options: BuiltInOptions): Server {
  const closing = new AbortController()
  let shared: Promise<MessageHandler> | undefined
  const build = async (signal: AbortSignal): Promise<MessageHandler> =>
    await definition.create({
      folder: join(options.folder, definition.name),
      closing: signal,
      callerFor: options.callerFor,
    })
  const buildShared = (): Promise<MessageHandler> => {
    shared ??= build(closing.signal)
    // A failed construction is tried again by whoever asks next.
    shared.catch(() => {
      shared = undefined
    })
    return shared
  }
  return {
    name: definition.name,
    identity: `built-in:${definition.name}`,
    visibility: definition.visibility ?? 'published',
    sharing: 'session',
    instant: true,
    disabled: false,
    plainNames: definition.plainNames ?? false,
    asksClient: definition.asksClient ?? false,
    idleTimeout: Number.POSITIVE_INFINITY,
    gate: undefined,
    holds: new Holds(),
    timeoutsFor: () => undefined,
    async open({ client, parent, principal, signal }: OpenOptions): Promise<Opened> {
      const handler = await (definition.instance === 'process' ? buildShared() : build(signal))
      const session = openInProcess(handler, {
        client,
        parent,
        principal,
        clock: options.clock,
        crossing: options.crossing,
        onError: (error) => options.onLog(error.message),
      })
      // What is worth it, they keep in a store.
      return { session, keepsState: () => false }
    },
    async close() {
      closing.abort()
    },
  }
}
