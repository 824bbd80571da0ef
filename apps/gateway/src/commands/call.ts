import {
  type CallResult,
  errorNumbers,
  isObject,
  isProtocolError,
  type JsonObject,
} from '@mobius-mcp/protocol'
import { assemble } from '../assemble.ts'
import { attach } from '../attach.ts'
import { CommandConfiguration } from '../command-configuration.ts'
import { formatResult } from '../format-result.ts'
import type { ConfigOptions } from '../program.ts'
import { withSpinner } from '../progress.ts'
import { findAttachable } from '../reach.ts'
import { UserError } from '../user-error.ts'

export interface CallCommandOptions extends ConfigOptions {
  json?: boolean
}

interface Target {
  readonly server: string
  readonly tool: string
}

/**
 * `mobius call`: one call, with its result on stdout; through the running gateway where there is
 * one. The exit code is 1 where the tool fails.
 */
export async function call(
  text: string,
  args: string,
  options: CallCommandOptions,
): Promise<number> {
  const target = parseTarget(text)
  const parsed = parseArguments(args)
  try {
    const result = await withSpinner(text, () => makeCall(target, parsed, options))
    process.stdout.write(
      options.json ? `${JSON.stringify(result, null, 2)}\n` : formatResult(result),
    )
    return result.isError === true ? 1 : 0
  } catch (error) {
    if (error instanceof UserError || !isCallError(error)) throw error
    process.stderr.write(`${error.message}\n${adviceFor(error)}`)
    return 1
  }
}

async function makeCall(
  { server, tool }: Target,
  args: JsonObject,
  options: ConfigOptions,
): Promise<CallResult> {
  const configuration = new CommandConfiguration(options)
  const running = await findAttachable(configuration)
  if (!running) {
    await using gateway = await assemble({ ...options, configuration })
    return await gateway.service.call({ server, tool }, args)
  }
  const session = await attach(running, `/mcp/s/${encodeURIComponent(server)}`)
  try {
    const params = { name: tool, arguments: args }
    return (await session.request('tools/call', params)) as CallResult
  } finally {
    await session.close()
  }
}

/** What to do where somebody has to sign in first. */
function adviceFor(error: Error): string {
  // Through a running gateway it is an error of the other end, which has a number alone.
  const needed = isProtocolError(error) && error.number === errorNumbers.AUTH_NEEDED
  if (!needed || !isObject(error.data)) return ''
  return `Sign in: mobius login ${error.data.server}\n`
}

/** What a server or a connection said, not what is wrong with the configuration. */
function isCallError(error: unknown): error is Error {
  return error instanceof Error && error.name !== 'ConfigError'
}

function parseTarget(text: string): Target {
  const slash = text.indexOf('/')
  if (slash < 1 || slash === text.length - 1) {
    throw new UserError(
      `Cannot call ${JSON.stringify(text)}: expected server/tool, e.g. meta/list_servers`,
    )
  }
  return { server: text.slice(0, slash), tool: text.slice(slash + 1) }
}

function parseArguments(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (isObject(value)) return value
  throw new UserError(
    `Cannot read the arguments: expected a JSON object like {"city": "Oslo"}, received ${text}`,
  )
}
