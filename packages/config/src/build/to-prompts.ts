import { readFieldName } from '../field-name.ts'
import type { PromptArgumentSettings, PromptSettings } from '../prompt-settings.ts'
import { memberOf, type SourceNode } from '../read/source-tree.ts'
import type { ConfigFile, FieldsEntry } from '../schema/config-file.ts'
import { digest } from './digest.ts'
import { hide } from './hide.ts'

/** The prompts of the files themselves. `root` is where they stand. */
export function toPrompts({ prompts = {} }: ConfigFile, root: SourceNode): PromptSettings[] {
  const section = memberOf(root, 'prompts')
  return Object.entries(prompts).map(([name, { description, template, input = {} }]) => {
    const node = memberOf(memberOf(section, name), 'template')
    const places = node?.kind === 'scalar' ? node.template : undefined
    const settings = {
      ...(description !== undefined && { description }),
      arguments: toArguments(input),
      template: places ?? [hide(template, node)],
    }
    return { name, identity: digest(settings), ...settings }
  })
}

function toArguments(input: FieldsEntry): PromptArgumentSettings[] {
  return Object.entries(input).map(([key, written]) => {
    const { name = key, choices } = readFieldName(key) ?? {}
    const { description, required = true } =
      typeof written === 'string' ? { description: written } : written
    return {
      name,
      ...(description !== undefined && { description }),
      required,
      ...(choices && { choices }),
    }
  })
}
