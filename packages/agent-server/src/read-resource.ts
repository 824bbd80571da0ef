import type { ModelTool } from '@mobius-mcp/models'
import { type CallResult, isObject, type JsonObject } from '@mobius-mcp/protocol'
import { cutText } from './spill.ts'

/** The tool that every agent has. */
export const readResourceName = 'read_resource'

/** How the model sees it. */
export const readResourceTool: ModelTool = {
  name: readResourceName,
  description:
    'Reads a resource by its URI: one that a tool named in its result, or the whole of a result that was too large to be shown. A long text is given in parts.',
  inputSchema: {
    type: 'object',
    properties: {
      uri: { type: 'string', description: 'The URI, exactly as it was given.' },
      server: { type: 'string', description: 'The server that has it, where there are several.' },
      offset: {
        type: 'integer',
        minimum: 0,
        description: 'Where in the text to begin. 0 by default.',
      },
    },
    required: ['uri'],
    additionalProperties: false,
  },
}

/** What is to be read. */
export interface ResourceWish {
  readonly uri: string
  readonly server: string | undefined
  readonly offset: number
}

/** Reads the tool's arguments; a text says what is wrong with them. */
export function parseWish({ uri, server, offset = 0 }: JsonObject): ResourceWish | string {
  if (typeof uri !== 'string' || uri === '') return 'Expected "uri" to be the URI of a resource.'
  if (server !== undefined && typeof server !== 'string') return 'Expected "server" to be a name.'
  if (!Number.isSafeInteger(offset) || Number(offset) < 0) {
    return `Expected "offset" to be a whole number from 0 on, received ${JSON.stringify(offset)}.`
  }
  return { uri, server, offset: Number(offset) }
}

/** What was read as a result of the tool, no more of it than a model is shown at once. */
export function toReadResult(
  read: JsonObject,
  { offset }: ResourceWish,
  limit: number,
): CallResult {
  const contents = Array.isArray(read.contents) ? read.contents.filter(isObject) : []
  const content = contents.map((each): JsonObject => {
    const { text } = each
    if (typeof text !== 'string') return { type: 'resource', resource: each }
    const rest = text.slice(offset)
    const part = cutText(rest, limit)
    if (part.length === rest.length) return { type: 'text', text: rest }
    const next = offset + part.length
    const more = `[${text.length - next} characters follow: read on with "offset": ${next}]`
    return { type: 'text', text: `${part}\n${more}` }
  })
  return { content }
}
