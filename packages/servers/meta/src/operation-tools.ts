import { type Tool, tool } from '@mobius-mcp/protocol'
import { z } from 'zod'
import type { Operations } from './contracts.ts'

const changesShape = z.object({
  changes: z.array(z.string()).describe('What is different now; empty where all is as before'),
})

const changing = { readOnlyHint: false, openWorldHint: false } as const

/** The tools of operators. Everybody sees them; who is no operator is told what it takes. */
export function operationTools(operations: Operations): Readonly<Record<string, Tool>> {
  return {
    reload_configuration: tool({
      title: 'Reload the configuration',
      description: 'Reads the configuration again and applies what changed. For operators.',
      input: z.object({}),
      output: changesShape,
      annotations: { ...changing, idempotentHint: true },
      async run(_input, context) {
        operations.require(context, 'Reloading the configuration')
        return { changes: [...(await operations.reload()).changes] }
      },
    }),
    add_server: tool({
      title: 'Add a server',
      description:
        'Writes a server into the configuration and applies it. The entry is what stands under a name in mcpServers. For operators.',
      input: z.object({
        name: z.string().min(1),
        entry: z.record(z.string(), z.json()).describe('e.g. {"command": "npx", "args": ["-y"]}'),
      }),
      output: changesShape,
      annotations: changing,
      async run({ name, entry }, context) {
        operations.require(context, `Adding the server "${name}"`)
        return { changes: [...(await operations.addServer(name, entry)).changes] }
      },
    }),
    remove_server: tool({
      title: 'Remove a server',
      description: 'Takes a server out of the configuration and applies it. For operators.',
      input: z.object({ name: z.string().min(1) }),
      output: changesShape,
      annotations: { ...changing, destructiveHint: true },
      async run({ name }, context) {
        operations.require(context, `Removing the server "${name}"`)
        return { changes: [...(await operations.removeServer(name)).changes] }
      },
    }),
  }
}
