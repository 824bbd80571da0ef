let count = 0
let prefix = ''

/** A call id that no other call of this or an earlier process on this machine has. */
export function createCallId(): string {
  if (prefix === '') {
    const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
    prefix = `${Date.now().toString(36)}${random.toString(36)}-`
  }
  count += 1
  return prefix + count
}
