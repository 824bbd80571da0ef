import * as z from 'zod/mini'
import type { AgentLimits } from '../agent-settings.ts'
import { fieldForm, readFieldName } from '../field-name.ts'
import { checkReference } from '../reference.ts'
import type {
  AgentEntry,
  FieldsEntry,
  InstructionsEntry,
  OutputEntry,
  PermissionsEntry,
  PromptEntry,
} from './config-file.ts'
import { checkIcon, checkNotEmpty, checkPlainName } from './rules.ts'
import {
  choice,
  closed,
  count,
  duration,
  flag,
  list,
  map,
  number,
  type Rule,
  text,
} from './schema-parts.ts'
import { hooksSchema } from './server-schema.ts'

export function agentsSchema(): z.ZodMiniType<Record<string, AgentEntry>> {
  const agent: z.ZodMiniType<AgentEntry> = closed({
    ...shownShape(),
    ...askedShape(),
    ...usedShape(),
  })
  return map(agent, checkPlainName)
}

/** What people see of an agent, and what it is chosen by. */
function shownShape() {
  const share = z.exactOptional(number('a number', { min: -1e9, max: 1e9 }))
  return {
    title: z.exactOptional(text(checkNotEmpty)),
    description: z.exactOptional(text()),
    icon: z.exactOptional(text(checkIcon)),
    iconDark: z.exactOptional(text(checkIcon)),
    starterMessages: z.exactOptional(list(text(checkNotEmpty))),
    mode: z.exactOptional(choice(['chat', 'subagent'])),
    default: z.exactOptional(flag()),
    aliases: z.exactOptional(list(text(checkNotEmpty))),
    cost: share,
    speed: share,
    intelligence: share,
  }
}

/** How its model is asked. */
function askedShape() {
  const efforts = ['none', 'minimal', 'low', 'medium', 'high'] as const
  return {
    model: z.exactOptional(text(checkNotEmpty)),
    instructions: z.exactOptional(
      z.union([z.string(), instructionsSchema()], { error: 'text, or a map with prompt' }),
    ),
    output: z.exactOptional(outputSchema()),
    temperature: z.exactOptional(number('a number from 0 to 2', { min: 0, max: 2 })),
    topP: z.exactOptional(number('a number from 0 to 1', { min: 0, max: 1 })),
    maxOutputTokens: z.exactOptional(count()),
    reasoning: z.exactOptional(choice(efforts)),
    contextWindow: z.exactOptional(count()),
    limits: z.exactOptional(limitsSchema()),
  }
}

/** What it uses, and under which rules. */
function usedShape() {
  const references = z.exactOptional(list(text(checkReference)))
  return {
    tools: references,
    agents: z.exactOptional(list(text(checkPlainName))),
    mcpServers: z.exactOptional(list(text(checkNotEmpty))),
    prompts: references,
    resources: references,
    permissions: z.exactOptional(rulesSchema()),
    hooks: z.exactOptional(hooksSchema()),
  }
}

export function rulesSchema(): z.ZodMiniType<PermissionsEntry> {
  const rules = z.exactOptional(list(text(checkNotEmpty)))
  return closed({ allow: rules, ask: rules, deny: rules })
}

function instructionsSchema(): z.ZodMiniType<InstructionsEntry> {
  return closed({
    server: z.exactOptional(text(checkNotEmpty)),
    prompt: text(checkNotEmpty),
    arguments: z.exactOptional(map(text())),
  })
}

function limitsSchema(): z.ZodMiniType<AgentLimits> {
  return closed({
    turns: z.exactOptional(count()),
    time: z.exactOptional(duration()),
    tokens: z.exactOptional(count()),
    cost: z.exactOptional(number('a number above 0', { min: Number.MIN_VALUE, max: 1e12 })),
  })
}

function outputSchema(): z.ZodMiniType<OutputEntry> {
  const output: z.ZodMiniType<OutputEntry> = closed({
    name: z.exactOptional(text(checkOutputName)),
    description: z.exactOptional(text()),
    fields: z.exactOptional(fieldsSchema()),
    schema: z.exactOptional(z.record(z.string(), z.unknown(), { error: 'a JSON Schema' })),
  })
  return output.check(({ value, issues }) => {
    const { fields, schema } = value
    if ((fields === undefined) !== (schema === undefined)) return
    const message = 'either fields or schema, which says its shape'
    issues.push({ code: 'custom', message, input: value })
  })
}

/** What all vendors take. */
const checkOutputName: Rule = (name) =>
  /^[\w-]{1,64}$/.test(name) ? undefined : 'a name of at most 64 letters, digits, _ and -'

const checkField: Rule = (key) => (readFieldName(key) ? undefined : fieldForm)

function fieldsSchema(): z.ZodMiniType<FieldsEntry> {
  const error = 'a description, or a map with description, required, fields'
  const nested = closed({
    description: z.exactOptional(text()),
    required: z.exactOptional(flag()),
    get fields(): z.ZodMiniExactOptional<z.ZodMiniType<FieldsEntry>> {
      return z.exactOptional(fields)
    },
  })
  const fields = map<FieldsEntry[string]>(z.union([z.string(), nested], { error }), checkField)
  return fields
}

export function promptsSchema(): z.ZodMiniType<Record<string, PromptEntry>> {
  const prompt: z.ZodMiniType<PromptEntry> = closed({
    description: z.exactOptional(text()),
    template: text(),
    input: z.exactOptional(fieldsSchema()),
  })
  return map(prompt, checkPlainName)
}
