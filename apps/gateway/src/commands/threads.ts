import type { JsonObject, Session } from '@mobius-mcp/protocol'
import { escapeLine, showText } from '@mobius-mcp/telemetry'
import {
  callMeta,
  listAgents,
  readItems,
  readThread,
  withAgents,
  withMeta,
} from '../chat/records.ts'
import { createScreen } from '../chat/screen.ts'
import { showItem } from '../chat/show-item.ts'
import { formatTable } from '../format-table.ts'
import type { ConfigOptions } from '../program.ts'
import { useGateway } from '../use-gateway.ts'
import { UserError } from '../user-error.ts'

export interface ThreadsOptions extends ConfigOptions {
  search?: string
  agent?: string
  last?: string
  json?: boolean
}

/** A conversation as `list_chats` shows it. */
interface ShownThread {
  readonly id: string
  readonly agent: string
  readonly title: string
  /** As ISO 8601. */
  readonly updatedAt: string
  readonly running: boolean
}

/** How many are listed where nobody says. */
const usual = 20
const largestPage = 100

/** `mobius threads`: the conversations of this machine's user with agents, the latest first. */
export async function listThreads(options: ThreadsOptions): Promise<number> {
  const count = toCount(options.last) ?? usual
  await using gateway = await useGateway(options)
  const { found, isMore } = await withMeta(gateway, (session) => collect(session, options, count))
  if (options.json) process.stdout.write(toJson(found))
  else if (found.length === 0) process.stderr.write('There are no threads.\n')
  else process.stdout.write(format(found))
  if (isMore && !options.json) process.stderr.write(`There are more: -n ${count * 5}\n`)
  return 0
}

/** `mobius threads show`: what was said and done in one. */
export async function showThread(
  id: string,
  options: ConfigOptions & { json?: boolean },
): Promise<number> {
  await using gateway = await useGateway(options)
  return await withAgents(gateway, await listAgents(gateway), async (session) => {
    const { agent, title } = await readThread(session, id)
    if (options.json) {
      for await (const item of readItems(session, id)) {
        process.stdout.write(escapeLine(`${JSON.stringify(item)}\n`))
      }
      return 0
    }
    const screen = createScreen(process.stdout)
    screen.line(`${showText(title) || 'Without a title'} (${showText(agent)})`, 'dim')
    for await (const item of readItems(session, id)) showItem(item, screen)
    return 0
  })
}

/** `mobius threads delete`: what is done in it is stopped first. */
export async function deleteThread(id: string, options: ConfigOptions): Promise<number> {
  await using gateway = await useGateway(options)
  await withMeta(gateway, (session) => callMeta(session, 'delete_chat', { id }))
  process.stderr.write('Deleted.\n')
  return 0
}

async function collect(
  session: Session,
  { search, agent }: ThreadsOptions,
  count: number,
): Promise<{ found: readonly ShownThread[]; isMore: boolean }> {
  const found: ShownThread[] = []
  const query: JsonObject = {
    ...(search === undefined ? {} : { search }),
    ...(agent === undefined ? {} : { agent }),
  }
  let cursor: unknown
  do {
    const limit = Math.min(count - found.length, largestPage)
    const args = { ...query, limit, ...(cursor === undefined ? {} : { cursor }) }
    const { chats, next } = await callMeta(session, 'list_chats', args)
    // The meta server has checked it by its own schema.
    found.push(...(chats as unknown as readonly ShownThread[]))
    cursor = next
  } while (cursor !== undefined && found.length < count)
  return { found, isMore: cursor !== undefined }
}

function format(found: readonly ShownThread[]): string {
  const rows = found.map(({ id, agent, title, updatedAt, running }) => [
    showText(title, 60) || '(without a title)',
    showText(agent),
    running ? 'now' : showTime(updatedAt),
    showText(id),
  ])
  return formatTable(['title', 'agent', 'when', 'id'], rows)
}

/** By the clock of whoever reads it. */
function showTime(iso: string): string {
  const time = new Date(iso)
  const two = (value: number) => String(value).padStart(2, '0')
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`
}

function toJson(found: readonly ShownThread[]): string {
  const lines = JSON.stringify(found, null, 2).split('\n')
  return lines.map((line) => `${escapeLine(line)}\n`).join('')
}

function toCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new UserError(`Cannot list ${JSON.stringify(text)} threads: expected a number, e.g. 50`)
}
