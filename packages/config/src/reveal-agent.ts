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
 * Where they need a declared variable that is neither set nor in `values`, whoever reads them is thrown
 * a MissingVariablesError: the agent is there, and says what it lacks.
 */
export function revealAgent(settings: AgentSettings, values?: VariableValues): RevealedAgent {
  const { identity, icons, starterMessages, mode, instructions, permissions, sampling, ...same } =
    settings
  const visibility = mode === 'subagent' ? ('agents' as const) : ('published' as const)
  if (instructions === undefined) return { ...same, visibility }
  return {
    ...same,
    visibility,
    get instructions() {
      return revealInstructions(instructions, values)
    },
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
