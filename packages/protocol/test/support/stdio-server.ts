import { defineServer, tool } from '../../src/index.ts'
import { serveStdio } from '../../src/stdio.ts'
import { build } from './conversation.ts'

const server = defineServer({
  name: 'child',
  version: '1',
  tools: {
    flood: tool({
      description: 'Answers with a megabyte.',
      run: () => 'x'.repeat(1024 * 1024),
    }),
    leave: tool({
      description: 'Closes its session.',
      run: (_, context) => {
        setImmediate(() => void context.session.close())
        return 'Goodbye'
      },
    }),
  },
})

await serveStdio(await build(server))
