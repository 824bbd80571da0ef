import { type JsonObject, type Principal, ProtocolError } from '@mobius-mcp/protocol'
import type { AgentReport, ChatReport, Chats } from '../../src/index.ts'

/** Conversations of anna and bob, and a record of what was done to them. */
export interface RecordedChats extends Chats {
  readonly done: readonly string[]
  readonly watchers: number
  /** Something of a principal's is another than before. */
  change(principal: Principal): void
  tellOfAgents(): void
}

const agents: readonly AgentReport[] = [
  {
    name: 'main',
    title: 'Mainly',
    starterMessages: ['Begin'],
    icons: [{ src: 'https://example.com/i.svg', theme: 'dark' }],
    entrypoint: true,
    default: true,
  },
  { name: 'other', description: 'Another', entrypoint: false, default: false },
]

export function createChats(): RecordedChats {
  const done: string[] = []
  const kept = [
    { owner: 'anna', chat: createChat('a1', { title: 'About trees', running: true }) },
    { owner: 'anna', chat: createChat('a2', { agent: 'other' }) },
    { owner: 'bob', chat: createChat('b1', {}) },
  ]
  const forms = [{ owner: 'anna', id: 'f1', thread: 'a1' }]
  const watchers = new Map<() => void, Principal>()
  const agentWatchers = new Set<() => void>()
  const isOf = ({ owner }: { owner: string }, { id, issuer }: Principal) =>
    owner === id && issuer === 'keys'
  const find = (principal: Principal, id: string) =>
    kept.find((each) => isOf(each, principal) && each.chat.id === id)
  return {
    done,
    get watchers() {
      return watchers.size
    },
    change(principal) {
      for (const [listener, { id }] of watchers) if (id === principal.id) listener()
    },
    tellOfAgents() {
      for (const listener of agentWatchers) listener()
    },
    requirePerson({ call }, what) {
      if (call.origin.kind !== 'client') throw new Error(`${what} needs a person`)
    },
    agents: () => agents,
    watchAgents(listener) {
      agentWatchers.add(listener)
      return () => void agentWatchers.delete(listener)
    },
    async list(principal, { search = '', agent, cursor = '0', limit = 100 } = {}) {
      if (!/^\d+$/.test(cursor)) {
        throw new ProtocolError('INVALID_PARAMS', `${cursor} was not given out here`)
      }
      const found = kept
        .filter((each) => isOf(each, principal))
        .map(({ chat }) => chat)
        .filter(({ title }) => title.toLowerCase().includes(search.toLowerCase()))
        .filter((chat) => agent === undefined || chat.agent === agent)
      const end = Number(cursor) + limit
      const next = end < found.length ? String(end) : undefined
      return { chats: found.slice(Number(cursor), end), next }
    },
    async rename(principal, id, title) {
      const known = find(principal, id)
      if (!known) return undefined
      done.push(`rename ${id}`)
      known.chat = { ...known.chat, title }
      return known.chat
    },
    async delete(principal, id) {
      const known = find(principal, id)
      if (!known) return false
      done.push(`delete ${id}`)
      kept.splice(kept.indexOf(known), 1)
      return true
    },
    async stop(principal, id) {
      const known = find(principal, id)
      if (!known) return undefined
      done.push(`stop ${id}`)
      return known.chat.running
    },
    async asked(principal) {
      return forms
        .filter((form) => isOf(form, principal))
        .map(({ id, thread }) => ({ id, thread, askedAt: 3, params: formParams }))
    },
    async answer(principal, id, answer) {
      if (!forms.some((form) => isOf(form, principal) && form.id === id)) return false
      done.push(`answer ${id} ${JSON.stringify(answer)}`)
      return true
    },
    watch(principal, listener) {
      watchers.set(listener, principal)
      return () => void watchers.delete(listener)
    },
  }
}

const formParams: JsonObject = {
  message: 'Which size?',
  requestedSchema: { type: 'object', properties: {} },
}

function createChat(id: string, more: Partial<ChatReport>): ChatReport {
  return { id, agent: 'main', title: '', createdAt: 1, updatedAt: 2, running: false, ...more }
}
