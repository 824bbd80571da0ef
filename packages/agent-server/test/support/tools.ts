import { defineServer, type ServerDefinition, tool } from '@mobius-mcp/protocol'
import { z } from 'zod'

/** A server of tools that tests call, and how often each was. */
export interface ToolBox {
  readonly definition: ServerDefinition
  readonly made: string[]
}

export interface ToolBoxOptions {
  /** What `wait` waits for. */
  readonly wait?: () => Promise<unknown>
}

export function createToolBox({ wait }: ToolBoxOptions = {}): ToolBox {
  const made: string[] = []
  const definition = defineServer({
    name: 'box',
    version: '1',
    tools: {
      add: tool({
        description: 'Adds.',
        input: z.object({ a: z.number(), b: z.number() }),
        annotations: { readOnlyHint: true },
        run: ({ a, b }) => {
          made.push(`add ${a} ${b}`)
          return String(a + b)
        },
      }),
      write: tool({
        description: 'Writes.',
        input: z.object({ text: z.string() }),
        run: ({ text }) => {
          made.push(`write ${text}`)
          return `wrote ${text}`
        },
      }),
      wait: tool({
        description: 'Waits.',
        run: async (_, { signal }) => {
          made.push('wait')
          const aborted = new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
          )
          await Promise.race([wait?.(), aborted])
          return 'waited'
        },
      }),
      large: tool({
        description: 'Says much.',
        annotations: { readOnlyHint: true },
        run: () => `${'ä'.repeat(40_000)}the end`,
      }),
      ask: tool({
        description: 'Asks a person.',
        annotations: { idempotentHint: true },
        run: async (_, context) => {
          made.push('ask')
          const { action, content } = await context.elicit({
            message: 'Which colour?',
            requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } },
          })
          return `${action} ${String(content?.colour)}`
        },
      }),
      fail: tool({
        description: 'Fails.',
        run: () => {
          throw new Error('it broke')
        },
      }),
    },
    prompts: {
      manner: {
        description: 'How to behave.',
        arguments: { who: { required: true } },
        get: ({ who }) => `Be kind to ${who}.`,
      },
    },
    resources: {
      'box://inside': { name: 'inside', mimeType: 'text/plain', read: () => 'what is in the box' },
    },
  })
  return { definition, made }
}
