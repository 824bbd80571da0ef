import type { JsonObject } from '@mobius-mcp/protocol'
import type { PermissionSettings } from './permission-settings.ts'
import type { Secret } from './secret.ts'

/** One agent: `revealAgent` gives what its server is made of. */
export interface AgentSettings {
  /** Also the name of its server, among those of all servers. */
  readonly name: string
  /** A digest of all the rest: changes when anything does. Secrets went into it, so don't show it. */
  readonly identity: string
  /** What people read instead of its name. */
  readonly title?: string
  /** For whoever may chat with it, a person or another agent. */
  readonly description?: string
  /** URLs of pictures; of several, for different backgrounds. */
  readonly icons: readonly AgentIcon[]
  /** What a person may begin with. */
  readonly starterMessages: readonly string[]
  /** `chat`: for people and for other agents. `subagent`: for other agents alone. */
  readonly mode: 'chat' | 'subagent'
  /** `provider/model` or an alias; `default` where nothing is said. */
  readonly model?: string
  readonly instructions?: string | Secret | InstructionsPrompt
  /** References to what it may call: tools, servers, other agents. */
  readonly tools: readonly string[]
  /** References to resources that it may read, and that its server offers. */
  readonly resources: readonly string[]
  /** References to prompts that its server offers. */
  readonly prompts: readonly string[]
  /** The shape of its answer, where that is no text. */
  readonly output?: AgentOutput
  readonly temperature?: number
  readonly topP?: number
  readonly maxOutputTokens?: number
  /** How much its model thinks before it answers. */
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high'
  /** Tokens that fit into its model. */
  readonly contextWindow?: number
  readonly limits: AgentLimits
  /** Rules for what this agent does, beside those for everybody. */
  readonly permissions: PermissionSettings
  /** How it is chosen where a server asks for a model. */
  readonly sampling: SamplingHints
}

/** A picture of an agent. */
export interface AgentIcon {
  readonly src: string
  readonly theme?: 'light' | 'dark'
}

/** Instructions that a server's prompt gives. */
export interface InstructionsPrompt {
  readonly server: string
  readonly prompt: string
  readonly arguments: Readonly<Record<string, string | Secret>>
}

/** The shape of an agent's answer. */
export interface AgentOutput {
  /** A JSON Schema. */
  readonly schema: JsonObject
  readonly name?: string
  readonly description?: string
}

/** What one turn may use up. What is absent is left to the agent's server. */
export interface AgentLimits {
  /** Questions to the model. */
  readonly turns?: number
  /** Milliseconds. */
  readonly time?: number
  readonly tokens?: number
  /** In the currency of the prices. */
  readonly cost?: number
}

/** What `sampling/createMessage` chooses by: names that hints may call it, and what it is like, from 0 to 1. */
export interface SamplingHints {
  readonly aliases: readonly string[]
  /** Higher is more expensive. */
  readonly cost?: number
  /** Higher is faster. */
  readonly speed?: number
  /** Higher is cleverer. */
  readonly intelligence?: number
}
