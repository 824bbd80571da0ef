import { requireOperator } from '@mobius-mcp/permissions'
import type { Operations } from '@mobius-mcp/server-meta'
import type { LiveConfiguration } from './live-configuration.ts'
import type { Questions } from './questions.ts'

/** What an operator may do to a running gateway, for the meta server's tools. */
export function createOperations(questions: Questions, live: LiveConfiguration): Operations {
  return {
    require: requireOperator,
    questions: () => questions.list(),
    watchQuestions: (listener) => questions.watch(listener),
    answer: (id, approved, by, reason) => questions.answer(id, approved, by, reason),
    reload: async () => ({ changes: await live.reload() }),
    addServer: async (name, entry) => ({ changes: await live.addServer(name, entry) }),
    removeServer: async (name) => ({ changes: await live.removeServer(name) }),
  }
}

/** `server/tool` of what people do themselves, and no agent for them. */
export const peopleTools: readonly string[] = [
  'meta/list_chats',
  'meta/update_chat',
  'meta/stop_chat',
  'meta/delete_chat',
  'meta/list_questions',
  'meta/answer_question',
]

/** `server/tool` of what clients see that chat, at `/mcp/s/meta` or where they are published by name. */
export const chatTools: readonly string[] = ['meta/list_agents', ...peopleTools]

/** `server/tool` of what only operators see. */
export const operatorTools: readonly string[] = [
  'meta/reload_configuration',
  'meta/add_server',
  'meta/remove_server',
]
