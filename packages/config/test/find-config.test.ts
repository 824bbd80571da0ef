import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FindConfigOptions, findConfig, loadConfig } from '../src/index.ts'

let root: string

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'mobius-config-')))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), 'mcpServers: { a: { command: ./run.sh } }\n')
  }
}

/** What is found by somebody who stands in `here`, as a path within the root. */
async function find(options: Partial<FindConfigOptions> = {}): Promise<string | undefined> {
  const places = { env: {}, cwd: join(root, 'here'), home: join(root, 'home'), platform: 'linux' }
  const found = await findConfig({ ...places, ...options })
  return found && [found.from, ...found.paths.map((path) => relative(root, path))].join(' ')
}

describe('the configuration is', () => {
  test('the path that was given, a folder standing for the file in it', async () => {
    await put('here/mobius.yaml', 'here/other.json', 'there/mobius.yaml')
    expect(await find({ arguments: ['other.json'] })).toBe('argument here/other.json')
    expect(await find({ arguments: ['../there'] })).toBe('argument there')
    expect(await find({ arguments: [join(root, 'there', 'mobius.yaml')] })).toBe(
      'argument there/mobius.yaml',
    )
  })

  test('else what MOBIUS_CONFIG names', async () => {
    await put('here/mobius.yaml', 'there/m.yaml')
    const env = { MOBIUS_CONFIG: '../there/m.yaml' }
    expect(await find({ env })).toBe('environment there/m.yaml')
    expect(await find({ env, arguments: ['mobius.yaml'] })).toBe('argument here/mobius.yaml')
    expect(await find({ env: { MOBIUS_CONFIG: '' } })).toBe('folder here/mobius.yaml')
  })

  test('else mobius.yaml, or the one in .mobius, where the person stands', async () => {
    await put('here/.mobius/mobius.yaml', 'home/.config/mobius/mobius.yaml')
    expect(await find()).toBe('folder here/.mobius')
    await put('here/mobius.yaml')
    expect(await find()).toBe('folder here/mobius.yaml')
  })

  test("else the user's own, where the platform keeps it", async () => {
    await put('home/.config/mobius/mobius.yaml', 'xdg/mobius/mobius.yaml')
    await put('home/Library/Application Support/mobius/mobius.yaml')
    await put('home/AppData/Roaming/mobius/mobius.yaml')
    expect(await find()).toBe('user home/.config/mobius')
    expect(await find({ env: { XDG_CONFIG_HOME: join(root, 'xdg') } })).toBe('user xdg/mobius')
    expect(await find({ platform: 'darwin' })).toContain('Application Support')
    expect(await find({ platform: 'win32' })).toContain('Roaming')
  })

  test('else none', async () => {
    await mkdir(join(root, 'here', 'mobius.yaml'), { recursive: true })
    expect(await find()).toBeUndefined()
  })
})

test('several paths may be given, or named in the environment', async () => {
  await put('here/a.yaml', 'there/mobius.yaml')
  const paths = ['a.yaml', '../there']
  expect(await find({ arguments: paths })).toBe('argument here/a.yaml there')
  expect(await find({ env: { MOBIUS_CONFIG: paths.join(delimiter) } })).toBe(
    'environment here/a.yaml there',
  )
  const places = { env: {}, cwd: join(root, 'here'), home: root }
  expect(await findConfig({ ...places, arguments: ['a.yaml'] })).toMatchObject({ named: true })
  await put('here/mobius.yaml')
  expect(await findConfig(places)).toMatchObject({ named: false })
})

describe('under a package script', () => {
  test('paths start where the person stands', async () => {
    await put('package/package.json', 'here/mobius.yaml')
    const env = {
      INIT_CWD: join(root, 'here'),
      npm_package_json: join(root, 'package', 'package.json'),
    }
    const cwd = join(root, 'package')
    expect(await find({ env, cwd })).toBe('folder here/mobius.yaml')
    expect(await find({ env, cwd, arguments: ['mobius.yaml'] })).toBe('argument here/mobius.yaml')
  })

  test('but not for a process that it started elsewhere', async () => {
    await put('here/mobius.yaml', 'elsewhere/mobius.yaml')
    const env = {
      INIT_CWD: join(root, 'here'),
      npm_package_json: join(root, 'package', 'package.json'),
    }
    expect(await find({ env, cwd: join(root, 'elsewhere') })).toBe('folder elsewhere/mobius.yaml')
    expect(
      await find({ env: { INIT_CWD: join(root, 'here') }, cwd: join(root, 'elsewhere') }),
    ).toBe('folder elsewhere/mobius.yaml')
  })
})

describe('whoever names a file does not mean another', () => {
  async function failure(options: Partial<FindConfigOptions>): Promise<string> {
    const error = await find(options).catch((thrown: unknown) => thrown)
    return String(error).replaceAll(root, '.')
  }

  test('so a missing one is an error', async () => {
    await put('here/mobius.yaml', 'empty/other.txt')
    expect(await failure({ arguments: ['nowhere.yaml'] })).toMatchInlineSnapshot(
      `"ConfigError: There is no configuration at ./here/nowhere.yaml: no such file"`,
    )
    expect(await failure({ arguments: ['../empty'] })).toMatchInlineSnapshot(
      `"ConfigError: There is no configuration at ./empty: there is no mobius.yaml in this folder"`,
    )
    expect(await failure({ env: { MOBIUS_CONFIG: 'x/y.yaml' } })).toMatchInlineSnapshot(
      `"ConfigError: There is no configuration at ./here/x/y.yaml: no such file"`,
    )
  })
})

describe('loading', () => {
  async function failure(path: string): Promise<string> {
    const error = await loadConfig(join(root, path)).catch((thrown: unknown) => thrown)
    return `${(error as { code?: string }).code} ${(error as Error).message}`.replaceAll(root, '.')
  }

  test('relative paths start from the folder of the file', async () => {
    await put('here/mobius.yaml')
    const { file, servers } = await loadConfig(join(root, 'here', 'mobius.yaml'))
    expect(file).toBe(join(root, 'here', 'mobius.yaml'))
    expect(servers[0]?.connection).toMatchObject({ command: './run.sh', cwd: join(root, 'here') })
  })

  test('a file is read by whatever is handed in', async () => {
    const readFile = async (path: string) => `a: { command: "${path}" }`
    const { servers } = await loadConfig('/virtual/m.yaml', { readFile })
    expect(servers[0]?.connection).toMatchObject({ command: '/virtual/m.yaml', cwd: '/virtual' })
  })

  test('what cannot be read says why', async () => {
    await put('here/mobius.yaml')
    expect(await failure('nowhere.yaml')).toMatchInlineSnapshot(
      `"CONFIG_NOT_FOUND There is no configuration at ./nowhere.yaml: no such file"`,
    )
    expect(await failure('here/mobius.yaml/x')).toMatchInlineSnapshot(
      `"CONFIG_NOT_FOUND There is no configuration at ./here/mobius.yaml/x: no such file: part of the path is not a folder"`,
    )
  })

  test('a folder stands for the file in it', async () => {
    await put('here/mobius.yaml')
    const { file, folders } = await loadConfig(join(root, 'here'))
    expect([file, folders]).toEqual([join(root, 'here', 'mobius.yaml'), [join(root, 'here')]])
  })

  test('a broken file names itself, line and column', async () => {
    await put('here/mobius.yaml')
    await writeFile(join(root, 'here', 'mobius.yaml'), 'mcpServers:\n  a: { comand: x }\n')
    expect(await failure('here/mobius.yaml')).toMatchInlineSnapshot(`
      "CONFIG_INVALID Could not use the configuration ./here/mobius.yaml:
        ./here/mobius.yaml:2:8: mcpServers.a.comand: unknown key; did you mean command?"
    `)
  })
})
