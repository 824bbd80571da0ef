import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { Processes } from '../src/processes.ts'

test('disposing ends each child and its descendants', async () => {
  await using server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const processes = new Processes(new AbortController().signal)
  const child = processes.start(process.execPath, ['-e', parentOf(connectTo(server.address()))])
  const [socket] = (await once(server, 'connection')) as [Socket]
  // The operating system closes the grandchild's connection when it is gone.
  const gone = once(socket.on('error', () => {}).resume(), 'close')
  await processes[Symbol.asyncDispose]()
  expect(await child.exited).toBe('SIGTERM')
  await gone
})

test('aborting ends the children and lets no other one start', async () => {
  const controller = new AbortController()
  await using processes = new Processes(controller.signal)
  const child = processes.start(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  controller.abort(new Error('Interrupted.'))
  expect(await child.exited).toBe('SIGTERM')
  expect(() => processes.start(process.execPath, ['--version'])).toThrow('Interrupted.')
})

test('a command that does not exist ends with a reason', async () => {
  await using processes = new Processes(new AbortController().signal)
  const child = processes.start('no-such-command', [])
  expect(await child.exited).toBe(1)
  expect(child.output()).toBe('spawn no-such-command ENOENT')
})

function parentOf(program: string): string {
  const spawn = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(program)}])`
  return `${spawn}; setInterval(() => {}, 1000)`
}

function connectTo(address: AddressInfo | string | null): string {
  const { port } = address as AddressInfo
  return `require('node:net').connect(${port}, '127.0.0.1')`
}
