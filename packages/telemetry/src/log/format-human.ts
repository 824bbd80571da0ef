import { isObject } from '@mobius-mcp/protocol'
import { showText } from '../show-text.ts'

/** How lines for people look. */
export interface HumanOptions {
  /** Whether the terminal shows colours. */
  readonly colour: boolean
}

const colours: Readonly<Record<string, number>> = { debug: 90, info: 36, warn: 33, error: 31 }
const dim = 2

/** Makes what turns a line of the JSON log into lines for people, safe to print in a terminal. */
export function createHumanFormat({ colour }: HumanOptions): (line: string) => string {
  const paint = (code: number, text: string): string =>
    colour ? `\u001b[${code}m${text}\u001b[0m` : text
  return (line) => {
    const { level, time, message, ...fields } = JSON.parse(line) as Record<string, unknown>
    const shown = Object.entries(fields).map(
      ([name, value]) => `${paint(dim, `${showText(name, 60)}=`)}${formatValue(value)}`,
    )
    const label = String(level)
    const parts = [
      paint(dim, formatTime(String(time))),
      paint(colours[label] ?? 0, label.toUpperCase().padEnd(5)),
      showText(String(message ?? ''), 2000),
      ...shown,
    ]
    return `${parts.join(' ')}\n${formatStack(fields.error)}`
  }
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return /^[\w./:@#+-]+$/.test(value) ? value : quote(value)
  if (isObject(value) && typeof value.message === 'string') return quote(value.message)
  return showText(JSON.stringify(value), 2000)
}

function quote(text: string): string {
  return `"${showText(text, 2000).replaceAll('"', '\\"')}"`
}

function formatStack(error: unknown): string {
  if (!isObject(error) || typeof error.stack !== 'string') return ''
  const [, ...frames] = error.stack.split('\n')
  return frames.map((frame) => `    ${showText(frame.trim(), 300)}\n`).join('')
}

/** The time of day, where the reader is. */
function formatTime(time: string): string {
  const date = new Date(time)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  return `${day}.${String(date.getMilliseconds()).padStart(3, '0')}`
}
