/**
 * Splits a command into a program and its arguments as a shell would, and does nothing else that a
 * shell does: quotes keep spaces together, a backslash keeps the next character. `undefined` for a
 * quote that never ends.
 */
export function splitArguments(command: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let rest = command.trim()
  while (rest !== '') {
    const [piece = '', space, single, double, escaped, plain] = part.exec(rest) ?? []
    if (piece === '') return undefined
    rest = rest.slice(piece.length)
    if (space !== undefined) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      const text = single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? ''
      word = (word ?? '') + text
    }
  }
  return word === undefined ? words : [...words, word]
}

const part = /^(?:(\s+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+))/s
