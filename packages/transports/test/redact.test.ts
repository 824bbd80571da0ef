import { expect, test } from 'vitest'
import { createRedactor, secretsOfArguments, secretsOfUrl } from '../src/redact.ts'

test.each<{ args: string[]; secrets: string[] }>([
  { args: ['--api-key', 'hunter2-a'], secrets: ['hunter2-a'] },
  { args: ['--token=hunter2-b'], secrets: ['hunter2-b'] },
  { args: ['run', '-e', 'GITHUB_TOKEN=hunter2-c', 'image'], secrets: ['hunter2-c'] },
  { args: ['--header', 'Authorization: Bearer hunter2-d'], secrets: ['hunter2-d'] },
  { args: ['postgres://me:hunter2-e@db.example/main'], secrets: ['hunter2-e'] },
  { args: ['--url', 'https://:hunter2-f@a.example'], secrets: ['hunter2-f'] },
])('an argument that is a secret by its name is not shown: $args', ({ args, secrets }) => {
  const shown = createRedactor(secretsOfArguments(args))(args.join(' '))
  for (const secret of secrets) expect(shown).not.toContain(secret)
})

test('other arguments are there to be read', () => {
  const args = ['-y', '@acme/server', '--root', '/srv/files', '--author', 'Somebody', '--port=8080']
  expect(secretsOfArguments(args)).toEqual([])
})

test('a URL is shown without the keys in its query and its path', () => {
  const url = new URL(
    'https://a.example/s/Zm9vYmFyYmF6cXV4MTIzNDU2/mcp?api_key=a%2Fb%2Bc%2Fd&mode=readonly',
  )
  const redact = createRedactor(secretsOfUrl(url))
  expect(redact(url.href)).toBe('https://a.example/s/[key]/mcp?api_key=[api_key]&mode=readonly')
  expect(redact('no such key: a/b+c/d')).toBe('no such key: [api_key]')
})
