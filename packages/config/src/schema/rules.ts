import { isIP } from 'node:net'
import { isHostName } from '../listen-address.ts'
import { isOutsideName, outsideNameForm } from '../reference.ts'
import type { Rule } from './schema-parts.ts'

// What a text must be, each saying what was expected instead.

export const checkNotEmpty: Rule = (value) =>
  value.trim() === '' ? 'text that is not empty' : undefined

export const checkArgument: Rule = (value) =>
  value.includes('\0') ? 'text without a NUL character' : undefined

export const checkCommand: Rule = (value) => checkNotEmpty(value) ?? checkArgument(value)

export const checkVariableName: Rule = (name) =>
  name === '' || /[=\0]/.test(name) ? 'the name of an environment variable' : undefined

export const checkHeaderName: Rule = (name) =>
  /^[!#$%&'*+.^_`|~\w-]+$/.test(name) ? undefined : 'the name of an HTTP header'

/** A line break, often at the end of what a variable holds, would begin another header. */
export const checkHeader: Rule = (value) =>
  /[\r\n\0]/.test(value) ? 'text on one line, without a line break at its end' : undefined

export const checkOutsideName: Rule = (name) => (isOutsideName(name) ? undefined : outsideNameForm)

/** What a client can send in a header, and nobody guesses. */
export const checkKey: Rule = (key) =>
  /^[\x21-\x7e]{16,}$/.test(key)
    ? undefined
    : 'at least 16 characters, letters, digits and punctuation only'

/** RFC 6749, 3.3. */
export const checkScope: Rule = (scope) =>
  /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope) ? undefined : 'a scope: one word, without quotes'

/** A path segment of a URL, as it is; for agents also within the name of a tool. */
export const checkPlainName: Rule = (name) =>
  /^\w[\w.-]{0,63}$/.test(name) ? undefined : 'a name of at most 64 letters, digits, _ - and .'

/** A model is called provider/model: a slash would end the provider's name. */
export const checkProviderName: Rule = (name) =>
  /^\w[\w.:-]{0,63}$/.test(name) ? undefined : 'a name of at most 64 letters, digits, _ - . and :'

/** What `${NAME}` can name. */
export const checkVariable: Rule = (name) =>
  /^[A-Za-z_]\w*$/.test(name) ? undefined : 'a name of letters, digits and _, not a digit first'

export const checkIcon: Rule = (value) =>
  /^(?:https?:|data:image\/)/i.test(value) && URL.canParse(value)
    ? undefined
    : 'the URL of a picture: https://… or data:image/…'

export const checkUrl: Rule = (value) =>
  /^https?:\/\//i.test(value) && URL.canParse(value)
    ? undefined
    : 'a URL that begins with http:// or https://'

export const checkAllowedHost: Rule = (value) => {
  const [, inBrackets, name] =
    /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(?:\d{1,5}|\*))?$/i.exec(value) ?? []
  const right = inBrackets === undefined ? isHostName(name ?? '') : isIP(inBrackets) === 6
  return right ? undefined : 'host, host:port or host:*'
}

export const checkOrigin: Rule = (value) =>
  /^[a-z][a-z\d+.-]*:\/\/[^\s/?#*]+$/.test(value)
    ? undefined
    : 'an origin such as https://app.example.com, without a path'

export const checkProxy: Rule = (value) => {
  const [address = '', prefix] = value.split('/', 2)
  const version = isIP(address)
  const bits = version === 6 ? 128 : 32
  const right = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
  return version !== 0 && right ? undefined : 'an IP address, or a block such as 10.0.0.0/8'
}
