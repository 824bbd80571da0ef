import { isObject, type JsonObject, type ServerDefinition } from '@mobius-mcp/protocol'
import { createMetaServer } from '../../src/index.ts'
import { createWorld, type World } from '../support/world.ts'

/** A meta server whose world is changed by its client, wherever it runs: by `test/…` requests. */
export function createChangingServer(): ServerDefinition {
  const world = createWorld()
  const meta = createMetaServer(world.dependencies)
  return {
    ...meta,
    async create(environment) {
      const handler = await meta.create(environment)
      return {
        onMessage(message, context) {
          const change = changes[message.method]
          if (!change) return handler.onMessage(message, context)
          change(world, isObject(message.params) ? message.params : {})
          return {}
        },
      }
    },
  }
}

const changes: Readonly<Record<string, (world: World, params: JsonObject) => void>> = {
  'test/state': (world, { name, state }) => world.setState(String(name), String(state)),
  'test/server': (world, { name }) => world.addServer(String(name)),
  'test/call': (world, params) => world.addCall(params),
}
