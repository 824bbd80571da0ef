import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type UserConfig } from 'tsdown'

/** The licences of what is bundled, as they ask to be passed on. */
const thirdPartyNotices = {
  name: 'third-party-notices',
  generateBundle(this: { emitFile(file: object): void; getModuleIds(): Iterable<string> }) {
    const folders = new Set([...this.getModuleIds()].flatMap((id) => packageFolder(id) ?? []))
    const notices = [...folders].sort().map(noticeOf)
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.txt', source: notices.join('\n\n') })
  },
}

// One program in a few files starts in half the time that 300 modules of its dependencies take.
const config: UserConfig = defineConfig({
  entry: 'src/main.ts',
  dts: false,
  deps: {
    // Large, and loaded only when a server is reached over HTTP.
    neverBundle: [/^@modelcontextprotocol\//],
    alwaysBundle: [/./],
    onlyBundle: false,
  },
  // Where a package has both, its modules: what it has beside them may not survive being bundled.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  plugins: [thirdPartyNotices],
})

export default config

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
