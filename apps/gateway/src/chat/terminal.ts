import { createInterface, type Interface } from 'node:readline'
import { createScreen, type Screen } from './screen.ts'

/** A person at a terminal. */
export interface Terminal {
  readonly screen: Screen
  /**
   * Asks for a line; several that were pasted at once are one. `undefined` where nothing more will come:
   * the person pressed Ctrl-D, or Ctrl-C where nothing was typed.
   */
  readPrompt(): Promise<string | undefined>
  /**
   * Asks something in between: what happens meanwhile is shown afterwards, and other questions wait.
   * `undefined` where it was not answered: Ctrl-D, or the signal was aborted.
   */
  interview<T>(work: (ask: Ask) => Promise<T>): Promise<T>
  /** Says something in an interview. */
  say(text: string): void
  /** Called with Ctrl-C, but where a prompt is typed. */
  onInterrupt: () => void
}

/** Asks for one line. */
export type Ask = (question: string, signal?: AbortSignal) => Promise<string | undefined>

export interface TerminalOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  /** What a line that begins like this may go on to be. */
  complete?(line: string): readonly string[]
}

/** Takes a terminal into use. Between questions it is as it was: Ctrl-C is a signal, and what is typed ahead waits. */
export function openTerminal(options: TerminalOptions): Terminal & Disposable {
  return new PersonAtTerminal(options)
}

class PersonAtTerminal implements Terminal, Disposable {
  readonly screen: Screen
  onInterrupt: () => void = () => {}
  readonly #options: TerminalOptions
  readonly #onSignal: () => void = () => this.onInterrupt()
  /** What was said before, the last first. */
  #history: string[] = []
  #queue: Promise<unknown> = Promise.resolve()

  constructor(options: TerminalOptions) {
    this.#options = options
    this.screen = createScreen(options.output)
    process.on('SIGINT', this.#onSignal)
  }

  async readPrompt(): Promise<string | undefined> {
    const { complete } = this.#options
    // What is still being asked comes first.
    await this.#queue
    const lines = this.#open({
      history: [...this.#history],
      historySize: 500,
      completer: (line: string) => [complete?.(line) ?? [], line],
    })
    lines.on('history', (history) => {
      this.#history = history
    })
    return await this.#read(lines, '> ', undefined, () => {
      if (lines.line === '') return lines.close()
      // What was begun is thrown away, as in any shell.
      lines.write(null, { ctrl: true, name: 'e' })
      lines.write(null, { ctrl: true, name: 'u' })
    })
  }

  interview<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    const mine = this.#queue.then(async () => {
      this.screen.fresh()
      const release = this.screen.hold()
      try {
        return await work((question, signal) => this.#ask(question, signal))
      } finally {
        release()
      }
    })
    this.#queue = mine.catch(() => {})
    return mine
  }

  say(text: string): void {
    this.#options.output.write(`${text}\n`)
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#onSignal)
  }

  async #ask(question: string, signal?: AbortSignal): Promise<string | undefined> {
    if (signal?.aborted) return undefined
    const lines = this.#open({ historySize: 0 })
    return await this.#read(lines, question, signal, () => {
      lines.close()
      this.onInterrupt()
    })
  }

  /** Reads a line, and those that came in the same breath; `undefined` where it was closed instead. */
  #read(
    lines: Interface,
    prompt: string,
    signal: AbortSignal | undefined,
    onInterrupt: () => void,
  ): Promise<string | undefined> {
    return new Promise((resolve) => {
      const read: string[] = []
      const end = () => lines.close()
      signal?.addEventListener('abort', end, { once: true })
      lines.on('SIGINT', onInterrupt)
      lines.on('line', (line) => {
        read.push(line)
        setImmediate(() => {
          // Who pasted several lines has the last of them before them still.
          if (lines.line === '') lines.close()
        })
      })
      lines.once('close', () => {
        signal?.removeEventListener('abort', end)
        if (read.length === 0) this.#options.output.write('\n')
        resolve(read.length === 0 ? undefined : read.join('\n'))
      })
      // The last line of the question is what is asked again when the line is drawn anew.
      const last = prompt.lastIndexOf('\n') + 1
      this.#options.output.write(prompt.slice(0, last))
      lines.setPrompt(prompt.slice(last))
      lines.prompt()
    })
  }

  #open(more: object): Interface {
    const { input, output } = this.#options
    return createInterface({ input, output, terminal: true, ...more })
  }
}
