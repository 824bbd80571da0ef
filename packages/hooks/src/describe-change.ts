import type { Changed } from './change-message.ts'
import type { HookChange } from './hook-chain.ts'

/** Traces are kept by the hundred: a longer patch is left out. */
const longestPatch = 4096

/**
 * What is kept of a change.
 *
 * @throws TypeError where the message is not JSON.
 */
export async function describeChange(
  { message, patch }: Changed,
  redact: boolean,
): Promise<HookChange> {
  const bytes = new TextEncoder().encode(JSON.stringify(message))
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  const hash = toHex(new Uint8Array(digest))
  if (redact || JSON.stringify(patch).length > longestPatch) return { hash }
  return { hash, patch }
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
