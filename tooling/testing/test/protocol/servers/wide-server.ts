import {
  type ChangedList,
  defineServer,
  ProtocolError,
  type ServerDefinition,
  tool,
  uncheckedSchema,
} from '@mobius-mcp/protocol'
import { z } from 'zod'

/** A server with a bit of everything, in any process. */
export function createWideServer(): ServerDefinition {
  const changes = new Set<(list: ChangedList) => void>()
  const watchers = new Set<() => void>()
  const events: string[] = []
  let extra = false
  return defineServer({
    name: 'wide',
    version: '1',
    title: 'A wide server',
    instructions: 'Try everything.',
    logging: true,
    pageSize: 5,
    tools: () => ({
      ...createPlainTools(),
      ...createLiveTools(events),
      change: tool({
        description: 'Gets another tool, and changes the resource.',
        run() {
          extra = true
          for (const changed of [...changes]) changed('tools')
          for (const changed of watchers) changed()
          return 'changed'
        },
      }),
      ...(extra && { extra: tool({ description: 'Was not there before.', run: () => 'extra' }) }),
    }),
    resources: {
      'test://live': {
        name: 'live',
        read: () => events.join(),
        watch(_, changed) {
          watchers.add(changed)
          return () => void watchers.delete(changed)
        },
      },
      'test://bytes': { name: 'bytes', read: () => Uint8Array.of(0, 255, 128) },
    },
    resourceTemplates: {
      'test://users/{id}': {
        name: 'user',
        read: ({ id }) => `user ${id}`,
        complete: { id: (value) => ['ann', 'bob'].filter((each) => each.startsWith(value)) },
      },
    },
    prompts: { greet: { arguments: { who: { required: true } }, get: ({ who }) => `Hi ${who}` } },
    watch(changed) {
      changes.add(changed)
      return () => void changes.delete(changed)
    },
  })
}

function createPlainTools() {
  return {
    echo: tool({
      description: 'Answers with its arguments and _meta.',
      input: uncheckedSchema({ type: 'object' }),
      run: (args, { meta }) => ({
        content: [],
        structuredContent: args,
        _meta: { received: meta.trace ?? null },
      }),
    }),
    big: tool({
      description: 'Answers with a text of so many characters.',
      input: z.object({ length: z.int() }),
      run: ({ length }) => 'å'.repeat(length),
    }),
    fail: tool({
      description: 'Fails as a tool.',
      run() {
        throw new Error('The disk is full')
      },
    }),
    refuse: tool({
      description: 'Fails as a request.',
      run() {
        throw new ProtocolError('URL_ELICITATION_REQUIRED', 'Visit us', { data: { url: 'x:y' } })
      },
    }),
  }
}

function createLiveTools(events: string[]) {
  return {
    report: tool({
      description: 'Says three things, then ends.',
      run(_, context) {
        context.progress({ progress: 1, total: 2, message: 'half' })
        context.log('warning', { at: 'half' })
        context.progress({ progress: 2, total: 2 })
        return 'reported'
      },
    }),
    ask: tool({
      description: 'Asks the person, the model and for the roots.',
      input: z.object({ text: z.string() }),
      async run({ text }, context) {
        const form = { type: 'object' as const, properties: {} }
        const { action } = await context.elicit({ message: text, requestedSchema: form })
        const { model } = await context.sample({ messages: [], maxTokens: 1 })
        const { roots } = await context.listRoots()
        return `${text} ${action} ${model} ${roots.length}`
      },
    }),
    wait: tool({
      description: 'Ends when it is cancelled.',
      run: (_, { signal }) =>
        new Promise<string>((resolve) => {
          events.push('waiting')
          signal.addEventListener('abort', () => {
            events.push('aborted')
            resolve('too late')
          })
        }),
    }),
  }
}
