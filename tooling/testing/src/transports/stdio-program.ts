/** Serves the server of a module, named on the command line, on stdio. */

import { serveStdio } from '@mobius-mcp/protocol/stdio'
import { buildHandler } from './build-handler.ts'

const [module = ''] = process.argv.slice(2)
const stack = new AsyncDisposableStack()
const session = await serveStdio(await buildHandler(new URL(module), stack))
session.ending.listen({ onCancel: () => void stack.disposeAsync() })
