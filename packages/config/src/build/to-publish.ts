import type { PublishSettings } from '../configuration.ts'
import type { PublishEntry, ServerEntry } from '../schema/config-file.ts'
import { toRecord } from './freeze.ts'

/** What clients see, as references. */
export function toPublish(
  entry: PublishEntry,
  servers: Readonly<Record<string, ServerEntry>>,
): PublishSettings {
  const { include, exclude = [], rename = {}, describe = {} } = entry
  // To name only what is left out is to publish all the rest.
  const implied =
    include === undefined || (include.length > 0 && include.every((ref) => ref.startsWith('!')))
  const everything = Object.entries(servers)
    .filter(([, { enabled = true }]) => enabled)
    .map(([name]) => name)
  const refs = [
    ...(implied ? everything : []),
    ...(include ?? []),
    ...Object.entries(rename).map(([reference, alias]) => `${reference}:${alias}`),
    ...exclude.map((reference) => `!${reference}`),
  ]
  return {
    refs: refs.flatMap((ref) => narrow(ref, servers)),
    implied,
    describe: toRecord({ ...describeOverrides(servers), ...describe }),
  }
}

/** A server that says which of its tools there are, and what they are called, stands for those. */
function narrow(ref: string, servers: Readonly<Record<string, ServerEntry>>): string[] {
  const name = ref.replace(/\/\*$/, '')
  const overrides = Object.hasOwn(servers, name) ? servers[name]?.toolOverrides : undefined
  const tools = Object.entries(overrides ?? {})
  if (tools.length === 0) return [ref]
  return tools.map(([tool, { name: outside }]) =>
    outside === undefined ? `${name}/${tool}` : `${name}/${tool}:${outside}`,
  )
}

function describeOverrides(servers: Readonly<Record<string, ServerEntry>>): Record<string, string> {
  const descriptions: [string, string][] = []
  for (const [name, { toolOverrides = {} }] of Object.entries(servers)) {
    for (const [tool, { description }] of Object.entries(toolOverrides)) {
      if (description !== undefined) descriptions.push([`${name}/${tool}`, description])
    }
  }
  return Object.fromEntries(descriptions)
}
