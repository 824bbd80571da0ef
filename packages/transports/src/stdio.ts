import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { type Clock, type Message, systemClock, type Wire } from '@mobius-mcp/protocol'
import { createLineWire } from '@mobius-mcp/protocol/stdio'
import spawn from 'cross-spawn'
import { type ConnectEnvironment, defaultMaxMessageBytes, type LogLine } from './environment.ts'
import { TransportError } from './errors.ts'
import { answerToMalformed } from './malformed.ts'
import { toPlainText } from './plain-text.ts'
import { createRedactor, secretsOfArguments } from './redact.ts'
import { createChildEnvironment } from './stdio/child-environment.ts'
import { ProcessGroup } from './stdio/process-group.ts'
import { StderrTail } from './stdio/stderr-tail.ts'

/** A server that is a program on this machine. Values are final: nothing is expanded. */
export interface StdioOptions {
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** Added to the few variables that a child inherits. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
}

/** A wire to a child process. */
export interface StdioWire extends Wire {
  /** The child's process id, once it runs. */
  readonly pid: number | undefined
}

/**
 * Makes a wire to a program that speaks MCP on its stdin and stdout. `start` starts it, and throws
 * when it cannot be started. When it ends, by itself or by `close`, all that it started ends too.
 */
export function createStdioWire(
  options: StdioOptions,
  environment: ConnectEnvironment = {},
): StdioWire {
  return new ChildWire(options, environment)
}

function isBrokenPipe(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'EPIPE'
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const closedHere = 'the connection was closed'

/** How long the last words of a child that has exited are waited for. */
const lastWords = 200

class ChildWire implements StdioWire {
  onclose: (() => void) | undefined = undefined
  onerror: ((error: Error) => void) | undefined = undefined
  onmessage: ((message: Message, extra?: object) => void) | undefined = undefined
  closeReason: string | undefined = undefined
  readonly #options: StdioOptions
  readonly #environment: ConnectEnvironment
  readonly #clock: Clock
  readonly #stderr: StderrTail
  readonly #redact: (text: string) => string
  #child: ChildProcess | undefined
  #line: Wire | undefined
  #group: ProcessGroup | undefined
  #heard = false
  #problem: string | undefined
  #closing: Promise<void> | undefined
  #ended = false

  constructor(options: StdioOptions, environment: ConnectEnvironment) {
    this.#options = options
    this.#environment = environment
    this.#clock = environment.clock ?? systemClock
    this.#redact = createRedactor([
      ...Object.entries(options.env ?? {}),
      ...secretsOfArguments(options.args ?? []),
    ])
    this.#stderr = new StderrTail(environment.log && ((line) => this.#log('debug', 'stderr', line)))
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  async start(): Promise<void> {
    if (this.#child || this.#closing !== undefined)
      throw new Error('A wire starts once; make a new one')
    this.#environment.signal?.throwIfAborted()
    const child = this.#spawn()
    this.#child = child
    await this.#started(child)
    if (child.pid !== undefined) this.#group = new ProcessGroup(child, child.pid, this.#clock)
    if (this.#closing === undefined) return
    await this.#group?.end({ stdin: 0, term: 0 })
    throw this.#notSent()
  }

  async send(message: Message): Promise<void> {
    if (!this.#line || this.#ended) throw this.#notSent()
    try {
      await this.#line.send(message)
    } catch {
      throw this.#notSent()
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown()
    return this.#closing
  }

  #spawn(): Child {
    const { command, args = [], env, cwd } = this.#options
    try {
      return spawn(command, [...args], {
        cwd,
        env: createChildEnvironment(env, this.#environment.env ?? process.env),
        stdio: ['pipe', 'pipe', 'pipe'],
        // A group of its own, so that all of it can be ended.
        detached: process.platform !== 'win32',
        windowsHide: true,
      }) as Child
    } catch (error) {
      throw this.#cannotStart(error)
    }
  }

  /** Attaches everything before the first event, and waits until the child runs. */
  #started(child: Child): Promise<void> {
    const line = createLineWire(child.stdout, child.stdin, {
      maxLineBytes: this.#environment.maxMessageBytes ?? defaultMaxMessageBytes,
      onNoise: (text) => this.#log('warning', 'stdout', text),
    })
    line.onmessage = (message) => this.#onMessage(message)
    line.onerror = (error) => this.#onLineError(error)
    line.onclose = () => this.#onStdoutEnd()
    this.#line = line
    child.stderr.on('data', this.#stderr.push)
    child.stderr.on('error', () => {})
    return new Promise((resolve, reject) => {
      child.once('spawn', () => {
        child.once('exit', () => this.#onExit(child))
        line.start().then(resolve, reject)
      })
      // Also comes, later, for a signal that could not be sent.
      child.on('error', (error) => {
        const failure = this.#cannotStart(error)
        reject(failure)
        // On Windows `cmd.exe` starts first, and finds no such command afterwards.
        if (child.exitCode !== null) this.#end(failure.message)
      })
    })
  }

  #onMessage(message: Message): void {
    this.#heard = true
    this.onmessage?.(message)
  }

  #onLineError(error: Error): void {
    const answer = answerToMalformed(error)
    if (answer) this.onmessage?.(answer)
    else this.#problem = isBrokenPipe(error) ? 'closed its stdin' : error.message
    this.onerror?.(error)
  }

  /** The child has exited; what it said before may still be on its way. */
  #onExit(child: Child): void {
    const { exitCode, signalCode } = child
    const how = signalCode ? `was ended by ${signalCode}` : `exited with code ${exitCode}`
    const end = () => {
      this.#clock.clear(timer)
      this.#end(this.#closing !== undefined ? closedHere : this.#reason(how))
    }
    child.once('close', end)
    // Whoever it started may hold its pipes open forever.
    const timer = this.#clock.set(end, lastWords)
  }

  /** Nothing more comes; most often because it exits, which says more. */
  #onStdoutEnd(): void {
    this.#clock.set(() => {
      const { exitCode, signalCode } = this.#child ?? {}
      if (exitCode === null && signalCode === null) {
        this.#end(this.#reason(this.#problem ?? 'closed its stdout'))
      }
    }, lastWords)
  }

  #reason(how: string): string {
    const when = this.#heard ? '' : ' before it answered'
    const said = toPlainText(this.#redact(this.#stderr.text(1000)), 1000)
    return `"${this.#options.command}" ${how}${when}${said ? `; stderr: ${said}` : ''}`
  }

  async #shutDown(): Promise<void> {
    const { stdin = 2000, term = 2000 } = this.#environment.graces ?? {}
    const child = this.#child
    child?.stdin?.end()
    if (this.#line) {
      this.#line.onclose = undefined
      await this.#line.close()
    }
    // Whoever writes its last words must not be held by a full pipe.
    child?.stdout?.resume()
    await this.#group?.end({ stdin, term })
    this.#end(closedHere)
  }

  #end(reason: string): void {
    if (this.#ended) return
    this.#ended = true
    this.closeReason = reason
    void this.close()
    this.onclose?.()
  }

  #cannotStart(error: unknown): TransportError {
    const { command, cwd } = this.#options
    const { code, message } = error as NodeJS.ErrnoException
    let why = this.#redact(message ?? String(error))
    if (code === 'ENOENT') {
      why =
        cwd !== undefined && !existsSync(cwd)
          ? `the working directory ${cwd} does not exist`
          : 'there is no such command. Install it, or give its full path'
    } else if (code === 'EACCES') {
      why = 'it is not executable, or the working directory may not be entered'
    }
    return new TransportError('SERVER_UNAVAILABLE', `Could not start "${command}": ${why}`)
  }

  #notSent(): TransportError {
    const reason = this.closeReason ?? 'it does not run'
    return new TransportError('CONNECTION_CLOSED', `Nothing was sent: ${reason}`)
  }

  #log(level: LogLine['level'], source: LogLine['source'], text: string): void {
    this.#environment.log?.({ level, source, text: toPlainText(this.#redact(text), 1000) })
  }
}
