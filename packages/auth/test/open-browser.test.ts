import { openBrowser } from '@mobius-mcp/auth'
import { expect, test } from 'vitest'

const url = 'https://as.example/authorize?a=1&b=2'

test.each([
  ['linux', ['xdg-open', url]],
  ['darwin', ['open', url]],
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler', url]],
] as const)('a browser is opened on %s, without a shell', async (platform, command) => {
  const started: string[][] = []
  const start = async (program: string, args: readonly string[]) => {
    started.push([program, ...args])
  }
  await openBrowser(url, { platform, start })
  expect(started).toEqual([command])
})

test.each(['javascript:alert(1)', 'file:///etc/passwd', 'http://as.example/', 'vscode://x'])(
  'a browser is not opened for %s',
  async (other) => {
    const start = () => Promise.reject(new Error('It was started'))
    await expect(openBrowser(other, { start })).rejects.toThrow(
      'A browser is opened for https alone',
    )
  },
)

test('a machine without a browser says so', async () => {
  await expect(
    openBrowser(url, { platform: 'linux', start: () => Promise.reject(new Error('ENOENT')) }),
  ).rejects.toThrow('ENOENT')
})
