// Runs the steps of the Dockerfile without Docker: each stage has a folder in place of its file
// system, and RUN, COPY, ENV, HEALTHCHECK and the entry point do there what they say.
// What the base image brings is this process's Node and the machine's npm.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, posix } from 'node:path'

interface Stage {
  readonly root: string
  workdir: string
  readonly env: Record<string, string>
  health: string[]
  entrypoint: string[]
  command: string[]
}

type Step = (stage: Stage, rest: string) => void

const steps: Readonly<Record<string, Step>> = {
  WORKDIR(stage, rest) {
    stage.workdir = rest
    mkdirSync(join(stage.root, rest), { recursive: true })
  },
  COPY: (stage, rest) => copy(stage, rest.split(' ')),
  RUN: (stage, rest) => run(stage, ['bash', '-euo', 'pipefail', '-c', rest]),
  ENV(stage, rest) {
    for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) {
      stage.env[name] = value.startsWith('/') ? join(stage.root, value) : value
    }
  },
  HEALTHCHECK(stage, rest) {
    stage.health = JSON.parse(rest.replace(/^CMD /, ''))
  },
  ENTRYPOINT(stage, rest) {
    stage.entrypoint = JSON.parse(rest)
  },
  CMD(stage, rest) {
    stage.command = JSON.parse(rest)
  },
  VOLUME: (stage, rest) => void statSync(join(stage.root, rest)),
  EXPOSE() {},
  USER() {},
}

const [dockerfile = 'Dockerfile', context = '.'] = process.argv.slice(2)
const globalConfig = spawnSync('npm', ['config', 'get', 'globalconfig'], {
  encoding: 'utf8',
}).stdout.trim()
const folder = mkdtempSync(join(tmpdir(), 'dockerfile-'))
const stages = new Map<string, Stage>()
let gateway: ChildProcess | undefined
try {
  const image = build(readFileSync(dockerfile, 'utf8'))
  await tryImage(image)
} finally {
  if (gateway && gateway.exitCode === null) gateway.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

function build(text: string): Stage {
  let stage: Stage | undefined
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  for (const line of lines) {
    const [, instruction = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? []
    const step = steps[instruction]
    if (instruction === 'FROM') stage = begin(rest)
    else if (stage && step) step(stage, rest)
    else throw new Error(`The Dockerfile has a step that is not run here: ${line}`)
  }
  if (!stage) throw new Error('The Dockerfile has no FROM')
  return stage
}

function begin(rest: string): Stage {
  const name = / AS (\S+)$/.exec(rest)?.[1] ?? 'image'
  const root = join(folder, name)
  mkdirSync(join(root, 'usr/local'), { recursive: true })
  const stage = { root, workdir: '/', env: {}, health: [], entrypoint: [], command: [] }
  stages.set(name, stage)
  return stage
}

function copy(stage: Stage, words: string[]): void {
  const from = words[0]?.startsWith('--from=') ? words.shift()?.slice(7) : undefined
  const [source = '', destination = ''] = words
  const target = join(stage.root, posix.resolve(stage.workdir, destination))
  if (from !== undefined) {
    cpSync(join(stages.get(from)?.root ?? '', source), target, { recursive: true })
    return
  }
  const ignored = ['node_modules', 'dist', '.turbo', '.git']
  cpSync(join(context, source), target, {
    recursive: true,
    filter: (path) => !ignored.includes(basename(path)),
  })
}

function environmentOf({ root, env }: Stage): NodeJS.ProcessEnv {
  const prefix = join(root, 'usr/local')
  return {
    HOME: root,
    PATH: [join(prefix, 'bin'), dirname(process.execPath), process.env.PATH].join(':'),
    NPM_CONFIG_PREFIX: prefix,
    // What the machine says about registries and certificates stands beside its own prefix.
    NPM_CONFIG_GLOBALCONFIG: globalConfig,
    TURBO_TELEMETRY_DISABLED: '1',
    ...(process.env.npm_config_cache ? { npm_config_cache: process.env.npm_config_cache } : {}),
    CI: 'true',
    ...env,
  }
}

function run(stage: Stage, [command = '', ...args]: string[]): void {
  const { status } = spawnSync(command, args, {
    cwd: join(stage.root, stage.workdir),
    env: environmentOf(stage),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error(`Ended with ${status}: ${command} ${args.at(-1)}`)
}

/** Without a key it must not start, with one it must serve, be healthy and stop when told to. */
async function tryImage(image: Stage): Promise<void> {
  const port = await freePort()
  image.env.MOBIUS_LISTEN = `0.0.0.0:${port}`
  const config = image.env.MOBIUS_CONFIG ?? ''
  writeFileSync(config, 'mcpServers: {}\n')
  const open = spawnSync(image.entrypoint[0] ?? '', image.command, {
    cwd: join(image.root, image.workdir),
    env: environmentOf(image),
    encoding: 'utf8',
  })
  if (open.status !== 2 || !open.stderr.includes('nobody has to log in')) {
    throw new Error(
      `Expected a refusal to serve everybody, received ${open.status}: ${open.stderr}`,
    )
  }
  writeFileSync(config, 'http: { keys: [{ name: docker, key: only-for-this-test }] }\n')
  gateway = spawn(image.entrypoint[0] ?? '', image.command, {
    cwd: join(image.root, image.workdir),
    env: environmentOf(image),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => gateway?.once('exit', resolve))
  await untilAnswered(`http://127.0.0.1:${port}/healthz`)
  run(image, image.health)
  gateway.kill('SIGTERM')
  const code = await ended
  if (code !== 0) throw new Error(`Expected exit code 0 after SIGTERM, received ${code}`)
  console.log('dockerfile: every step runs, and the image serves')
}

async function untilAnswered(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`Nobody answers at ${url}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
