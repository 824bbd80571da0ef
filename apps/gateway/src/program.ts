import { Command, CommanderError } from 'commander'
import { UserError } from './user-error.ts'
import { version } from './version.ts'

/** Options that every command takes. */
export interface CommonOptions {
  state?: string
  verbose?: boolean
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
    if (error instanceof CommanderError) return error.exitCode
    if (error instanceof UserError || isConfigError(error)) {
      process.stderr.write(`${error.message}\n`)
      return 2
    }
    throw error
  }
}

function createProgram(onExitCode: (code: number) => void): Command {
  const program = new Command('mobius')
    .description('Mobius, the MCP host and gateway')
    .version(version)
    .exitOverride()
    .addHelpText('after', exitCodes)
  common(
    program
      .command('serve', { isDefault: true })
      .argument('[config]', 'configuration file; see the README for where it is looked for')
      .description('serve MCP over HTTP: /mcp for everything, /mcp/s/<server> for one server')
      .option('-l, --listen <address>', 'address to listen on (default 127.0.0.1:8420)')
      .option('--insecure', 'allow an address that others can reach without a login'),
  ).action(async (config: string | undefined, options) => {
    const { serve } = await import('./commands/serve.ts')
    onExitCode(await serve(config, options))
  })
  common(
    program
      .command('stdio')
      .argument('[config]', 'configuration file')
      .description('serve MCP on stdin and stdout, to the client that started this process'),
  ).action(async (config: string | undefined, options) => {
    const { stdio } = await import('./commands/stdio.ts')
    onExitCode(await stdio(config, options))
  })
  common(
    program
      .command('servers')
      .description('try every server, and show its state and why it is not ready')
      .option('-c, --config <path>', 'configuration file')
      .option('--json', 'print JSON'),
  ).action(async (options) => {
    const { servers } = await import('./commands/servers.ts')
    onExitCode(await servers(options))
  })
  common(
    program
      .command('tools')
      .description('list the published tools')
      .option('-c, --config <path>', 'configuration file')
      .option('--json', 'print JSON'),
  ).action(async (options) => {
    const { tools } = await import('./commands/tools.ts')
    onExitCode(await tools(options))
  })
  common(
    program
      .command('call')
      .argument('<server/tool>', "the tool, by its server's name and its own")
      .argument('[arguments]', 'a JSON object', '{}')
      .description('call a tool and print what it answers')
      .option('-c, --config <path>', 'configuration file')
      .option('--json', 'print the whole result as JSON'),
  ).action(async (target: string, args: string, options) => {
    const { call } = await import('./commands/call.ts')
    onExitCode(await call(target, args, options))
  })
  return program
}

function common(command: Command): Command {
  return command
    .option(
      '--state <folder>',
      "folder for what is kept (default MOBIUS_STATE, else the platform's)",
    )
    .option('-v, --verbose', 'print what servers write beside the protocol')
}

const exitCodes = `
Exit codes:
  0  done
  1  the tool, a server or the start failed
  2  the configuration or the command line is wrong`

/** Another copy of the config package may have made it. */
function isConfigError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ConfigError'
}
