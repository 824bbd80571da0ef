import { type CallResult, isObject, type JsonObject } from '@mobius-mcp/protocol'
import { assemble } from '../assemble.ts'
import type { CommonOptions } from '../program.ts'
import { UserError } from '../user-error.ts'

export interface CallCommandOptions extends CommonOptions {
  config?: string
  json?: boolean
}

/** `mobius call`: one call, with its result on stdout. The exit code is 1 where the tool fails. */
export async function call(
  target: string,
  args: string,
  options: CallCommandOptions,
): Promise<number> {
  const slash = target.indexOf('/')
  if (slash < 1 || slash === target.length - 1) {
    throw new UserError(
      `Cannot call ${JSON.stringify(target)}: expected server/tool, e.g. meta/list_servers`,
    )
  }
  const parsed = parseArguments(args)
  await using gateway = await assemble(options.config, options)
  try {
    const result = await gateway.service.call(
      { server: target.slice(0, slash), tool: target.slice(slash + 1) },
      parsed,
    )
    process.stdout.write(options.json ? `${JSON.stringify(result, null, 2)}\n` : format(result))
    return result.isError === true ? 1 : 0
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
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

function format(result: CallResult): string {
  const lines = result.content.map((block) => {
    if (block.type === 'text') return String(block.text)
    const { data: _, blob: _blob, ...rest } = block
    return JSON.stringify(rest)
  })
  return lines.length > 0 ? `${lines.join('\n')}\n` : ''
}
