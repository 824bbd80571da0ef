/** What a child process can be asked to do: one argument, one answer, both cloned on their way. */
export type Commands<C> = { [K in keyof C]: (input: never) => unknown }

/** What asks cross the channel as. */
export interface Ask {
  ask: number
  command: string
  input: unknown
}

/** What comes back. */
export interface Reply {
  reply: number
  value?: unknown
  error?: string
}

/** Answers, in a child process, the commands it knows; leaves others to whoever else listens. */
export function answerCommands<C extends Commands<C>>(commands: C): void {
  process.on('message', async (message: Ask) => {
    if (!Object.hasOwn(commands, message.command)) return
    // The parent's `ask` took the input from the type of this same command.
    const command = commands[message.command as keyof C] as unknown as (input: unknown) => unknown
    const reply: Reply = { reply: message.ask }
    try {
      reply.value = await command(message.input)
    } catch (error) {
      reply.error = error instanceof Error ? (error.stack ?? error.message) : String(error)
    }
    process.send?.(reply)
  })
}
