import { isObject, type JsonObject, type OriginKind, ProtocolError } from '@mobius-mcp/protocol'
import { z } from 'zod'
import type { Attachment } from './attachments.ts'
import { parentMeta } from './tool-call.ts'

/** What to do with a chat to a thread in which something is being done. */
export type WhenBusy = 'queue' | 'steer' | 'reject'

/** `_meta` of a chat: `queue` (the default), `steer` or `reject`. */
export const whenBusyMeta = 'mobius-mcp.dev/when-busy'
/** `_meta` of a chat: `true` answers at once, and the turn goes on by itself. */
export const asyncMeta = 'mobius-mcp.dev/async'

/** What a chat tool was called with. */
export interface ChatRequest {
  readonly prompt: string
  readonly attachments: readonly Attachment[]
  readonly thread: string | undefined
  readonly whenBusy: WhenBusy
  readonly isAsync: boolean
  /** The thread and the step that it is called from, where an agent does. */
  readonly parent: { readonly thread: string; readonly step: string } | undefined
}

/** The arguments of a chat tool, as JSON Schema. */
export const chatInput: JsonObject = {
  type: 'object',
  properties: {
    prompt: { type: 'string', description: 'What to say to the agent.' },
    attachments: {
      type: 'array',
      description: 'Images, documents, audio or texts that come with it.',
      items: {
        type: 'object',
        properties: {
          url: {
            type: 'string',
            description: 'A data: URI, a file:/// URI, or the URI of a resource of "server".',
          },
          name: { type: 'string' },
          mimeType: { type: 'string' },
          server: { type: 'string' },
        },
        required: ['url'],
      },
    },
    thread: {
      type: 'string',
      description: 'The conversation to go on with, as an earlier answer named it.',
    },
  },
  required: ['prompt'],
}

const attachment = z.union([
  z.string().transform((url) => ({ url })),
  z.object({
    url: z.string(),
    name: z.string().optional(),
    mimeType: z.string().optional(),
    server: z.string().optional(),
  }),
])

const chatArguments = z.object({
  prompt: z.string(),
  attachments: z.array(attachment).default([]),
  thread: z.string().optional(),
})

/**
 * Reads a chat. A hook, workflow, task or script may call with anything at all: that is the prompt, as JSON.
 *
 * @throws ProtocolError `INVALID_PARAMS`, saying what was expected.
 */
export function parseChat(args: JsonObject, meta: JsonObject, origin: OriginKind): ChatRequest {
  const isAnything = origin !== 'client' && origin !== 'agent' && typeof args.prompt !== 'string'
  const given = isAnything ? { prompt: JSON.stringify(args) } : args
  const parsed = chatArguments.safeParse(given)
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new ProtocolError(
      'INVALID_PARAMS',
      `Invalid arguments for the chat: ${issues.join('; ')}`,
    )
  }
  const { prompt, attachments, thread } = parsed.data
  return {
    prompt,
    attachments,
    thread,
    whenBusy: parseWhenBusy(meta[whenBusyMeta]),
    isAsync: isTrue(meta[asyncMeta]) || isTrue(meta['ai.nanobot.async']),
    // Nobody else may say whose child a turn is.
    parent: origin === 'agent' ? parseParent(meta[parentMeta]) : undefined,
  }
}

function parseWhenBusy(value: unknown): WhenBusy {
  if (value === undefined) return 'queue'
  if (value === 'queue' || value === 'steer' || value === 'reject') return value
  throw new ProtocolError(
    'INVALID_PARAMS',
    `Expected _meta["${whenBusyMeta}"] to be queue, steer or reject, received ${JSON.stringify(value)}`,
  )
}

function parseParent(value: unknown): ChatRequest['parent'] {
  if (!isObject(value)) return undefined
  const { thread, step } = value
  return typeof thread === 'string' && typeof step === 'string' ? { thread, step } : undefined
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true'
}
