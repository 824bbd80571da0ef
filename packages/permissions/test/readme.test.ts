import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..')

test("the README's example runs, and says what it says", { timeout: 30_000 }, async () => {
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  const expected = [...example.matchAll(/^console\.log.*\n((?:\/\/ .*\n)+)/gm)].map(
    ([, comment = '']) => comment.replaceAll(/^\/\/ /gm, ''),
  )
  const flags = [
    '--conditions=@mobius-mcp/source',
    '--input-type=module-typescript',
    '--eval',
    example,
  ]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: folder })
  expect(expected.length).toBeGreaterThan(0)
  expect(stdout.replaceAll('\n\n', '\n')).toBe(expected.join(''))
})
