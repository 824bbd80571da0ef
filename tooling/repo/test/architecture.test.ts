import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const scope = '@mobius-mcp/'

/** Which packages of this repository each one may stand on. Change it only on purpose. */
const architecture: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  sandbox: [],
  hooks: ['protocol'],
  state: ['protocol'],
  store: ['protocol', 'state'],
  permissions: ['protocol'],
  models: ['protocol'],
  'agent-server': ['protocol', 'hooks', 'models', 'state'],
  telemetry: ['protocol'],
  auth: ['protocol', 'sandbox', 'state'],
  transports: ['protocol'],
  config: ['protocol', 'hooks', 'permissions'],
  'tools-service': ['protocol', 'hooks', 'state'],
  'http-host': ['protocol', 'state'],
  'server-meta': ['protocol'],
  gateway: [
    'protocol',
    'sandbox',
    'hooks',
    'models',
    'state',
    'store',
    'agent-server',
    'permissions',
    'telemetry',
    'auth',
    'transports',
    'config',
    'tools-service',
    'http-host',
    'server-meta',
  ],
}

interface Manifest {
  name: string
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  exports?: Record<string, unknown>
  publishConfig?: { access?: string; exports?: Record<string, unknown> }
}

const manifests = globSync('{packages,packages/servers,apps}/*/package.json', { cwd: root })
  .sort()
  .map((path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest)

/** What never ships, so that anything may use it to build and test. */
const tooling = ['bundling', 'testing', 'tsconfig']

/** What a package needs of this repository at run time. An app is bundled: all that it is built from counts. */
function arrowsOf(manifest: Manifest): string[] {
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = manifest
  const bundled = manifest.exports ? {} : devDependencies
  return Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies, ...bundled })
    .filter((dependency) => dependency.startsWith(scope))
    .map((dependency) => dependency.slice(scope.length))
    .filter((dependency) => !tooling.includes(dependency))
}

test('the table knows every package, and no other', () => {
  const names = manifests.map(({ name }) => name.slice(scope.length))
  expect(names.toSorted()).toEqual(Object.keys(architecture).toSorted())
})

test('packages depend only downwards', () => {
  const unplanned = manifests.flatMap((manifest) => {
    const allowed = architecture[manifest.name.slice(scope.length)] ?? []
    return arrowsOf(manifest)
      .filter((dependency) => !allowed.includes(dependency))
      .map((dependency) => `${manifest.name} -> ${dependency}`)
  })
  expect(unplanned).toEqual([])
})

test('no arrow of the table leads back to where it came from', () => {
  const reaches = (from: string, seen: ReadonlySet<string>): string[] =>
    (architecture[from] ?? []).flatMap((next) =>
      seen.has(next)
        ? [`${[...seen].join(' -> ')} -> ${next}`]
        : reaches(next, new Set([...seen, next])),
    )
  expect(Object.keys(architecture).flatMap((name) => reaches(name, new Set([name])))).toEqual([])
})

test('every library shows outside what it shows inside', () => {
  const different = manifests.filter(({ exports, publishConfig }) => {
    const inside = Object.keys(exports ?? {}).toSorted()
    const outside = Object.keys(publishConfig?.exports ?? {}).toSorted()
    return JSON.stringify(inside) !== JSON.stringify(outside)
  })
  expect(different.map(({ name }) => name)).toEqual([])
})
