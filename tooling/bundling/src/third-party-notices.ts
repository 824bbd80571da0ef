import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a bundler gives a plugin that looks at what it has bundled. */
interface Bundle {
  emitFile(file: { type: 'asset'; fileName: string; source: string }): unknown
  getModuleIds(): Iterable<string>
}

/** A plugin of tsdown. */
export interface NoticesPlugin {
  readonly name: string
  generateBundle(this: Bundle): void
}

/** Passes on the licences of what is bundled, as they ask for: in `THIRD-PARTY.txt`, beside the bundle. */
export const thirdPartyNotices: NoticesPlugin = {
  name: 'third-party-notices',
  generateBundle() {
    const folders = new Set([...this.getModuleIds()].flatMap((id) => packageFolder(id) ?? []))
    const notices = [...folders].sort().map(noticeOf)
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.txt', source: notices.join('\n\n') })
  },
}

function packageFolder(id: string): string | undefined {
  const [, path] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
  return path
}

function noticeOf(folder: string): string {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8')
  const { name, version, license } = JSON.parse(manifest) as Record<string, string>
  const [file] = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: folder })
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version} (${license})\n${'-'.repeat(72)}\n${text}`
}
