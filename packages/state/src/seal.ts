import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { isObject } from '@mobius-mcp/protocol'

// Raise it when an older process could misread what is written.
const format = 1
const algorithm = 'aes-256-gcm'

/** How long a key is, in bytes. */
export const keyLength = 32

/** What a sealed text turned out to be. */
export type Unsealed =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'corrupt' }
  | { readonly kind: 'newer' }

/**
 * Encrypts a JSON value. Under another name than `name` it cannot be opened, so that no file passes
 * for another one, or for a later state of itself.
 */
export function seal(key: Uint8Array, name: string, value: unknown): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(name))
  const data = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
  const parts = { iv, tag: cipher.getAuthTag(), data }
  const encoded = Object.entries(parts).map(([part, bytes]) => [part, bytes.toString('base64')])
  return `${JSON.stringify({ format, ...Object.fromEntries(encoded) })}\n`
}

/** Decrypts such a text, whoever wrote it. Never throws. */
export function unseal(key: Uint8Array, name: string, text: string): Unsealed {
  try {
    const sealed: unknown = JSON.parse(text)
    if (!isObject(sealed) || typeof sealed.format !== 'number') return { kind: 'corrupt' }
    if (sealed.format > format) return { kind: 'newer' }
    const [iv, tag, data] = [sealed.iv, sealed.tag, sealed.data].map((part) =>
      Buffer.from(String(part), 'base64'),
    ) as [Buffer, Buffer, Buffer]
    const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: 16 })
      .setAAD(Buffer.from(name))
      .setAuthTag(tag)
    const plain = Buffer.concat([decipher.update(data), decipher.final()])
    return { kind: 'value', value: JSON.parse(plain.toString('utf8')) }
  } catch {
    return { kind: 'corrupt' }
  }
}
