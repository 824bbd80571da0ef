import { type PromptSettings, promptServerName, renderPrompt } from '@mobius-mcp/config'
import {
  defineServer,
  type Prompt,
  ProtocolError,
  type ServerDefinition,
} from '@mobius-mcp/protocol'
import type { Variables } from './variables.ts'
import { version } from './version.ts'

/** The server of the prompts that the configuration itself holds. */
export function createPromptServer(
  prompts: readonly PromptSettings[],
  variables: Pick<Variables, 'of'>,
): ServerDefinition {
  return defineServer({
    name: promptServerName,
    version,
    title: 'Prompts',
    instance: 'process',
    plainNames: true,
    prompts: Object.fromEntries(prompts.map((each) => [each.name, toPrompt(each, variables)])),
  })
}

function toPrompt(settings: PromptSettings, variables: Pick<Variables, 'of'>): Prompt {
  const { name, description } = settings
  const known = settings.arguments.map(({ name: argument, choices, ...rest }) => {
    const complete =
      choices && ((value: string) => choices.filter((each) => each.startsWith(value)))
    return [argument, { ...rest, ...(complete && { complete }) }] as const
  })
  return {
    ...(description === undefined ? {} : { description }),
    arguments: Object.fromEntries(known),
    get(args, { principal }) {
      for (const { name: argument, choices } of settings.arguments) {
        const value = args[argument]
        if (value === undefined || !choices || choices.includes(value)) continue
        throw new ProtocolError(
          'INVALID_PARAMS',
          `Expected the argument "${argument}" of the prompt "${name}" to be one of ${choices.join(', ')}, received ${JSON.stringify(value)}`,
        )
      }
      return renderPrompt(settings, args, variables.of(principal))
    },
  }
}
