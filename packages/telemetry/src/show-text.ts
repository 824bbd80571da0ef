// Control characters, ends of lines of all kinds, and what turns the direction of writing or is not
// seen: a terminal that is sent them shows something else than what was said.
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Text that others chose, on one line and safe to print. */
export function showText(text: string, maxLength: number = 500): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  return cut.replace(unsafe, (found) => short[found] ?? escapeCharacter(found))
}

// Within lines of prose what joins letters and parts of an emoji is no trick: whole languages need it.
const unsafeInProse = new RegExp(`(?![\n\t\u200c\u200d])(?:${unsafe.source})`, 'g')

/** Text of many lines that others chose, safe to print: its lines stay lines, and nothing moves a cursor. */
export function showLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unsafeInProse, escapeCharacter)
}

/** A line of JSON, its end untouched, with nothing in it that a terminal would obey. It means the same. */
export function escapeLine(line: string): string {
  return line.replace(unsafe, (found) => (found === '\n' ? found : escapeCharacter(found)))
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A length of time as people read it: `12 ms`, `1.2 s`, `3 min 5 s`. */
export function showDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
}
