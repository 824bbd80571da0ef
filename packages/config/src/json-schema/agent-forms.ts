import type { JsonObject } from '@mobius-mcp/protocol'
import { toJsonObject } from '../json-object.ts'
import { laterAgentKeys, laterVariableKeys, nanobotDialects } from '../shapes/nanobot-keys.ts'
import { orNull, withoutEffect } from './short-forms.ts'

// What people, and nanobot's files, write instead of what the schema sees.

const scalar = { type: ['string', 'number', 'boolean'] }

/** A map that may have these keys as well. */
function withKeys(schema: JsonObject, more: JsonObject): JsonObject {
  return { ...schema, properties: { ...toJsonObject(schema.properties), ...more } }
}

function sameAs(key: string, schema: JsonObject): JsonObject {
  return { description: `The same as ${key}.`, ...schema }
}

/** A list, or the only item of it. */
export function oneOrList(schema: JsonObject): JsonObject {
  return { anyOf: [toJsonObject(schema.items), schema] }
}

/** One agent; `null` takes away what an earlier file says. */
export function agentForm(schema: JsonObject): JsonObject {
  const agent = withKeys(schema, {
    name: sameAs('title', { type: 'string' }),
    shortName: { description: 'A title, where there is no longer one.', type: 'string' },
    maxTokens: sameAs('maxOutputTokens', { type: ['number', 'string'] }),
    chat: { description: 'true, which holds anyway: its conversations are kept.', type: 'boolean' },
    id: { description: 'Its name, which its key or its file says.', type: 'string' },
    ...withoutEffect(laterAgentKeys),
  })
  return orNull(agent)
}

export function modeForm(schema: JsonObject): JsonObject {
  const words = Array.isArray(schema.enum) ? schema.enum : []
  return { ...schema, enum: [...words, 'primary', 'all', ''] }
}

/** Text, or a prompt in our words or in nanobot's. */
export function instructionsForm(schema: JsonObject): JsonObject {
  const forms = Array.isArray(schema.anyOf) ? schema.anyOf.map(toJsonObject) : []
  const more = {
    mcpServer: sameAs('server', { type: 'string' }),
    args: sameAs('arguments', { type: 'object', additionalProperties: { type: 'string' } }),
  }
  return { anyOf: forms.map((form) => (form.type === 'object' ? withKeys(form, more) : form)) }
}

export function outputForm(schema: JsonObject): JsonObject {
  return withKeys(schema, {
    strict: {
      description: 'Strictness is asked for wherever the schema allows it.',
      type: 'boolean',
    },
  })
}

/** An effort, alone or as nanobot says it. */
export function reasoningForm(schema: JsonObject): JsonObject {
  const summary = { description: 'Has no effect in Mobius.', type: 'string', deprecated: true }
  const long = {
    type: 'object',
    properties: { effort: schema, summary },
    additionalProperties: false,
  }
  return { anyOf: [schema, long] }
}

/** Rules; nanobot names built-in tools there. */
export function agentRulesForm(schema: JsonObject): JsonObject {
  return { ...schema, additionalProperties: { enum: ['allow', 'deny'] } }
}

export function providerForm(schema: JsonObject): JsonObject {
  const { dialect, baseUrl, key } = toJsonObject(schema.properties)
  const provider = withKeys(schema, {
    type: dialectForm(toJsonObject(dialect)),
    baseURL: sameAs('baseUrl', toJsonObject(baseUrl)),
    apiKey: sameAs('key', toJsonObject(key)),
  })
  return orNull(provider)
}

/** Also in nanobot's words. */
export function dialectForm(schema: JsonObject): JsonObject {
  const words = Array.isArray(schema.enum) ? schema.enum : []
  return { ...schema, enum: [...words, ...nanobotDialects.keys(), 'BifrostRequest'] }
}

/** A template alone is text. */
export function promptForm(schema: JsonObject): JsonObject {
  return { anyOf: [{ type: 'string' }, schema, { type: 'null' }] }
}

/** A description alone is text; nothing at all declares no more than the name. */
export function variableForm(schema: JsonObject): JsonObject {
  const { secret } = toJsonObject(schema.properties)
  const variable = withKeys(schema, {
    sensitive: sameAs('secret', toJsonObject(secret)),
    ...withoutEffect(laterVariableKeys),
  })
  return { anyOf: [{ type: 'string' }, variable, { type: 'null' }] }
}

export function optionsForm(): JsonObject {
  return { anyOf: [scalar, { type: 'array', items: scalar }] }
}

export function scalarForm(): JsonObject {
  return scalar
}
