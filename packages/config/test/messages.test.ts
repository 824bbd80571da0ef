// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configurations hold ${...}.
import { expect, test } from 'vitest'
import { loadConfig } from '../src/index.ts'
import { type Files, refusalOf } from './load-files.ts'

const cases: Readonly<
  Record<string, string | { files: Files; path?: string; profiles?: readonly string[] }>
> = {
  'A syntax error': 'mcpServers:\n  github:\n    command: "npx\n    args: []\n',
  'A tab as indentation': 'mcpServers:\n\tgithub: { command: npx }\n',
  'An unknown key': 'mcpServers:\n  github:\n    comand: npx\n    enviroment: {}\n',
  'An unknown section': 'mcpServers: {}\npublsih: []\n',
  'A wrong type':
    'mcpServers:\n  github:\n    command: [npx]\n    args: server\n    enabled: maybe\n',
  'An unset variable':
    'mcpServers:\n  github:\n    url: https://x\n    headers: { A: "Bearer ${GITHUB_TOKEN}" }\n',
  'A variable that is needed, in the words of who needs it':
    'http:\n  keys: [{ name: ci, key: "${CI_KEY:?make one with openssl rand -hex 32}" }]\n',
  'A name twice':
    'mcpServers:\n  github: { command: a }\n  files: { command: b }\n  github: { command: c }\n',
  'A reserved name': 'mcpServers:\n  tasks: { command: x }\n',
  'A hook whose target is not there':
    'mcpServers:\n  policy: { command: x }\nhooks:\n  tools/call?direction=request: [polici/check]\n',
  'A hook that would never run': 'mcpServers: { a: { command: x } }\nhooks:\n  tool/cal: a/check\n',
  'A rule that is none':
    'mcpServers: { a: { command: x } }\npermissions:\n  deny: ["a/x(path /srv)", "!a"]\n',
  'A rule about nobody':
    'mcpServers: { github: { command: x } }\npermissions:\n  deny: [gihub/delete_*, guthub]\n',
  'A duration that is none':
    'mcpServers:\n  a: { command: x, idleTimeout: 5 minutes, timeouts: { request: 60d } }\n',
  'An address that is none': 'http:\n  listen: 8420\n',
  'A key that is guessed': 'http:\n  keys: [{ name: ci, key: secret }]\n',
  'A list of servers': 'mcpServers:\n  - command: x\n',
  'Several ways at once': 'mcpServers:\n  a: { command: x, url: http://x }\n  b: {}\n',
  'Files that extend each other': {
    files: {
      '/etc/mobius.yaml': 'extends: base.yaml\n',
      '/etc/base.yaml': 'extends: mobius.yaml\n',
    },
  },
  'A file that is not there to extend': {
    files: { '/etc/mobius.yaml': 'mcpServers: {}\nextends: [shared/base.yaml]\n' },
  },
  'An agent without its tool':
    'mcpServers: { files: { command: x } }\nagents:\n  main: { tools: [fils/read], agents: [helpr] }\n  helper:\n',
  'An agent that is called like a server':
    'mcpServers: { search: { command: x } }\nagents: { search: { mode: chta } }\n',
  'An agent in a file of its own, with a slip': {
    files: {
      '/etc/mobius/mobius.yaml': 'mcpServers: { files: { command: x } }\n',
      '/etc/mobius/agents/main.md': '---\ntitle: Main\ntols: [files]\n---\nYou help.\n',
    },
    path: '/etc/mobius',
  },
  'Two default agents': 'agents:\n  a: { default: true }\n  b: { default: true }\n',
  'A model that nobody has':
    'models:\n  default: antropic/claude-sonnet-5\n  mini: smal\n  aliases: { small: openai/gpt-5-mini }\n',
  'A provider of models without an address': 'models:\n  providers: { local: { key: x } }\n',
  'An argument of a prompt with a slip':
    'prompts:\n  greet:\n    template: "Hello ${nmae}"\n    input: { name: Who }\n',
  'A variable with a value that it cannot have':
    'env:\n  REGION: { options: [eu, us], default: asia }\n',
  'A variable that the gateway itself needs':
    'env: { PORT: Where to listen }\nhttp: { listen: "127.0.0.1:${PORT}" }\n',
  'A file that is not there': { files: {} },
  'A profile that is not there': {
    files: { '/etc/mobius.yaml': 'profiles: { staging: {}, production: {} }\n' },
    profiles: ['stagng', 'local'],
  },
  'Much at once':
    'mcpServers:\n  meta: { comand: x }\n  a: { url: ftp://x, sharing: proces }\npublish: [b, a/]\nhooks: { tools/cal: c/d }\npermissions: { alow: [] }\nlog: { level: loud }\n',
}

test('what a person reads of each slip', async () => {
  const told: string[] = []
  for (const [title, one] of Object.entries(cases)) {
    const {
      files,
      path = '/etc/mobius.yaml',
      profiles = [],
    } = typeof one === 'string' ? { files: { '/etc/mobius.yaml': one } } : one
    const message = await refusalOf(files, path, { profiles })
    told.push(`## ${title}\n\n${message}\n`)
  }
  told.push(`## A file that may not be read\n\n${await unreadable()}\n`)
  await expect(told.join('\n')).toMatchFileSnapshot('./messages.txt')
})

async function unreadable(): Promise<string> {
  const refuse = async () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }))
  const options = { readFile: refuse, readFolder: refuse }
  return loadConfig('/etc/mobius.yaml', options).then(String, (error: Error) => error.message)
}
