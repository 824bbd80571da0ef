import { readFile, realpath } from 'node:fs/promises'
import { basename, extname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FilePart, type TextPart, toModelContent } from '@mobius-mcp/models'
import { type Caller, isObject, type JsonObject, ProtocolError } from '@mobius-mcp/protocol'

/** Something that comes with a prompt. */
export interface Attachment {
  /** `data:`, `file:///` inside a folder that is open to agents, or with `server` the URI of a resource. */
  readonly url: string
  readonly name?: string | undefined
  readonly mimeType?: string | undefined
  /** Whose resource it is. */
  readonly server?: string | undefined
}

/** What attachments are read with. */
export interface AttachmentSources {
  readonly caller: Caller
  /** The folders whose files may be attached. */
  readonly roots: readonly string[]
}

const byExtension: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
}

/**
 * Reads what is attached, as a model is shown it.
 *
 * @throws ProtocolError `INVALID_PARAMS`, naming the attachment and what is wrong with it.
 */
export async function readAttachments(
  attachments: readonly Attachment[],
  sources: AttachmentSources,
): Promise<(TextPart | FilePart)[]> {
  const urls = new Set<string>()
  const unique = attachments.filter(({ url }) => !urls.has(url) && urls.add(url))
  const parts = await Promise.all(unique.map((attachment) => read(attachment, sources)))
  return parts.flat()
}

async function read(
  attachment: Attachment,
  { caller, roots }: AttachmentSources,
): Promise<(TextPart | FilePart)[]> {
  const { url, server } = attachment
  if (server !== undefined) {
    const { contents } = await caller.request(server, 'resources/read', { uri: url })
    const all = Array.isArray(contents) ? contents.filter(isObject) : []
    const content = all.map((resource): JsonObject => ({ type: 'resource', resource }))
    return toModelContent({ content })
  }
  if (url.startsWith('data:')) return [fromData(attachment)]
  if (url.startsWith('file:///')) return [await fromFile(attachment, roots)]
  throw wrong(attachment, 'expected a data: URI, a file:/// URI, or a resource and its "server"')
}

function fromData(attachment: Attachment): TextPart | FilePart {
  const match = /^data:([^;,]*)((?:;[^;,]*)*),([\s\S]*)$/.exec(attachment.url)
  if (!match) throw wrong(attachment, 'it is no data: URI')
  const [, given = '', parameters = '', data = ''] = match
  const mediaType = attachment.mimeType ?? (given || 'text/plain')
  const isEncoded = parameters.endsWith(';base64')
  const bytes = isEncoded ? Buffer.from(data, 'base64') : Buffer.from(decode(attachment, data))
  return toPart(bytes, mediaType, attachment.name)
}

async function fromFile(
  attachment: Attachment,
  roots: readonly string[],
): Promise<TextPart | FilePart> {
  const path = await realpath(toPath(attachment)).catch(() => {
    throw wrong(attachment, 'there is no such file in the folders that are open to agents')
  })
  const open = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)))
  // Links have been followed: what lies outside is outside, whatever its name.
  if (!open.some((root) => root !== undefined && path.startsWith(root + sep))) {
    throw wrong(attachment, 'there is no such file in the folders that are open to agents')
  }
  const mediaType = attachment.mimeType ?? byExtension[extname(path).toLowerCase()] ?? 'text/plain'
  return toPart(await readFile(path), mediaType, attachment.name ?? basename(path))
}

function toPath(attachment: Attachment): string {
  try {
    return fileURLToPath(attachment.url)
  } catch {
    throw wrong(attachment, 'it is no path')
  }
}

function toPart(bytes: Buffer, mediaType: string, name: string | undefined): TextPart | FilePart {
  if (/^(image|audio)\/|^application\/pdf$/.test(mediaType)) {
    const data = bytes.toString('base64')
    return { type: 'file', mediaType, data, ...(name === undefined ? {} : { filename: name }) }
  }
  const head = name === undefined ? '' : `[${name}]\n`
  return { type: 'text', text: `${head}${bytes.toString('utf8')}` }
}

function decode(attachment: Attachment, data: string): string {
  try {
    return decodeURIComponent(data)
  } catch {
    throw wrong(attachment, 'it is not percent-encoded properly')
  }
}

function wrong({ url, name }: Attachment, reason: string): ProtocolError {
  const shown = JSON.stringify(name ?? url.slice(0, 60))
  return new ProtocolError('INVALID_PARAMS', `The attachment ${shown} cannot be read: ${reason}`)
}
