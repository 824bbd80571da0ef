import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..')

test("the README's example runs", { timeout: 30_000 }, () => {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  const flags = [
    '--conditions=@mobius-mcp/source',
    '--input-type=module-typescript',
    '--eval',
    example,
  ]
  const output = execFileSync(process.execPath, flags, { cwd: folder, encoding: 'utf8' })
  expect(output).toBe('hello\n')
})
