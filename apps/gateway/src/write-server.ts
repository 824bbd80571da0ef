import { resolve } from 'node:path'
import type { Configuration, ServerEdit } from '@mobius-mcp/config'

/** A configuration, as far as it matters where edits of it belong. */
export interface EditedConfiguration {
  /** What it was read from; none where nothing was found. */
  readonly paths: readonly string[]
  readonly current: Pick<Configuration, 'file' | 'provenance'>
}

/**
 * Writes changes of servers where they belong: what is removed or replaced in the file that has it,
 * what is new in the first one, which comes to be where there is none. Returns the files.
 *
 * @throws ConfigError where a name is taken or missing, or what would come of it cannot be used.
 */
export async function writeServers(
  configuration: EditedConfiguration,
  edits: readonly ServerEdit[],
): Promise<readonly string[]> {
  const { editConfigurationFile } = await import('@mobius-mcp/config')
  const byFile = Map.groupBy(edits, ({ name }) => fileOf(configuration, name))
  for (const [file, own] of byFile) {
    await editConfigurationFile(file, own, {
      env: process.env,
      paths: configuration.paths,
    })
  }
  return [...byFile.keys()]
}

function fileOf({ paths, current }: EditedConfiguration, name: string): string {
  const written = current.provenance(['mcpServers', name])?.file
  const first = paths.length > 0 ? current.file : undefined
  return written ?? first ?? resolve('mobius.yaml')
}
