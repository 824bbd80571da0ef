import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { stdioEcho } from '../../src/subjects/subject.ts'

test('the stdio echo answers requests line by line and ends with its input', async () => {
  const { command, args } = stdioEcho('--tools', '1')
  const child = spawn(command, args)
  const call = { name: 'echo', arguments: { text: 'hello' } }
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: call },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'fail' } },
  ]) {
    child.stdin.write(`${JSON.stringify(message)}\n`)
  }
  child.stdin.end()
  expect(await text(child.stdout)).toMatchInlineSnapshot(`
    "{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"hello"}],"structuredContent":{"text":"hello"}}}
    {"jsonrpc":"2.0","id":2,"error":{"code":-32050,"message":"The echo fails when it is asked to.","data":{"detail":"kept"}}}
    "
  `)
})
