// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { loadConfig, parseConfig, printConfiguration } from '../src/index.ts'

const text = `mcpServers:
  files:
    command: npx
    args: [-y, server-files, --token, s3cret-1, --api-key=s3cret-2, --port, 80]
    env: { LOG_LEVEL: "\${LEVEL:-info}", GITHUB_TOKEN: s3cret-3, MODE: 007 }
  search:
    url: https://user:s3cret-4@example.com/mcp?api_key=s3cret-5&x=1
    headers: { Authorization: "Bearer \${TOKEN}", X-Key: s3cret-6 }
    oauth: { clientId: me, clientSecret: s3cret-7 }
hooks:
  tools/call?direction=request:
    - { target: files/check, with: { secret: "\${TOKEN}" } }
http: { keys: [{ name: ci, key: s3cret-8-0123456789 }] }
`

test('what all files say, with its places and without secrets', () => {
  const env = { TOKEN: 's3cret-9' }
  const configuration = parseConfig(text, { file: '/etc/mobius.yaml', env })
  expect(printConfiguration(configuration, { relativeTo: '/etc' })).toMatchInlineSnapshot(`
    "mcpServers:
      files:
        command: npx # mobius.yaml:3:14
        args:
          - -y # mobius.yaml:4:12
          - server-files # mobius.yaml:4:16
          - --token # mobius.yaml:4:30
          - "[redacted]" # mobius.yaml:4:39
          - --api-key=[redacted] # mobius.yaml:4:49
          - --port # mobius.yaml:4:69
          - "80" # mobius.yaml:4:77
        env:
          LOG_LEVEL: "[redacted]" # mobius.yaml:5:23, from LEVEL
          GITHUB_TOKEN: "[redacted]" # mobius.yaml:5:55
          MODE: "007" # mobius.yaml:5:71
        type: stdio # mobius.yaml:3:5
      search:
        url: https://[redacted]@example.com/mcp?api_key=[redacted]&x=1 # mobius.yaml:7:10
        headers:
          Authorization: "[redacted]" # mobius.yaml:8:31, from TOKEN
          X-Key: "[redacted]" # mobius.yaml:8:57
        oauth:
          clientId: me # mobius.yaml:9:24
          clientSecret: "[redacted]" # mobius.yaml:9:42
        type: http # mobius.yaml:7:5
    hooks:
      tools/call?direction=request:
        - target: files/check # mobius.yaml:12:17
          with:
            secret: "[redacted]" # mobius.yaml:12:46, from TOKEN
    http:
      keys:
        - name: ci # mobius.yaml:13:24
          key: "[redacted]" # mobius.yaml:13:33
    "
  `)
})

test('what was put in shows itself nowhere', () => {
  const env = { TOKEN: 's3cret-9', LEVEL: 's3cret-9' }
  const configuration = parseConfig(text, { file: '/etc/mobius.yaml', env })
  const shown = [
    JSON.stringify(configuration),
    inspect(configuration, { depth: 20 }),
    inspect(configuration, { depth: 20, showHidden: true }),
    String(configuration.servers[0]?.connection),
    printConfiguration(configuration),
    ...configuration.servers.flatMap(({ connection }) =>
      Object.values(connection.type === 'stdio' ? connection.env : connection.headers).map(
        (value) => `${value}`,
      ),
    ),
  ]
  for (const each of shown) expect(each).not.toContain('s3cret-9')
  expect(configuration.hooks[0]?.with).toEqual({ secret: 's3cret-9' })
  expect(JSON.stringify(configuration.http.keys)).not.toContain('s3cret-8')
})

test('several files name the one that won', async () => {
  const files: Record<string, string> = {
    '/a.yaml': 'mcpServers: { a: { command: x, sharing: session } }\npublish: [a]',
    '/b.yaml': 'mcpServers: { a: { sharing: process } }\npublish: { exclude: [a/x] }',
  }
  const readFile = async (path: string) => files[path] ?? ''
  const configuration = await loadConfig(['/a.yaml', '/b.yaml'], { readFile })
  expect(printConfiguration(configuration)).toMatchInlineSnapshot(`
    "mcpServers:
      a:
        command: x # /a.yaml:1:29
        sharing: process # /b.yaml:1:29
        type: stdio # /b.yaml:1:18
    publish:
      include:
        - a # /a.yaml:2:11
      exclude:
        - a/x # /b.yaml:2:22
    "
  `)
})

test('nothing says so', () => {
  expect(printConfiguration(parseConfig('', { file: 'x' }))).toMatchInlineSnapshot(`
    "# Nothing is configured: the built-in servers are alone.
    "
  `)
})
