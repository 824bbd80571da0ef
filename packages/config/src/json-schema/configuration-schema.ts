import type { JsonObject } from '@mobius-mcp/protocol'
import * as z from 'zod/mini'
import { toJsonObject } from '../json-object.ts'
import { createSchema } from '../schema/schema.ts'
import {
  agentForm,
  agentRulesForm,
  dialectForm,
  instructionsForm,
  modeForm,
  oneOrList,
  optionsForm,
  outputForm,
  promptForm,
  providerForm,
  reasoningForm,
  scalarForm,
  variableForm,
} from './agent-forms.ts'
import { descriptions, sharedDescriptions } from './descriptions.ts'
import {
  durationSchema,
  fileForm,
  hooksForm,
  listOfScalars,
  mapOfScalars,
  orReference,
  publishForm,
  serverForm,
  typeForm,
} from './short-forms.ts'

/**
 * The JSON Schema (draft 2020-12) of a configuration file, for editors: made from the schema that
 * checks files, with every short form and a description of each key. Finer rules, such as those for
 * references, are checked when the file is read.
 */
export function configurationSchema(): JsonObject {
  const made: unknown = z.toJSONSchema(createSchema(), { io: 'input', unrepresentable: 'any' })
  const { $schema, $defs, ...schema } = toJsonObject(JSON.parse(JSON.stringify(made)))
  const [fields = {}] = Object.values(toJsonObject($defs)).map(toJsonObject)
  return {
    $schema: $schema ?? null,
    title: 'Mobius configuration',
    description: 'What a Mobius gateway serves, to whom, and under which rules.',
    ...rewrite(schema, []),
    $defs: { fields: rewrite(fields, ['fields']) },
  }
}

/** What people write instead of what the schema sees, by the path. */
const forms: Readonly<Record<string, (schema: JsonObject) => JsonObject>> = {
  '': fileForm,
  'mcpServers.*': serverForm,
  'mcpServers.*.type': typeForm,
  'mcpServers.*.args': listOfScalars,
  'mcpServers.*.env': mapOfScalars,
  'mcpServers.*.headers': mapOfScalars,
  'mcpServers.*.hooks': hooksForm,
  'agents.*': agentForm,
  'agents.*.mode': modeForm,
  'agents.*.instructions': instructionsForm,
  'agents.*.output': outputForm,
  'agents.*.reasoning': reasoningForm,
  'agents.*.permissions': agentRulesForm,
  'agents.*.hooks': hooksForm,
  'models.providers.*': providerForm,
  'models.providers.*.dialect': dialectForm,
  'models.providers.*.headers': mapOfScalars,
  'prompts.*': promptForm,
  'env.*': variableForm,
  'env.*.default': scalarForm,
  'env.*.options': optionsForm,
  publish: publishForm,
  'groups.*': publishForm,
  'http.keys.*.publish': publishForm,
  hooks: hooksForm,
}

const oneOrMore =
  /^agents\.\*\.(?:tools|agents|mcpServers|prompts|resources|aliases|starterMessages)$/
const durations = /(?:^|\.)(?:timeouts\.\w+|idleTimeout|timeout|keepAlive|limits\.time)$/
const publishes = /^(?:publish|groups\.\*|http\.keys\.\*\.publish)\.(\w+)$/
const hookMembers = /(?:^|\.)hooks\.\*(?:\.\*)?\.(\w+)$/
const timeouts = /\.timeouts\.(\w+)$/

function rewrite(schema: JsonObject, path: readonly string[]): JsonObject {
  const name = path.join('.')
  if (isFields(schema)) return describe({ $ref: '#/$defs/fields' }, name)
  if (schema.deprecated === true || schema.$ref !== undefined) return describe(schema, name)
  if (durations.test(name)) return describe(durationSchema, name)
  const form = forms[name] ?? (oneOrMore.test(name) ? oneOrList : undefined)
  const formed = form ? form(schema) : schema
  return describe(withInner(asWords(formed), path), name)
}

/** The only schema that holds itself, each time under another name. */
function isFields({ $ref: reference }: JsonObject): boolean {
  return typeof reference === 'string' && reference.startsWith('#/$defs/')
}

/** A variable may stand wherever one of a few words may. */
function asWords(schema: JsonObject): JsonObject {
  return schema.type === 'string' && Array.isArray(schema.enum) ? orReference(schema) : schema
}

function withInner(schema: JsonObject, path: readonly string[]): JsonObject {
  const inner: JsonObject = { ...schema }
  // Keys of any text need no schema of their own.
  delete inner.propertyNames
  if (schema.properties !== undefined) {
    const members = Object.entries(toJsonObject(schema.properties))
    inner.properties = Object.fromEntries(
      members.map(([key, member]) => [key, rewrite(toJsonObject(member), [...path, key])]),
    )
  }
  for (const key of ['additionalProperties', 'items'] as const) {
    if (typeof schema[key] !== 'object') continue
    inner[key] = rewrite(toJsonObject(schema[key]), [...path, '*'])
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    const branches = schema[key]
    // A branch stands at the same place: it has its form already.
    if (Array.isArray(branches))
      inner[key] = branches.map((one) => withInner(toJsonObject(one), path))
  }
  return inner
}

function describe(schema: JsonObject, name: string): JsonObject {
  const text =
    descriptions[name] ??
    shared('publish', publishes, name) ??
    shared('hook', hookMembers, name) ??
    shared('timeouts', timeouts, name)
  return text === undefined ? schema : { description: text, ...schema }
}

function shared(kind: string, pattern: RegExp, name: string): string | undefined {
  const [, key = ''] = pattern.exec(name) ?? []
  return sharedDescriptions[kind]?.[key]
}
