import { nearest } from '../nearest.ts'
import { canonicalFile } from '../shapes/canonical-file.ts'
import type { Findings } from './findings.ts'
import { mergeTrees } from './merge-trees.ts'
import type { ReadText } from './read-source.ts'
import type { Source } from './source.ts'
import { memberOf, type SourceMap, type SourceNode, toMap } from './source-tree.ts'

/** Files that make one configuration, each laid over those before it. */
export interface Layers {
  readonly files: FileLayer[]
  readonly findings: Findings
}

interface FileLayer {
  readonly source: Source
  readonly root: SourceMap
  readonly profiles: SourceNode | undefined
  readonly inputs: ReadonlyMap<string, string>
}

/** Lays a file over the others. What it extends must have been added before. */
export function addFile(layers: Layers, read: ReadText): { extends: SourceNode | undefined } {
  const { findings } = layers
  findings.problems.push(...read.problems)
  findings.warnings.push(...(read.warnings ?? []))
  const file = canonicalFile(read.root, findings)
  const { root, profiles, inputs } = file
  layers.files.push({ source: read.root.source, root, profiles, inputs })
  return { extends: file.extends }
}

/** All files merged, and the profiles that were asked for laid over them. */
export function mergeLayers({ files, findings }: Layers, profiles: readonly string[]): SourceMap {
  const [first, ...rest] = [
    ...files.map(({ root }) => root),
    ...profiles.flatMap((name) => profileLayers(name, files, findings)),
  ]
  if (!first) throw new TypeError('Expected at least one file')
  checkProfiles(files, findings)
  warnOfReplaced(files, findings)
  return rest.reduce(mergeTrees, first)
}

/** An agent that has a file of its own is what that file says, and nothing else. */
function warnOfReplaced(files: readonly FileLayer[], findings: Findings): void {
  for (const [index, { source, root }] of files.entries()) {
    const agents = source.ofAgent ? root.members.get('agents') : undefined
    const names = agents?.kind === 'map' ? [...agents.members.keys()] : []
    for (const name of names) {
      for (const earlier of files.slice(0, index)) {
        const agent = memberOf(earlier.root.members.get('agents'), name)
        if (agent) findings.warn(agent, `is not read: ${source.file} says what ${name} is`)
      }
    }
  }
}

/** What every file says of a profile. */
function profileLayers(
  wanted: string,
  files: readonly FileLayer[],
  findings: Findings,
): SourceMap[] {
  const name = wanted.replace(/\?$/, '')
  const bodies = files.flatMap(({ profiles }) => memberOf(profiles, name) ?? [])
  if (bodies.length === 0 && name === wanted) reportUnknown(name, files, findings)
  return bodies.map((body) => {
    const { root, extends: parents, profiles } = canonicalFile(body, findings)
    for (const node of [parents, profiles]) {
      if (node) findings.wrongKey(node, 'has no meaning within a profile')
    }
    return root
  })
}

function reportUnknown(name: string, files: readonly FileLayer[], findings: Findings): void {
  const names = profileNames(files)
  const suggestion = nearest(name, names)
  const hint = suggestion
    ? `did you mean ${suggestion}?`
    : `profiles: ${names.join(', ') || 'none'}`
  const message = `there is no profile ${JSON.stringify(name)}; ${hint}`
  const node = files.find(({ profiles }) => profiles)?.profiles ?? files[0]?.root
  if (node) findings.wrongKey(node, message, { code: 'UNKNOWN_PROFILE', suggestion })
}

/** Names of all profiles, each once. */
export function profileNames(files: readonly FileLayer[]): string[] {
  const names = files.flatMap(({ profiles }) =>
    profiles?.kind === 'map' ? [...profiles.members.keys()] : [],
  )
  return [...new Set(names)]
}

function checkProfiles(files: readonly FileLayer[], findings: Findings): void {
  for (const { profiles } of files) {
    if (profiles && profiles.kind !== 'map') {
      findings.wrongValue(profiles, 'expected a map from names to what they change')
    }
  }
}

/** Nothing at all, for a folder without a file of its own. */
export function emptyRead(source: Source): ReadText {
  const place = { source, offset: 0, keyOffset: 0, path: [] }
  return { root: toMap(place, new Map()), problems: [] }
}
