import { drainList, initialize, openInProcess } from '@mobius-mcp/protocol'
import { assemble } from '../assemble.ts'
import { formatTable } from '../format-table.ts'
import type { CommonOptions } from '../program.ts'
import { version } from '../version.ts'

export interface ToolsOptions extends CommonOptions {
  config?: string
  json?: boolean
}

/** `mobius tools`: what a client would see, asked as a client. */
export async function tools(options: ToolsOptions): Promise<number> {
  await using gateway = await assemble(options.config, options)
  const session = openInProcess(gateway.published)
  await initialize(session, { info: { name: 'mobius tools', version }, capabilities: {} })
  const found = await drainList(session, 'tools')
  for (const { name, reason } of gateway.service.states()) {
    if (reason !== undefined) process.stderr.write(`Not here: ${name}: ${reason}\n`)
  }
  if (options.json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
  else {
    const rows = found.map(({ name, description }) => [String(name), firstLine(description)])
    process.stdout.write(formatTable(['tool', 'description'], rows))
  }
  await session.close()
  return 0
}

function firstLine(description: unknown): string {
  if (typeof description !== 'string') return ''
  const line = description.trim().split('\n', 1)[0] ?? ''
  return line.length <= 100 ? line : `${line.slice(0, 99)}…`
}
