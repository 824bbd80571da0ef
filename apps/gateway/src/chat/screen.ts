import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** Where text is shown to a person. What it is given must be safe to print. */
export interface Screen {
  /** Goes on with the line that was begun. */
  write(text: string, style?: Style): void
  /** Lines of their own. */
  line(text: string, style?: Style): void
  /** Ends the line that was begun, if one was. */
  fresh(): void
  /** What is shown from now on waits until the returned function is called. May be nested. */
  hold(): () => void
}

/** Shows on a stream; with styles where it is a terminal that wants them. */
export function createScreen(stream: NodeJS.WriteStream): Screen {
  let isFresh = true
  let holds = 0
  const waiting: (() => void)[] = []

  const put = (text: string, style: Style | undefined) => {
    if (text === '') return
    stream.write(style === undefined ? text : styleText(style, text, { stream }))
    isFresh = text.endsWith('\n')
  }
  const later = (show: () => void) => (holds > 0 ? void waiting.push(show) : show())
  const fresh = () => {
    if (!isFresh) put('\n', undefined)
  }
  return {
    write: (text, style) => later(() => put(text, style)),
    line: (text, style) =>
      later(() => {
        fresh()
        put(text, style)
        put('\n', undefined)
      }),
    fresh: () => later(fresh),
    hold() {
      holds += 1
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        holds -= 1
        // Whoever answered has ended the line.
        if (holds === 0) {
          isFresh = true
          for (const show of waiting.splice(0)) show()
        }
      }
    },
  }
}
