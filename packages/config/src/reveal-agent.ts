import type { AgentSettings, InstructionsPrompt } from './agent-settings.ts'
import { revealAll } from './reveal-connection.ts'
import { reveal } from './secret.ts'
import type { VariableValues } from './variable-settings.ts'

type Same =
  | 'name'
  | 'title'
  | 'description'
  | 'model'
  | 'tools'
  | 'resources'
  | 'prompts'
  | 'output'
  | 'temperature'
  | 'topP'
  | 'maxOutputTokens'
  | 'reasoning'
  | 'contextWindow'
  | 'limits'

/** An agent with every secret in its place: an `AgentDefinition` of `@mobius-mcp/agent-server`. */
export interface RevealedAgent extends Pick<AgentSettings, Same> {
  readonly instructions?: string | RevealedInstructionsPrompt
  readonly visibility: 'published' | 'agents'
}

/** Instructions that a server's prompt gives, with what it is asked with. */
export interface RevealedInstructionsPrompt extends Omit<InstructionsPrompt, 'arguments'> {
  readonly arguments: Readonly<Record<string, string>>
}

/**
 * Takes what was put into an agent's instructions out of its wrapping, where they leave for its model.
 *
 * @throws MissingVariablesError where a declared variable is neither set nor in `values`.
 */
export function revealAgent(settings: AgentSettings, values?: VariableValues): RevealedAgent {
  const { identity, icons, starterMessages, mode, instructions, permissions, sampling, ...same } =
    settings
  return {
    ...same,
    ...(instructions !== undefined && {
      instructions: revealInstructions(instructions, values),
    }),
    visibility: mode === 'subagent' ? 'agents' : 'published',
  }
}

function revealInstructions(
  instructions: NonNullable<AgentSettings['instructions']>,
  values: VariableValues | undefined,
): string | RevealedInstructionsPrompt {
  if (typeof instructions === 'string' || !('server' in instructions)) {
    return reveal(instructions, values)
  }
  return { ...instructions, arguments: revealAll(instructions.arguments, values) }
}
