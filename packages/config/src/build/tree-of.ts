import type { Configuration } from '../configuration.ts'
import type { SourceMap } from '../read/source-tree.ts'

const tree = Symbol('the files, merged')

/** Keeps with a configuration what it was made of, seen by nobody but this package. */
export function withTree<T extends object>(settings: T, root: SourceMap): T {
  // A function, for whoever prints hidden properties as well: the tree holds what was put in.
  return Object.defineProperty(settings, tree, { value: () => root })
}

/** What the files say altogether; `undefined` for a configuration that was not made here. */
export function treeOf(configuration: Configuration): SourceMap | undefined {
  const kept: Configuration & { [tree]?: () => SourceMap } = configuration
  return kept[tree]?.()
}
