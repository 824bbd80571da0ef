// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ConfigError, loadConfig, parseConfig } from '../src/index.ts'

const whole = `mcpServers:
  files: { command: npx, args: [-y, "a b"], env: { K: "\${V:-x}" }, cwd: data, sharing: process }
  remote: &r
    url: https://example.com/mcp
    headers: { Authorization: Bearer x }
    timeouts: { request: 30s, total: off }
    tools: { slow: { timeouts: { idle: 5 } } }
publish:
  include: [files, "remote/*", "!files/x", "remote/a:b"]
  describe: { files/read: 'Reads' }
groups: { g: [files], h: { include: [remote], exclude: [remote/x] } }
hooks: { "tools/call?direction=request&name=a*": [files/check, { target: "!mutate:remote/look", with: { a: 1 }, priority: 2 }] }
permissions: { allow: ["files/get_*(path: /srv/*)"], deny: [remote] }
log: { level: info, hookTrace: true }
profiles: { p: { log: { level: debug } } }
agents:
  main: { instructions: "Say \${V} \${servers.x}", tools: [files, "!remote/x"], agents: other, output: { fields: { "a[]": x, b: { fields: { c: y } } } }, limits: { time: 5m }, permissions: { deny: [files] }, reasoning: { effort: low } }
  other: { mode: subagent, instructions: { prompt: hi, arguments: { a: b } }, model: local/x }
models: { default: fast, aliases: { fast: local/x }, providers: { local: { baseUrl: "http://x", key: env:V } }, prices: { local/*: { input: 1, output: 2 } } }
prompts: { hi: { template: "Hi \${name} \${W}", input: { name: Who } } }
env: { W: { description: x, default: y, options: [y, z] }, X: Needed }
llmProviders: { o: { dialect: OpenAIResponses } }
http: { listen: "127.0.0.1:80", maxBodyBytes: 8 MiB, keys: [{ name: a, key: 0123456789abcdef }] }
`

/** Parses, and lets nothing through but a result or a `ConfigError` with a place in the text. */
function survive(text: string): void {
  try {
    parseConfig(text, { file: 'f', env: { V: '1' } })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    expect(error.problems.length).toBeGreaterThan(0)
    for (const { line = 1, column = 1, message } of error.problems) {
      expect(line).toBeGreaterThan(0)
      expect(line).toBeLessThanOrEqual(text.split('\n').length)
      expect(column).toBeGreaterThan(0)
      expect(message).not.toMatch(/undefined|\[object/)
    }
  }
}

test('no text makes anything but a ConfigError', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), survive), { numRuns: 200 })
})

test('no text of the characters that mean something does', () => {
  const unit = fc.constantFrom(...'{}[]:,-?!&*#|>\'"%@`$~ \n\t\\ab10<=/'.split(''))
  fc.assert(fc.property(fc.string({ unit, maxLength: 60 }), survive), { numRuns: 800 })
})

test('no slip in a good file does', () => {
  const slip = fc.record({
    at: fc.nat({ max: whole.length }),
    drop: fc.nat({ max: 12 }),
    add: fc.string({ unit: fc.constantFrom(...'{}[]:,-!&*"\'\n $x5'.split('')), maxLength: 4 }),
  })
  fc.assert(
    fc.property(fc.array(slip, { minLength: 1, maxLength: 3 }), (slips) => {
      let text = whole
      for (const { at, drop, add } of slips) text = text.slice(0, at) + add + text.slice(at + drop)
      survive(text)
    }),
    { numRuns: 400 },
  )
})

test('no value under a known key does', () => {
  const keys =
    'mcpServers publish http command args env url headers type sharing timeouts tools include exclude rename describe listen keys sessions enabled disabled hooks permissions groups log allow deny target with priority profiles extends state agents models prompts env llmProviders instructions model output fields schema mode default limits reasoning providers aliases prices dialect key baseUrl template input options optional entrypoint tools/call __proto__ constructor'
  const key = fc.oneof(fc.constantFrom(...keys.split(' ')), fc.string({ maxLength: 5 }))
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.oneof(
        fc.string(),
        fc.double(),
        fc.boolean(),
        fc.constantFrom(null, 'x', 5, 'a/b:c', '${V}', ''),
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 3 }), (file) => survive(JSON.stringify(file))),
    { numRuns: 400 },
  )
})

test('what is right in YAML is right in JSON', () => {
  const word = fc
    .string({ minLength: 1, maxLength: 12 })
    .filter((text) => !text.includes('${') && text.trim() !== '')
  fc.assert(
    fc.property(
      word,
      fc.array(word),
      fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), word),
      (command, args, env) => {
        const text = JSON.stringify({ mcpServers: { a: { command, args, env } } })
        const { servers } = parseConfig(text, { file: 'f' })
        expect(servers[0]?.connection).toMatchObject({ command, args, env })
      },
    ),
  )
})

test('a secret never shows, wherever the file is broken', () => {
  const text = `mcpServers:
  a: { command: c, args: ["s3cret"], env: { K: 's3cret', L: "\${S}" } }
  b:
    url: https://s3cret@example.com/
models: { providers: { p: { key: s3cret, baseUrl: "https://s3cret@x", headers: { K: s3cret } } } }
    headers: { Authorization: Bearer s3cret }
http: { keys: [{ name: n, key: s3cret-s3cret-s3cret }] }
`
  const cut = fc.record({
    at: fc.nat({ max: text.length }),
    drop: fc.nat({ max: 6 }),
    add: fc.string({ unit: fc.constantFrom(...'{}[]:,-!"\'\n '.split('')), maxLength: 3 }),
  })
  fc.assert(
    fc.property(cut, ({ at, drop, add }) => {
      const broken = text.slice(0, at) + add + text.slice(at + drop)
      try {
        parseConfig(broken, { file: 'f', env: { S: 's3cret' } })
      } catch (error) {
        expect(String(error)).not.toContain('s3cret')
      }
    }),
    { numRuns: 600 },
  )
})

test('no text of an agent makes anything but a ConfigError', async () => {
  const unit = fc.constantFrom(
    ...'-{}[]:,!&*"\'# \n\t$a5'.split(''),
    '---\n',
    '\n---\n',
    'model: ',
    '${V}',
  )
  await fc.assert(
    fc.asyncProperty(fc.string({ unit, maxLength: 40 }), async (text) => {
      const readFile = async () => text
      try {
        await loadConfig('/a.md', { env: { V: '1' }, readFile })
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        for (const { line = 1, column = 1, message } of error.problems) {
          expect(line).toBeLessThanOrEqual(text.split('\n').length)
          expect(column).toBeGreaterThan(0)
          expect(message).not.toMatch(/undefined|\[object/)
        }
      }
    }),
    { numRuns: 400 },
  )
})
