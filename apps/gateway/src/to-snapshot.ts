import { createHash } from 'node:crypto'
import type { Configuration, ServerSettings } from '@mobius-mcp/config'
import type { ExternalServer, Snapshot, View } from '@mobius-mcp/tools-service'

/** What the tools service takes of a configuration. */
export function toSnapshot(configuration: Configuration | undefined): Snapshot {
  return { servers: (configuration?.servers ?? []).map(toExternalServer) }
}

/** What clients see: what the configuration says, else its servers and the built-in ones for clients. */
export function toView(configuration: Configuration | undefined, builtIn: readonly string[]): View {
  if (!configuration) return { refs: builtIn }
  const { refs, implied, rename, describe } = configuration.publish
  return { refs: implied ? [...builtIn, ...refs] : refs, rename, describe }
}

function toExternalServer(settings: ServerSettings): ExternalServer {
  const toolTimeouts = Object.entries(settings.tools).map(([tool, { timeouts }]) => [tool, timeouts])
  return {
    name: settings.name,
    identity: fingerprint(settings),
    connection: settings.connection,
    sharing: settings.sharing,
    timeouts: settings.timeouts,
    toolTimeouts: Object.fromEntries(toolTimeouts),
    idleTimeout: settings.idleStop,
    plainNames: settings.names === 'plain',
    disabled: !settings.enabled,
  }
}

/** Stands for all of a server's settings, secrets included, without showing any. */
function fingerprint(settings: ServerSettings): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('base64url')
}
