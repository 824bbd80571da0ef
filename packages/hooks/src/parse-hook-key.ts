import type { HookParams } from './hook-definition.ts'

/** A point and its parameters, as `point?param=value&param=value` says them. */
export interface HookKey {
  readonly point: string
  readonly params: HookParams
}

const known = 'server, name, direction, method or callOnError'

/**
 * Reads a hook's key: `tools/call?server=github&direction=request`. Values may be percent-encoded;
 * those with an `&` in them must be.
 *
 * @throws TypeError saying what is wrong with it.
 */
export function parseHookKey(text: string): HookKey {
  const [point = '', ...rest] = text.split('?')
  const wrong = (reason: string) =>
    new TypeError(`Invalid hook key ${JSON.stringify(text)}: ${reason}`)
  if (!/^[\w*$./-]+$/.test(point)) {
    throw wrong('expected a method, such as tools/call, or "*" before the parameters')
  }
  const params: { -readonly [name in keyof HookParams]: HookParams[name] } = {}
  // A value may hold a question mark: resources have URIs.
  const query = rest.join('?')
  for (const part of query === '' ? [] : query.split('&')) {
    const at = part.indexOf('=')
    const name = at < 0 ? part : part.slice(0, at)
    const value = at < 0 ? '' : decode(part.slice(at + 1))
    if (value === undefined) throw wrong(`${JSON.stringify(part)} is not percent-encoded properly`)
    if (value === '')
      throw wrong(`expected ${name || 'param'}=value, received ${JSON.stringify(part)}`)
    if (Object.hasOwn(params, name)) {
      throw wrong(`${name} is there twice; use "*" in one value, or a key of its own for each`)
    }
    Object.assign(params, parseParam(name, value, wrong))
  }
  return { point, params }
}

function parseParam(name: string, value: string, wrong: (reason: string) => Error): HookParams {
  switch (name) {
    case 'server':
    case 'name':
    case 'method':
      return { [name]: value }
    case 'direction':
      if (value === 'request' || value === 'response') return { direction: value }
      throw wrong(`direction must be request or response, received ${JSON.stringify(value)}`)
    case 'callOnError':
      if (value === 'true' || value === 'false') return { callOnError: value === 'true' }
      throw wrong(`callOnError must be true or false, received ${JSON.stringify(value)}`)
    default:
      throw wrong(`unknown parameter ${JSON.stringify(name)}; expected ${known}`)
  }
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
