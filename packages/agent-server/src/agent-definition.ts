import type { ModelRequest, OutputShape } from '@mobius-mcp/models'
import type { Principal, ServerDefinition } from '@mobius-mcp/protocol'

/** Instructions that a server's prompt gives, read anew at the beginning of each turn. */
export interface PromptInstructions {
  readonly server: string
  readonly prompt: string
  readonly arguments?: Readonly<Record<string, string>> | undefined
}

/** What stands above the conversation: a text, or what a prompt says. */
export type Instructions = string | PromptInstructions

/** A picture of an agent. */
export interface AgentIcon {
  readonly src: string
  readonly theme?: 'light' | 'dark' | undefined
}

/** What one turn may use up. It ends politely, with everything kept, where that is reached. */
export interface AgentLimits {
  /** Questions to the model; 50 by default. */
  readonly turns?: number | undefined
  /** Milliseconds; no limit by default. */
  readonly time?: number | undefined
  /** Tokens of questions and answers together, where the provider counts them. No limit by default. */
  readonly tokens?: number | undefined
  /** In the currency of the price table, where prices are known. No limit by default. */
  readonly cost?: number | undefined
}

/** An agent, as configuration says it. */
export interface AgentDefinition
  extends Pick<ModelRequest, 'temperature' | 'topP' | 'maxOutputTokens' | 'reasoning'>,
    Pick<ServerDefinition, 'visibility'> {
  /** Also the name of its server. */
  readonly name: string
  readonly title?: string | undefined
  /** For whoever may chat with it, a person or another agent. */
  readonly description?: string | undefined
  /** Of several, for different backgrounds. */
  readonly icons?: readonly AgentIcon[] | undefined
  /** What a person may begin with: in the chat tool's `_meta["mobius-mcp.dev/starters"]`. */
  readonly starterMessages?: readonly string[] | undefined
  /** `provider/model` or an alias; `default` by default. */
  readonly model?: string | undefined
  /** Where it is a function, it is asked at the beginning of each turn; what it throws is the end of the turn. */
  readonly instructions?: Instructions | ((principal: Principal) => Instructions) | undefined
  /** References to what it may call: `server`, `server/tool`, globs, `!` to exclude. Other agents are servers like any other. */
  readonly tools?: readonly string[] | undefined
  /** References to resources that it may read, beside those of servers whose tools it has; its server offers them too. */
  readonly resources?: readonly string[] | undefined
  /** References to prompts that its server offers to whoever chats with it. */
  readonly prompts?: readonly string[] | undefined
  /** The shape of its answer. What does not fit is sent back to the model once. */
  readonly output?: OutputShape | undefined
  readonly limits?: AgentLimits | undefined
  /** Tokens that fit into the model; 200,000 by default. The conversation is summarised before it grows beyond. */
  readonly contextWindow?: number | undefined
}

/** The name of an agent's one tool. */
export function chatToolOf(agent: string): string {
  return `chat-with-${agent}`
}
