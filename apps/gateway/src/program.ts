import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { UserError } from './user-error.ts'
import { version } from './version.ts'

/** Options that every command takes. */
interface CommonOptions {
  state?: string
  verbose?: boolean
}

/** Options of commands that read the configuration. */
export interface ConfigOptions extends CommonOptions {
  /** Files or folders, each laid over those before it. */
  config?: string[]
  profile?: string[]
}

/** Runs the command that the arguments name, and returns the exit code. */
export async function runMobius(argv: readonly string[]): Promise<number> {
  let exitCode = 0
  const program = createProgram((code) => {
    exitCode = code
  })
  try {
    await program.parseAsync([...argv])
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (error instanceof UserError || isConfigError(error)) {
      process.stderr.write(`${error.message}\n`)
      return error instanceof UserError ? error.exitCode : 2
    }
    throw error
  }
}

/** Whoever has seen enough, as `| head` has, is no mistake. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
}

type OnExitCode = (code: number) => void

function createProgram(done: OnExitCode): Command {
  const program = new Command('mobius')
    .description('Mobius, the MCP host and gateway')
    .version(version)
    .exitOverride()
    .addHelpText('after', exitCodes)
    .hook('preAction', (_, command) => {
      // Where stdout is the wire, who reads it no longer is a client that left.
      if (command.name() !== 'stdio') endWithReader()
    })
  program.commandsGroup('Serving:')
  addServing(program, done)
  program.commandsGroup('Using:')
  addUsing(program, done)
  program.commandsGroup('Configuring:')
  addConfiguring(program, done)
  program.commandsGroup('Operating:')
  addOperating(program, done)
  return program
}

function addServing(program: Command, done: OnExitCode): void {
  withConfig(
    program
      .command('serve', { isDefault: true })
      .argument(
        '[config...]',
        'configuration files or folders; see the README for where it is looked for',
      )
      .description(
        'serve MCP over HTTP: /mcp for everything, /mcp/g/<group>, /mcp/s/<server> for one server',
      )
      .option('-l, --listen <address>', 'address to listen on (default 127.0.0.1:8420)')
      .option('--insecure', 'allow an address that others can reach without a login'),
  ).action(async (config: string[], options) => {
    refuseMisspelt(program, config)
    const { serve } = await import('./commands/serve.ts')
    done(await serve(withArguments(config, options)))
  })
  withConfig(
    program
      .command('stdio')
      .argument('[config...]', 'configuration files or folders')
      .description('serve MCP on stdin and stdout, to the client that started this process'),
  ).action(async (config: string[], options) => {
    const { stdio } = await import('./commands/stdio.ts')
    done(await stdio(withArguments(config, options)))
  })
}

/**
 * `serve` need not be said, so a slip in a command's name would be a path.
 *
 * @throws UserError naming what may have been meant.
 */
function refuseMisspelt(program: Command, [first = '']: readonly string[]): void {
  if (!/^[a-z]+$/.test(first) || isThere(first)) return
  const names = program.commands.map((command) => command.name()).join(', ')
  throw new UserError(
    `There is no command ${JSON.stringify(first)}, and no configuration of this name. Commands: ${names}`,
  )
}

/** Under a package script the person stands elsewhere than the process. */
function isThere(path: string): boolean {
  return [process.cwd(), process.env.INIT_CWD ?? ''].some((folder) =>
    existsSync(join(folder, path)),
  )
}

function addUsing(program: Command, done: OnExitCode): void {
  withConfig(
    program
      .command('chat')
      .argument('[agent]', 'its name; without one, the default agent')
      .description('chat with an agent; without a terminal, say what stands on stdin')
      .option('-t, --thread <id>', 'go on with a thread, as `mobius threads` lists them')
      .option('--json', 'say what stands on stdin, and print the whole result as JSON'),
  ).action(async (agent: string | undefined, options) => {
    const { chat } = await import('./commands/chat.ts')
    done(await chat(agent, options))
  })
  addThreads(program, done)
  withConfig(
    program
      .command('call')
      .argument('<server/tool>', "the tool, by its server's name and its own")
      .argument('[arguments]', 'a JSON object', '{}')
      .description('call a tool and print what it answers')
      .option('--json', 'print the whole result as JSON'),
  ).action(async (target: string, args: string, options) => {
    const { call } = await import('./commands/call.ts')
    done(await call(target, args, options))
  })
  withConfig(
    program.command('tools').description('list the published tools').option('--json', 'print JSON'),
  ).action(async (options) => {
    const { tools } = await import('./commands/tools.ts')
    done(await tools(options))
  })
  withConfig(
    program
      .command('servers')
      .description(
        'show every server, its state, and why it is not ready; without a running gateway, each is tried',
      )
      .option('--json', 'print JSON'),
  ).action(async (options) => {
    const { servers } = await import('./commands/servers.ts')
    done(await servers(options))
  })
}

function addThreads(program: Command, done: OnExitCode): void {
  const threads = program
    .command('threads')
    .description('conversations with agents: list, show, delete')
  withConfig(
    threads
      .command('list', { isDefault: true })
      .description('list them, the latest first')
      .option('-s, --search <text>', 'part of the title')
      .option('-a, --agent <name>', 'only those with this agent')
      .option('-n, --last <count>', 'so many of them (default 20)')
      .option('--json', 'print JSON'),
  ).action(async (options) => {
    const { listThreads } = await import('./commands/threads.ts')
    done(await listThreads(options))
  })
  withConfig(
    threads
      .command('show')
      .argument('<id>', 'as `mobius threads` lists it')
      .description('show what was said and done in one')
      .option('--json', 'print its items as JSON lines'),
  ).action(async (id: string, options) => {
    const { showThread } = await import('./commands/threads.ts')
    done(await showThread(id, options))
  })
  withConfig(
    threads
      .command('delete')
      .argument('<id>', 'as `mobius threads` lists it')
      .description('delete one, with all that was said'),
  ).action(async (id: string, options) => {
    const { deleteThread } = await import('./commands/threads.ts')
    done(await deleteThread(id, options))
  })
}

function addConfiguring(program: Command, done: OnExitCode): void {
  withConfig(
    program
      .command('add')
      .argument('<name>', 'the name of the server')
      .argument('<command-or-url...>', 'its URL, or the command that starts it, after --')
      .description('write a server into the configuration; comments stay')
      .option('-e, --env <NAME=value>', 'an environment variable of the command', collect)
      .option('-H, --header <"Name: value">', 'a header sent to the URL', collect)
      .addOption(
        new Option('--transport <kind>', 'how the URL is spoken to').choices(['http', 'sse']),
      ),
  ).action(async (name: string, parts: string[], options) => {
    const { add } = await import('./commands/edit.ts')
    done(await add(name, parts, options))
  })
  withConfig(
    program
      .command('remove')
      .argument('<name>', 'the name of the server')
      .description('take a server out of the configuration'),
  ).action(async (name: string, options) => {
    const { remove } = await import('./commands/edit.ts')
    done(await remove(name, options))
  })
  withConfig(
    program
      .command('import')
      .argument('<from>', 'a client, e.g. cursor, or a file of one')
      .description("copy servers from another client's configuration")
      .option('--dry-run', 'say what would be written'),
  ).action(async (from: string, options) => {
    const { importServers } = await import('./commands/import.ts')
    done(await importServers(from, options))
  })
  program
    .command('connect')
    .argument('<client>', 'e.g. claude-code, cursor, vscode')
    .description("print the entry for Mobius in another client's configuration, or write it")
    .option('--write', "write it into the client's own file")
    .option('--url <url>', 'reach a gateway over HTTP instead of starting `mobius stdio`')
    .option('--key-variable <name>', 'with --url: the variable that holds the bearer key')
    .option('--name <name>', 'what the client calls it', 'mobius')
    .option('-c, --config <path>', 'the configuration that `mobius stdio` is to use', collect)
    .action(async (client: string, options) => {
      const { connectClient } = await import('./commands/connect.ts')
      done(await connectClient(client, options))
    })
  const config = program.command('config').description('look at the configuration')
  withConfig(
    config
      .command('check')
      .argument('[config...]', 'configuration files or folders')
      .description('read the configuration and say all that is wrong in it'),
  ).action(async (config: string[], options) => {
    const { check } = await import('./commands/config.ts')
    done(await check(withArguments(config, options)))
  })
  withConfig(
    config
      .command('print')
      .argument('[config...]', 'configuration files or folders')
      .description('print what is in effect, where it was written, and no secrets'),
  ).action(async (config: string[], options) => {
    const { print } = await import('./commands/config.ts')
    done(await print(withArguments(config, options)))
  })
  config
    .command('schema')
    .description('print the JSON Schema of configuration files, for editors')
    .action(async () => {
      const { schema } = await import('./commands/config.ts')
      done(await schema())
    })
}

function addOperating(program: Command, done: OnExitCode): void {
  withConfig(
    program
      .command('doctor')
      .description('run each server, and say what is wrong and what to do')
      .option('-t, --timeout <duration>', 'how long a server may take to start, e.g. 10s', '60s'),
  ).action(async (options) => {
    const { doctor } = await import('./commands/doctor.ts')
    done(await doctor(options))
  })
  withConfig(
    program
      .command('login')
      .argument('<server>', 'a server that asks for a login')
      .description('sign in to a server, in the browser')
      .option('--no-browser', 'print the address and open nothing'),
  ).action(async (server: string, options) => {
    const { login } = await import('./commands/login.ts')
    done(await login(server, options))
  })
  withConfig(
    program
      .command('logout')
      .argument('<server>', 'a server that was signed in to')
      .description('forget the login of a server, and have it revoked'),
  ).action(async (server: string, options) => {
    const { logout } = await import('./commands/login.ts')
    done(await logout(server, options))
  })
  withConfig(
    program
      .command('logs')
      .description('show the calls that were made, as trees')
      .option('-f, --follow', 'go on as calls end')
      .option('-n, --last <count>', 'so many of those that have ended (default 100)')
      .option('-s, --server <name>', 'only calls of this server')
      .option('--json', 'print the record as JSON lines'),
  ).action(async (options) => {
    const { logs } = await import('./commands/logs.ts')
    done(await logs(options))
  })
  withConfig(
    program
      .command('questions')
      .description('list the calls that wait for an approval')
      .option('--json', 'print JSON'),
  ).action(async (options) => {
    const { questions } = await import('./commands/questions.ts')
    done(await questions(options))
  })
  for (const decision of ['approve', 'deny'] as const) {
    withConfig(
      program
        .command(decision)
        .argument('<id>', 'as `mobius questions` shows it')
        .description(`${decision} a call that waits`)
        .option('-r, --reason <text>', 'told to whoever made the call'),
    ).action(async (id: string, options) => {
      const { answer } = await import('./commands/questions.ts')
      done(await answer(id, decision, options))
    })
  }
}

function common(command: Command): Command {
  return command
    .option(
      '--state <folder>',
      "folder for what is kept (default MOBIUS_STATE, else the platform's)",
    )
    .option('-v, --verbose', 'log more, also what servers write beside the protocol')
}

function withConfig(command: Command): Command {
  return common(command)
    .option(
      '-c, --config <path>',
      'configuration file or folder; several are laid over each other',
      collect,
    )
    .option('-p, --profile <name>', 'a profile of the configuration to lay over it', collect)
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

function withArguments<T extends ConfigOptions>(paths: readonly string[], options: T): T {
  const all = [...paths, ...(options.config ?? [])]
  return all.length > 0 ? { ...options, config: all } : options
}

const exitCodes = `
Exit codes:
  0  done
  1  the tool, a server, the login or the start failed; or a check found something
  2  the configuration or the command line is wrong`

/** Another copy of the config package may have made it. */
function isConfigError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ConfigError'
}
