import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..')

test("the README's example runs, here on the console", { timeout: 30_000 }, () => {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  const script = example.replace("default: 'anthropic/claude-sonnet-5'", "default: 'console'")
  expect(script).not.toBe(example)
  const flags = [
    '--conditions=@mobius-mcp/source',
    '--input-type=module-typescript',
    '--eval',
    script,
  ]
  const output = execFileSync(process.execPath, flags, { cwd: folder, encoding: 'utf8' })
  expect(output).toMatch(/^No language model is configured/)
  expect(output).toContain('stop { inputTokens: 0, outputTokens: 0 } 0')
})
