/**
 * Tells whether an address is one of those listed: addresses (`10.0.0.7`, `fd00::7`) and ranges
 * (`10.0.0.0/8`). An IPv4 address inside IPv6 counts as the IPv4 address it is.
 *
 * @throws TypeError for an entry that is neither.
 */
export function createAddressList(entries: readonly string[]): (address: string) => boolean {
  const ranges = entries.map(parseRange)
  return (text) => {
    const address = parseAddress(text)
    if (address === undefined) return false
    return ranges.some(({ start, shift }) => address >> shift === start >> shift)
  }
}

function parseRange(entry: string): { start: bigint; shift: bigint } {
  const [text = '', prefix, ...rest] = entry.split('/')
  const start = parseAddress(text)
  const width = text.includes(':') ? 128 : 32
  const length = prefix === undefined ? width : decimal(prefix, width)
  if (start === undefined || length === undefined || rest.length > 0) {
    throw new TypeError(
      `trustedProxies: "${entry}" is no IP address or range; expected for example 127.0.0.1, fd00::7 or 10.0.0.0/8`,
    )
  }
  return { start, shift: BigInt(width - length) }
}

const mapped = 0xffffn << 32n

/** An address as a number; IPv4 as IPv6 maps it, RFC 4291 section 2.5.5.2. */
function parseAddress(text: string): bigint | undefined {
  if (!text.includes(':')) {
    const value = parseGroups(text.split('.'), 4, (part) => decimal(part, 255), 8n)
    return value === undefined ? undefined : mapped | value
  }
  const [bare = ''] = text.split('%')
  const [head = '', tail, ...rest] = dotted(bare).split('::')
  if (rest.length > 0) return undefined
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  if (zeros < 0) return undefined
  return parseGroups([...before, ...Array<string>(zeros).fill('0'), ...after], 8, hexadecimal, 16n)
}

/** Writes a dotted tail (`::ffff:10.0.0.1`) as two groups. */
function dotted(text: string): string {
  const start = text.lastIndexOf(':') + 1
  if (!text.includes('.', start)) return text
  const value = parseGroups(text.slice(start).split('.'), 4, (part) => decimal(part, 255), 8n)
  if (value === undefined) return text
  return `${text.slice(0, start)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}

function parseGroups(
  parts: readonly string[],
  count: number,
  parse: (part: string) => number | undefined,
  bits: bigint,
): bigint | undefined {
  if (parts.length !== count) return undefined
  let value = 0n
  for (const part of parts) {
    const group = parse(part)
    if (group === undefined) return undefined
    value = (value << bits) | BigInt(group)
  }
  return value
}

function decimal(text: string, max: number): number | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) <= max ? Number(text) : undefined
}

function hexadecimal(text: string): number | undefined {
  return /^[\da-f]{1,4}$/i.test(text) ? Number.parseInt(text, 16) : undefined
}
