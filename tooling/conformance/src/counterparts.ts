import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Processes } from './processes.ts'

const folder = join(import.meta.dirname, '../../counterparts')
const suite = '@modelcontextprotocol/conformance'

const Manifest = z.object({
  version: z.string().optional(),
  packageManager: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
})

/** Where the pinned official suite is installed; installs the counterparts first if need be. */
export async function openSuite(
  processes: Processes,
  say: (line: string) => void,
): Promise<{ folder: string; version: string }> {
  const { packageManager = 'pnpm', dependencies } = readManifest(folder)
  const pinned = dependencies?.[suite]
  if (pinned === undefined) throw new Error(`${folder}/package.json does not pin ${suite}.`)
  const installed = join(folder, 'node_modules', suite)
  if (readVersion(installed) !== pinned) {
    const args = ['-y', packageManager, '--dir', folder, 'install', '--frozen-lockfile']
    say(`The counterparts are not installed yet: npx ${args.join(' ')}`)
    const child = processes.start('npx', args)
    const exit = await child.exited
    if (exit !== 0)
      throw new Error(`Their install ended with ${exit}:\n${child.output().slice(-4000)}`)
  }
  return { folder: installed, version: pinned }
}

function readVersion(path: string): string | undefined {
  try {
    return readManifest(path).version
  } catch {
    return undefined
  }
}

function readManifest(path: string): z.infer<typeof Manifest> {
  return Manifest.parse(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')))
}
