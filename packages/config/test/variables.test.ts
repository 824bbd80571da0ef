// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  type Environment,
  missingVariables,
  parseConfig,
  printConfiguration,
  renderPrompt,
  revealAgent,
  revealConnection,
} from '../src/index.ts'
import { failureOf } from './failure.ts'
import { loadFiles } from './load-files.ts'

const parse = (text: string, env: Environment = {}) => parseConfig(text, { file: 'm.yaml', env })

describe('variables that a configuration declares', () => {
  test('are known by name, with what is to be said of them', () => {
    const text = `env:
  TOKEN: The token of the tracker
  REGION: { description: Where, options: [eu, us], default: eu, secret: false }
  PORT: { optional: true, options: 8080 }
  LEVEL: { default: s3cret }
  NOTHING:
`
    const { variables } = parse(text, { TOKEN: 't' })
    expect(variables).toEqual([
      {
        name: 'TOKEN',
        description: 'The token of the tracker',
        required: true,
        secret: true,
        isSet: true,
      },
      {
        name: 'REGION',
        description: 'Where',
        options: ['eu', 'us'],
        required: true,
        secret: false,
        default: 'eu',
        isSet: true,
      },
      { name: 'PORT', options: ['8080'], required: false, secret: true, isSet: false },
      { name: 'LEVEL', required: true, secret: true, isSet: true },
      { name: 'NOTHING', required: true, secret: true, isSet: false },
    ])
    expect(missingVariables(variables).map(({ name }) => name)).toEqual(['NOTHING'])
  })

  test('have the value of the environment, else their default; an empty one is none', () => {
    const text = `env:
  A: { default: a }
  B: { default: "\${OTHER:-b}" }
  C: { optional: true }
  my_token:
  D: { default: d }
mcpServers: { s: { command: x, args: ["\${A} \${B} <\${C}> \${C:-c} \${my_token} \${D}"] } }
`
    const { servers } = parse(text, { A: 'other', 'MY-TOKEN': 't', D: '' })
    expect(servers.map(({ connection }) => revealConnection(connection))).toMatchObject([
      { args: ['other b <> c t d'] },
    ])
  })

  test('are one of their options', () => {
    const text = 'env: { REGION: { options: [eu, us] } }'
    expect(failureOf(text, { REGION: 's3cret' })).toMatchInlineSnapshot(`
      "Could not use the configuration mobius.yaml:
        mobius.yaml:1:8: env.REGION: the variable REGION is none of its options: eu, us"
    `)
    expect(parse(text, { REGION: 'us' }).variables).toMatchObject([{ isSet: true }])
  })

  test('are declared in one form', () => {
    const text = `env:
  a-b: x
  1A: x
  B: { requierd: true }
  C: [x]
  D: { secret: true, sensitive: false }
  E: { optional: maybe }
`
    expect(failureOf(text)).toMatchInlineSnapshot(`
      "Could not use the configuration mobius.yaml:
        mobius.yaml:2:3: env.a-b: expected a name of letters, digits and _, not a digit first
        mobius.yaml:3:3: env.1A: expected a name of letters, digits and _, not a digit first
        mobius.yaml:4:8: env.B.requierd: unknown key; known here: description, default, options, optional, secret
        mobius.yaml:5:6: env.C: expected a map, received a list
        mobius.yaml:6:22: env.D.sensitive: means the same as secret; one of the two must go
        mobius.yaml:7:18: env.E.optional: expected true or false, received something else"
    `)
  })

  test('one that is missing is waited for by what needs it, and by nothing else', () => {
    const text = `env: { TOKEN: The token }
mcpServers:
  tracker: { url: "\${TOKEN}", headers: { Authorization: "Bearer \${TOKEN}" } }
  files: { command: x, args: ["\${TOKEN}"], env: { T: "\${TOKEN:?needed}" } }
  other: { command: y }
agents: { a: { instructions: "Say \${TOKEN}" }, b: { instructions: { server: other, prompt: x, arguments: { t: "\${TOKEN}" } } } }
prompts: { p: "Hi \${TOKEN}" }
`
    const { servers, agents, prompts, variables, warnings } = parse(text)
    expect(missingVariables(variables)).toHaveLength(1)
    expect(warnings.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '1: is not set: The token; what needs it waits until it is',
    ])
    const [tracker, files, other] = servers.map(({ connection }) => connection)
    const needs = 'The variable TOKEN is needed and not set. Set it where the gateway is started.'
    for (const connection of [tracker, files]) {
      expect(() => connection && revealConnection(connection)).toThrow(needs)
    }
    expect(other && revealConnection(other)).toMatchObject({ command: 'y' })
    const values = { TOKEN: 'http://given' }
    expect(tracker && revealConnection(tracker, values)).toMatchObject({
      url: 'http://given',
      headers: { Authorization: 'Bearer http://given' },
    })
    for (const agent of agents) {
      const waiting = revealAgent(agent)
      expect(waiting.tools).toEqual([])
      expect(() => waiting.instructions).toThrow(needs)
    }
    expect(agents.map((agent) => revealAgent(agent, values).instructions)).toEqual([
      'Say http://given',
      { server: 'other', prompt: 'x', arguments: { t: 'http://given' } },
    ])
    const [prompt] = prompts
    expect(() => prompt && renderPrompt(prompt, {})).toThrow(needs)
    expect(prompt && renderPrompt(prompt, {}, values)).toBe('Hi http://given')
  })

  test('one that decides how the gateway itself is built cannot be waited for', () => {
    const text = `env: { PORT: Where to listen, KEY: }
http: { listen: "127.0.0.1:\${PORT}", keys: [{ name: ci, key: "\${KEY}" }] }
`
    expect(failureOf(text)).toMatchInlineSnapshot(`
      "Could not use the configuration mobius.yaml:
        mobius.yaml:2:17: http.listen: the variable PORT is not set: Where to listen
        mobius.yaml:2:62: http.keys[0].key: the variable KEY is not set; set it"
    `)
  })

  test('one that is declared in another file counts for all, whichever comes first', async () => {
    const files = {
      '/a.yaml': 'mcpServers: { s: { command: x, args: ["${T}"] } }',
      '/b.yaml': 'env: { T: Needed }',
    }
    const { servers, variables } = await loadFiles(files, ['/a.yaml', '/b.yaml'])
    expect(missingVariables(variables)).toHaveLength(1)
    expect(servers).toHaveLength(1)
  })

  test('none of their values is shown unasked', () => {
    const text = `env: { TOKEN: { default: s3cret-1 }, REGION: { default: eu, secret: false } }
agents: { a: { instructions: "Say \${TOKEN} \${REGION}" } }
prompts: { p: { template: "Hi \${TOKEN} \${name}", input: { name: x } } }
`
    const configuration = parse(text, {})
    const printed = printConfiguration(configuration)
    const shown = [
      JSON.stringify(configuration),
      inspect(configuration, { depth: 20, showHidden: true }),
      printed,
    ]
    for (const each of shown) expect(each).not.toMatch(/s3cret/)
    expect(printed).toMatchInlineSnapshot(`
      "agents:
        a:
          instructions: "[redacted]" # m.yaml:2:30, from TOKEN, REGION
      prompts:
        p:
          template: "[redacted]" # m.yaml:3:27, from TOKEN
          input:
            name: x # m.yaml:3:65
      env:
        TOKEN:
          default: "[redacted]" # m.yaml:1:26
        REGION:
          default: eu # m.yaml:1:57
          secret: false # m.yaml:1:69
      "
    `)
  })
})

describe('prompts of a configuration', () => {
  test('have arguments, and places for them in their text', () => {
    const { prompts } = parse(
      `prompts:
  greet:
    description: Greets somebody
    template: "\${TEAM} says: hello \${name}, \${ mood }! $\${name} \${name}"
    input:
      name: Who
      mood(good, bad): { description: How, required: false }
  bye: Bye
`,
      { TEAM: 'web' },
    )
    expect(
      prompts.map(({ name, description, arguments: args }) => ({ name, description, args })),
    ).toEqual([
      {
        name: 'greet',
        description: 'Greets somebody',
        args: [
          { name: 'name', description: 'Who', required: true },
          { name: 'mood', description: 'How', required: false, choices: ['good', 'bad'] },
        ],
      },
      { name: 'bye', description: undefined, args: [] },
    ])
    const [greet, bye] = prompts
    expect(greet && renderPrompt(greet, { name: '${TEAM} ${mood}', mood: 'good' })).toBe(
      'web says: hello ${TEAM} ${mood}, good! ${name} ${TEAM} ${mood}',
    )
    expect(greet && renderPrompt(greet, {})).toBe('web says: hello , ! ${name} ')
    expect(bye && renderPrompt(bye, { name: 'x' })).toBe('Bye')
  })

  test('take text', () => {
    const text = `prompts:
  a: { template: "\${nmae}", input: { name: Who } }
  b: { template: x, input: { "list[]": x, deep: { fields: { x: y } }, "n(int)": x, "x y": z } }
  c: { input: {} }
  d: 5
  e: [x]
`
    expect(failureOf(text)).toMatchInlineSnapshot(`
      "Could not use the configuration mobius.yaml:
        mobius.yaml:2:18: prompts.a.template: nmae is neither an argument of the prompt nor a variable that is set; did you mean name?
        mobius.yaml:3:30: prompts.b.input["list[]"]: expected a single value: what a prompt is given is text
        mobius.yaml:3:43: prompts.b.input.deep: expected a single value: what a prompt is given is text
        mobius.yaml:3:84: prompts.b.input["x y"]: expected a field: name, name[] for a list, name(int), name(number), name(bool), or name(one, other) for one of these words, in quotes within braces
        mobius.yaml:4:3: prompts.c.template: is missing; expected text
        mobius.yaml:5:6: prompts.d: expected text, received 5
        mobius.yaml:6:6: prompts.e: expected a map, received a list"
    `)
    const { warnings } = parse('prompts: { p: { template: "${n}", input: { "n(int)": x } } }')
    expect(warnings.map(({ message }) => message)).toMatchInlineSnapshot(`
      [
        "is taken as text: what a prompt is given is not checked to be integer",
      ]
    `)
  })
})
