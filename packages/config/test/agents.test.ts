import type { AgentDefinition } from '@mobius-mcp/agent-server'
import { compileHooks } from '@mobius-mcp/hooks'
import { describe, expect, test } from 'vitest'
import { type AgentSettings, parseConfig, revealAgent } from '../src/index.ts'
import { failureOf } from './failure.ts'
import { loadFiles, refusalOf, warningsOf } from './load-files.ts'

const parse = (text: string) => parseConfig(text, { file: 'mobius.yaml' })

const servers = `mcpServers:
  files: { command: x }
  "@scope/notes": { command: x }
`

/** The first agent, without its digest. */
function agentOf(text: string): Omit<AgentSettings, 'identity'> | undefined {
  const [agent] = parse(servers + text).agents
  if (!agent) return undefined
  const { identity: _, ...settings } = agent
  return settings
}

test('everything that can be said of an agent', () => {
  const agent = agentOf(`agents:
  main:
    title: Main agent
    description: Answers questions.
    icon: https://example.com/light.png
    iconDark: https://example.com/dark.png
    starterMessages: What can you do?, Tidy my notes
    model: anthropic/claude-sonnet-5
    temperature: 0.3
    topP: "0.9"
    maxOutputTokens: 4000
    reasoning: high
    contextWindow: 100000
    instructions: You help.
    tools: [files/read, "files/list:ls", "!files/delete*"]
    agents: [helper]
    mcpServers: "@scope/notes"
    prompts: [greet, files/hello]
    resources: files/file:///*
    output: { name: answer, description: What was found, fields: { text: The answer } }
    limits: { turns: 10, time: 5m, tokens: 100000, cost: 0.5 }
    permissions: { allow: [files/read], ask: [files/list], deny: ["files/read(path: /etc/*)"] }
    aliases: [sonnet]
    cost: 0.5
    speed: 2
    intelligence: 1
  helper: { mode: subagent }
prompts: { greet: Hello }
`)
  expect(agent).toMatchInlineSnapshot(`
    {
      "contextWindow": 100000,
      "description": "Answers questions.",
      "icons": [
        {
          "src": "https://example.com/light.png",
          "theme": "light",
        },
        {
          "src": "https://example.com/dark.png",
          "theme": "dark",
        },
      ],
      "instructions": "You help.",
      "limits": {
        "cost": 0.5,
        "time": 300000,
        "tokens": 100000,
        "turns": 10,
      },
      "maxOutputTokens": 4000,
      "mode": "chat",
      "model": "anthropic/claude-sonnet-5",
      "name": "main",
      "output": {
        "description": "What was found",
        "name": "answer",
        "schema": {
          "additionalProperties": false,
          "properties": {
            "text": {
              "description": "The answer",
              "type": "string",
            },
          },
          "required": [
            "text",
          ],
          "type": "object",
        },
      },
      "permissions": {
        "allow": [
          {
            "column": 28,
            "file": "mobius.yaml",
            "line": 25,
            "text": "files/read",
          },
        ],
        "ask": [
          {
            "column": 47,
            "file": "mobius.yaml",
            "line": 25,
            "text": "files/list",
          },
        ],
        "deny": [
          {
            "column": 67,
            "file": "mobius.yaml",
            "line": 25,
            "text": "files/read(path: /etc/*)",
          },
        ],
      },
      "prompts": [
        "prompts/greet:greet",
        "files/hello",
        "@scope/notes",
      ],
      "reasoning": "high",
      "resources": [
        "files/file:///*",
        "@scope/notes",
      ],
      "sampling": {
        "aliases": [
          "sonnet",
        ],
        "cost": 0.5,
        "intelligence": 1,
        "speed": 2,
      },
      "starterMessages": [
        "What can you do?",
        "Tidy my notes",
      ],
      "temperature": 0.3,
      "title": "Main agent",
      "tools": [
        "files/read",
        "files/list:ls",
        "!files/delete*",
        "@scope/notes",
        "helper",
      ],
      "topP": 0.9,
    }
  `)
})

test('of an agent of which nothing is said everything is left to its server', () => {
  expect(agentOf('agents: { main: }')).toMatchInlineSnapshot(`
    {
      "icons": [],
      "limits": {},
      "mode": "chat",
      "name": "main",
      "permissions": {
        "allow": [],
        "ask": [],
        "deny": [],
      },
      "prompts": [],
      "resources": [],
      "sampling": {
        "aliases": [],
      },
      "starterMessages": [],
      "tools": [],
    }
  `)
})

test('it is what the server of an agent is made of', () => {
  const { agents } = parse(`${servers}agents:
  main: { instructions: Be brief., tools: files, output: { fields: { n(int): N } }, limits: { turns: 2 } }
  helper: { mode: subagent, instructions: { server: files, prompt: help, arguments: { to: me } } }
`)
  const definitions: AgentDefinition[] = agents.map((agent) => revealAgent(agent))
  expect(definitions).toMatchObject([
    { name: 'main', instructions: 'Be brief.', tools: ['files'], visibility: 'published' },
    {
      name: 'helper',
      instructions: { server: 'files', prompt: 'help', arguments: { to: 'me' } },
      visibility: 'agents',
    },
  ])
})

describe('who is led where', () => {
  const entrypointsOf = (text: string) => parse(servers + text).entrypoints

  test('the default agent comes first: the one that says so, else the first entry point, else the first', () => {
    expect(entrypointsOf('agents: { a: , b: , c: { mode: subagent } }')).toEqual(['a', 'b'])
    expect(entrypointsOf('agents: { a: , b: { default: true } }')).toEqual(['b', 'a'])
    const some = 'agents: { a: , b: , c: }\npublish: { entrypoint: [c, a, files] }'
    expect(entrypointsOf(some)).toEqual(['c', 'a'])
    const both = 'agents: { a: , b: , c: { default: true } }\npublish: { entrypoint: a }'
    expect(entrypointsOf(both)).toEqual(['c', 'a'])
    expect(entrypointsOf('')).toEqual([])
  })

  const publishOf = (text: string) => parse(servers + text).publish

  test('where nothing is said, people see every server and agent, and no subagent', () => {
    expect(
      publishOf('agents: { a: , b: { mode: subagent } }\nprompts: { hi: Hello }'),
    ).toMatchObject({
      refs: ['files', '@scope/notes', 'a', 'prompts/hi:hi'],
      implied: true,
    })
  })

  test('a list is all that they see', () => {
    expect(publishOf('agents: { a: , b: }\npublish: [files, b]').refs).toEqual(['files', 'b'])
  })

  test('entry points are seen, with the default agent', () => {
    const text =
      'agents: { a: , b: , c: { default: true } }\npublish: { entrypoint: [a], exclude: [files/x] }'
    expect(publishOf(text)).toMatchObject({ refs: ['c', 'a', '!files/x'], implied: false })
  })

  test('what names servers alone, as nanobot does, leaves the agents to be seen', () => {
    const text = 'agents: { a: , b: { mode: subagent } }\npublish: { mcpServers: [files] }'
    expect(publishOf(text).refs).toEqual(['a', 'files'])
  })

  test('what only agents may chat with is not to be published', () => {
    const text =
      'agents: { a: { mode: subagent } }\npublish: [a]\ngroups: { g: { include: [a/x] } }'
    expect(failureOf(text)).toMatchInlineSnapshot(`
      "Could not use the configuration mobius.yaml:
        mobius.yaml:2:11: publish[0]: a is a subagent: only other agents chat with it; leave it out here, or give it mode: chat
        mobius.yaml:3:26: groups.g.include[0]: a is a subagent: only other agents chat with it; leave it out here, or give it mode: chat"
    `)
  })
})

describe('names', () => {
  test('are shared by servers, agents and prompts', () => {
    const text = `mcpServers: { files: { command: x }, prompts: { command: x } }
agents: { files: , meta: , "a b": }
prompts: { files: x }
`
    expect(failureOf(text)).toMatchInlineSnapshot(`
      "Could not use the configuration mobius.yaml:
        mobius.yaml:1:38: mcpServers.prompts: prompts is the name of the server that the prompts of the file belong to; servers, agents and prompts share their names, so choose another
        mobius.yaml:2:11: agents.files: files is the name of a server; servers, agents and prompts share their names, so choose another
        mobius.yaml:2:20: agents.meta: meta is the name of a built-in server; choose another, such as my-meta
        mobius.yaml:2:28: agents["a b"]: expected a name of at most 64 letters, digits, _ - and .
        mobius.yaml:3:12: prompts.files: files is the name of a server; servers, agents and prompts share their names, so choose another"
    `)
  })

  test('one that happens to be a key of a server is a name like any other', () => {
    expect(parse('agents: { url: { tools: [] }, env: { title: Env } }').agents).toMatchObject([
      { name: 'url' },
      { name: 'env' },
    ])
  })

  test('of a prompt stand for it, wherever references do', () => {
    const { agents, publish } = parse(`${servers}prompts: { greet: Hello, bye: Bye }
agents:
  main: { prompts: [greet], mcpServers: [files, bye], instructions: { prompt: greet } }
publish: [files, "prompts/bye:farewell", "!greet"]
`)
    expect(agents[0]).toMatchObject({
      prompts: ['prompts/greet:greet', 'files', 'prompts/bye:bye'],
      tools: ['files'],
      resources: ['files'],
      instructions: { server: 'prompts', prompt: 'greet' },
    })
    expect(publish.refs).toEqual(['files', 'prompts/bye:farewell', '!prompts/greet'])
  })
})

test('a server whose tools are named has no others, for agents too', () => {
  const { agents } =
    parse(`mcpServers: { a: { command: x, toolOverrides: { read: { name: read_file }, list: {} } } }
agents: { main: { mcpServers: a } }
`)
  expect(agents[0]?.tools).toEqual(['a/read:read_file', 'a/list'])
})

test('references to what is not there are told with what was meant', () => {
  const text = `${servers}agents:
  main:
    tools: [fils/read, files, "*/x", "!flies"]
    agents: [helpr, files]
    mcpServers: [note, files/read]
    prompts: [greeet]
    resources: [filess]
    instructions: { prompt: gret }
    permissions: { deny: [fies/x, "files(path /x)"] }
    hooks: { request: chek/x, "request?server=main": [files/x], reqest: [files/x] }
  helper: { instructions: { server: nots, prompt: x }, agents: helper }
prompts: { greet: Hello }
publish: { entrypoint: [mian] }
`
  expect(failureOf(text)).toMatchInlineSnapshot(`
    "Could not use the configuration mobius.yaml:
      mobius.yaml:6:13: agents.main.tools[0]: there is no server "fils"; did you mean files?
      mobius.yaml:6:38: agents.main.tools[3]: there is no server "flies"; did you mean files?
      mobius.yaml:7:14: agents.main.agents[0]: there is no agent "helpr"; did you mean helper?
      mobius.yaml:7:21: agents.main.agents[1]: there is no agent "files"; configured: main, helper
      mobius.yaml:8:18: agents.main.mcpServers[0]: there is no server "note"; configured: files, @scope/notes, main, helper, greet
      mobius.yaml:8:24: agents.main.mcpServers[1]: expected the name of a server alone; of files, write tools: [files/read]
      mobius.yaml:9:15: agents.main.prompts[0]: there is no server "greeet"; did you mean greet?
      mobius.yaml:10:17: agents.main.resources[0]: there is no server "filess"; did you mean files?
      mobius.yaml:11:29: agents.main.instructions.prompt: there is no prompt "gret"; did you mean greet?
      mobius.yaml:12:27: agents.main.permissions.deny[0]: there is no server "fies"; did you mean files?
      mobius.yaml:12:35: agents.main.permissions.deny[1]: Could not read the rule "files(path /x)" at character 14: expected ":" after the name of the argument, found ")". A rule is server, server/tool, server/tool(argument: value, …) or server:method(member: value, …), with * for any text and \\ before a character that is meant as it is.
      mobius.yaml:13:23: agents.main.hooks.request: there is no server "chek"; configured: files, @scope/notes, main, helper, greet
      mobius.yaml:13:31: agents.main.hooks["request?server=main"]: expected no parameter server: these hooks are for this agent alone
      mobius.yaml:13:65: agents.main.hooks.reqest: expected a method such as tools/call, or a point such as session; did you mean request?
      mobius.yaml:14:37: agents.helper.instructions.server: there is no server "nots"; configured: files, @scope/notes, main, helper, greet
      mobius.yaml:16:25: publish.entrypoint[0]: there is no server "mian"; did you mean main?"
  `)
})

test('slips are told with the nearest key', () => {
  const text = `agents:
  main:
    instuctions: x
    mode: boss
    default: maybe
    temperature: hot
    topP: 2
    limits: { turn: 5, time: soon, cost: 0 }
    reasoning: { efort: low }
    output: { fields: { "x(one)": a }, schema: {} }
    icon: picture.png
  two: { output: { name: a b }, instructions: {} }
  three: { output: { schema: { type: array } } }
  four: [x]
`
  expect(failureOf(text)).toMatchInlineSnapshot(`
    "Could not use the configuration mobius.yaml:
      mobius.yaml:3:5: agents.main.instuctions: unknown key; did you mean instructions?
      mobius.yaml:4:11: agents.main.mode: expected chat or subagent, received "boss"
      mobius.yaml:5:14: agents.main.default: expected true or false, received "maybe"
      mobius.yaml:6:18: agents.main.temperature: expected a number from 0 to 2, received "hot"
      mobius.yaml:7:11: agents.main.topP: expected a number from 0 to 1, received 2
      mobius.yaml:8:15: agents.main.limits.turn: unknown key; did you mean turns?
      mobius.yaml:8:30: agents.main.limits.time: expected a duration: seconds, or text such as 500ms, 30s, 5m, 1h, at most 24d; or off, received "soon"
      mobius.yaml:8:42: agents.main.limits.cost: expected a number above 0, received 0
      mobius.yaml:9:18: agents.main.reasoning.efort: unknown key; known here: effort
      mobius.yaml:10:25: agents.main.output.fields["x(one)"]: expected a field: name, name[] for a list, name(int), name(number), name(bool), or name(one, other) for one of these words, in quotes within braces
      mobius.yaml:11:11: agents.main.icon: expected the URL of a picture: https://… or data:image/…, received "picture.png"
      mobius.yaml:12:26: agents.two.output.name: expected a name of at most 64 letters, digits, _ and -, received "a b"
      mobius.yaml:12:33: agents.two.instructions.prompt: is missing; expected text
      mobius.yaml:13:38: agents.three.output.schema.type: expected object: an answer that has a shape is an object
      mobius.yaml:14:9: agents.four: expected a map, received a list"
  `)
})

test('one agent is the default, and no subagent', () => {
  const text =
    'agents:\n  a: { default: true }\n  b: { default: true }\n  c: { default: true, mode: subagent }\n'
  expect(failureOf(text)).toMatchInlineSnapshot(`
    "Could not use the configuration mobius.yaml:
      mobius.yaml:3:8: agents.b.default: a is the default agent already; one of the two must go
      mobius.yaml:4:8: agents.c.default: c is a subagent, which people do not chat with; one of mode and default must go"
  `)
})

test('fields are the schema of an object', () => {
  const agent = agentOf(`agents:
  main:
    output:
      fields:
        text: The answer
        "tags[]": Words for it
        count(int): How many
        share(number): Of all
        sure(bool): { required: false }
        mood(good, bad): Either
        place: { description: Where, fields: { city: Its city } }
        "people[]": { fields: { name: Who } }
`)
  expect(agent?.output).toMatchInlineSnapshot(`
    {
      "schema": {
        "additionalProperties": false,
        "properties": {
          "count": {
            "description": "How many",
            "type": "integer",
          },
          "mood": {
            "description": "Either",
            "enum": [
              "good",
              "bad",
            ],
            "type": "string",
          },
          "people": {
            "items": {
              "additionalProperties": false,
              "properties": {
                "name": {
                  "description": "Who",
                  "type": "string",
                },
              },
              "required": [
                "name",
              ],
              "type": "object",
            },
            "type": "array",
          },
          "place": {
            "additionalProperties": false,
            "description": "Where",
            "properties": {
              "city": {
                "description": "Its city",
                "type": "string",
              },
            },
            "required": [
              "city",
            ],
            "type": "object",
          },
          "share": {
            "description": "Of all",
            "type": "number",
          },
          "sure": {
            "type": "boolean",
          },
          "tags": {
            "description": "Words for it",
            "items": {
              "type": "string",
            },
            "type": "array",
          },
          "text": {
            "description": "The answer",
            "type": "string",
          },
        },
        "required": [
          "text",
          "tags",
          "count",
          "share",
          "mood",
          "place",
          "people",
        ],
        "type": "object",
      },
    }
  `)
})

test('a schema is taken as it is, with all that looks like a reference', () => {
  const agent = agentOf(
    'agents: { main: { output: { schema: { type: object, pattern: "^\\\\${A}$", "$ref": "#/x" } } } }',
  )
  expect(agent?.output?.schema).toEqual({ type: 'object', pattern: '^\\${A}$', $ref: '#/x' })
})

test('hooks of an agent are for its server alone, at the points of its turns', () => {
  const { hooks, warnings } = parse(`${servers}agents:
  main: { hooks: { request: files/check, "tools/call?direction=response": ["!mutate:files/look"] } }
  other:
hooks: { session: [main], PreCompact: files/check, SubagentStop: files/check }
`)
  expect(hooks.map(({ id, target }) => [id, target.tool])).toMatchInlineSnapshot(`
    [
      [
        "session main",
        "chat-with-main",
      ],
      [
        "PreCompact files/check",
        "check",
      ],
      [
        "SubagentStop files/check",
        "check",
      ],
      [
        "request?server=main files/check",
        "check",
      ],
      [
        "tools/call?direction=response&server=main files/look",
        "look",
      ],
    ]
  `)
  expect(compileHooks(hooks).for('main', 'request', 'request').empty).toBe(false)
  expect(compileHooks(hooks).for('other', 'request', 'request').empty).toBe(true)
  expect(warnings.map(({ message }) => message)).toEqual([
    'has no effect here: nothing happens at the point SubagentStop yet',
  ])
})

test('a server does not have the points of an agent', async () => {
  const files = { '/m.yaml': 'mcpServers: { a: { command: x, hooks: { request: a/x } } }' }
  expect(warningsOf(await loadFiles(files, '/m.yaml'))).toEqual([
    '/m.yaml:1:41: mcpServers.a.hooks.request: has no effect here: the point request is in the life of agents',
  ])
})

describe('layers', () => {
  test('change an agent key by key, and what restricts adds up', async () => {
    const files = {
      '/a.yaml': `mcpServers: { s: { command: x } }
agents: { main: { instructions: A, tools: [s/a], permissions: { allow: [s/a], deny: [s/b] }, hooks: { request: s/h } }, gone: }
`,
      '/b.yaml': `agents: { main: { tools: s/c, permissions: { allow: [s/c], deny: [s/d] }, hooks: { request: s/i } }, gone: null }
profiles: { cheap: { agents: { main: { model: mini } } } }
`,
    }
    const paths = ['/a.yaml', '/b.yaml']
    const { agents, hooks, provenance } = await loadFiles(files, paths, { profiles: ['cheap'] })
    expect(agents.map(({ name }) => name)).toEqual(['main'])
    expect(agents[0]).toMatchObject({ instructions: 'A', tools: ['s/c'], model: 'mini' })
    const { allow, deny } = agents[0]?.permissions ?? { allow: [], deny: [] }
    expect(allow.map(({ text }) => text)).toEqual(['s/c'])
    expect(deny.map(({ text, file }) => [text, file])).toEqual([
      ['s/b', '/a.yaml'],
      ['s/d', '/b.yaml'],
    ])
    expect(hooks.map(({ target }) => target.tool)).toEqual(['h', 'i'])
    expect(provenance(['agents', 'main', 'model'])).toMatchObject({ file: '/b.yaml', line: 2 })
    expect(provenance(['agents', 'main', 'instructions'])).toMatchObject({ file: '/a.yaml' })
  })

  test('a name twice in two files is one agent; of two kinds it is wrong', async () => {
    const files = { '/a.yaml': 'mcpServers: { x: { command: x } }', '/b.yaml': 'agents: { x: }' }
    expect(await refusalOf(files, ['/a.yaml', '/b.yaml'])).toMatchInlineSnapshot(`
      "Could not use the configuration /a.yaml:
        /b.yaml:1:11: agents.x: x is the name of a server; servers, agents and prompts share their names, so choose another"
    `)
  })
})
