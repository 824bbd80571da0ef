// Servers that are wrong in one way each; the way is the first argument.
import { createInterface } from 'node:readline'

const [, , way] = process.argv
const initialized = (id, { protocolVersion }) => ({
  jsonrpc: '2.0',
  id,
  result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: way, version: '1' } },
})

if (way === 'exits') {
  console.error('API_KEY is not set')
  process.exit(3)
}
if (way === 'prints') console.log('Server is listening\nReady.')

for await (const line of createInterface({ input: process.stdin })) {
  if (way !== 'answers-and-exits') continue
  const { id, params } = JSON.parse(line)
  process.stdout.write(`${JSON.stringify(initialized(id, params))}\n`, () => process.exit(0))
}
