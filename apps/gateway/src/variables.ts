import {
  type Configuration,
  missingVariables,
  type VariableSettings,
  type VariableValues,
} from '@mobius-mcp/config'
import type { Principal } from '@mobius-mcp/protocol'
import { principalKey } from '@mobius-mcp/state'

/** What people have said, when asked, of variables that the configuration declares and that are not set. */
export interface Variables {
  /** The values that a principal has given. What one gives is for nobody else. */
  of(principal: Principal): VariableValues
  /** What a principal must give before all can be used. */
  missing(principal: Principal): readonly VariableSettings[]
  give(principal: Principal, values: VariableValues): void
}

export interface VariablesOptions {
  /** The configuration of the moment. */
  current(): Pick<Configuration, 'variables'>
  /** Told when somebody has given values: what could not be started without them may be tried again. */
  onGiven(): void
}

/** Nobody has said anything yet. Values are kept in memory alone: after a restart they are asked for again. */
export function createVariables({ current, onGiven }: VariablesOptions): Variables {
  const given = new Map<string, VariableValues>()
  const none: VariableValues = {}
  const of = (principal: Principal) => given.get(principalKey(principal)) ?? none
  return {
    of,
    missing(principal) {
      const values = of(principal)
      return missingVariables(current().variables).filter(
        ({ name }) => !Object.hasOwn(values, name),
      )
    },
    give(principal, values) {
      given.set(principalKey(principal), { ...of(principal), ...values })
      onGiven()
    },
  }
}
