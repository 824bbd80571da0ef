import type { Hooks } from '@mobius-mcp/hooks'
import type { Model } from '@mobius-mcp/models'
import type {
  Caller,
  Clock,
  JsonObject,
  MessageContext,
  Principal,
  ServerDefinition,
} from '@mobius-mcp/protocol'
import type { PrincipalName, RunOwner, State } from '@mobius-mcp/state'
import type { AgentDefinition } from './agent-definition.ts'
import { AgentsRuntime } from './agents-runtime.ts'
import type { AgentContext } from './step-context.ts'
import type { ThreadPart } from './thread-hub.ts'

/** On whose behalf a model is asked. */
export interface ModelAsker {
  readonly principal: Principal
  /** A client that waits for what comes of it. */
  readonly client: MessageContext | undefined
}

/** Where agents have their models from: `Models` of `@mobius-mcp/models`, or what chooses among such. */
export interface ModelSource {
  /** The model of a name, `default` without one. Throws where there is none of this name. */
  model(name: string | undefined, asker: ModelAsker): Model
}

/** What agents are made with. Everything comes in as values. */
export interface AgentsOptions {
  readonly models: ModelSource
  readonly state: Pick<State, 'threads' | 'questions' | 'journal'>
  /** The process that runs them: a `LeaseHolder` of `@mobius-mcp/state`. */
  readonly owner: RunOwner
  /**
   * What agents make their calls with: `callerFor` of a tools service. The actor is given as a whole
   * context, whose session is that of the thread, so that servers live with the thread.
   */
  callerFor(context: AgentContext): Caller
  /** Those of the points session, config, request, response, PreCompact and PostCompact: no others. */
  readonly hooks?: Hooks | undefined
  /** On whose behalf hooks make their calls; the machine's own user by default. */
  readonly hookPrincipal?: Principal | undefined
  /** Folders whose files may be attached; none by default. */
  readonly roots?: readonly string[] | undefined
  /** How many agents may call one another in a chain; 5 by default. */
  readonly maxDepth?: number | undefined
  /** Bytes of a result that a model is shown; 51,200 by default. */
  readonly resultLimit?: number | undefined
  /** Milliseconds after which a thread's servers are let go when nothing is done in it; 30 minutes by default. */
  readonly idleTimeout?: number | undefined
  readonly clock?: Clock | undefined
  /** Told of what is survived: titles that could not be made, turns that could not be taken up. */
  onProblem?(message: string): void
}

/** All agents of one process, their threads and turns. */
export interface Agents extends AsyncDisposable {
  /**
   * Makes the server of an agent. Called again for the same name, servers that were made before go by the
   * new definition; turns end on the one that they began with.
   */
  serve(definition: AgentDefinition): ServerDefinition
  /** There is no such agent any more: turns that are under way end, those of dead processes are left alone. */
  remove(agent: string): void
  /**
   * Takes up the turns that a process left behind when it died, of agents that were served. Resolves
   * with how many. Call it at the start, and again whenever a lease may have expired.
   */
  resume(): Promise<number>
  /** Whether something is done in a thread, here. */
  isBusy(principal: PrincipalName, thread: string): boolean
  /** Gives a thread another title. Resolves with whether it is there. */
  rename(principal: PrincipalName, thread: string, title: string): Promise<boolean>
  /** Stops what is done in a thread, and what waits to be. Resolves with whether there was anything. */
  stop(principal: PrincipalName, thread: string): boolean
  /** Answers an open question of a thread. Resolves with whether this was the first answer. */
  answer(principal: PrincipalName, question: string, answer: JsonObject): Promise<boolean>
  /** Stops what is done in a thread and deletes it. Resolves with whether it was there. */
  delete(principal: PrincipalName, thread: string): Promise<boolean>
  /** Calls back when something of any thread has changed, until the returned function is called. */
  watch(changed: (thread: string, part: ThreadPart) => void): () => void
  /** Lets all turns go, for another process to go on with, and ends what their threads use. */
  close(): Promise<void>
}

/** Makes the agents of a process. Nothing is done before somebody chats. */
export function createAgents(options: AgentsOptions): Agents {
  return new AgentsRuntime(options)
}

/** Makes the server of one agent that is alone in its process. Of several, make `createAgents` once and `serve` each. */
export function createAgentServer(
  definition: AgentDefinition,
  options: AgentsOptions,
): ServerDefinition {
  return createAgents(options).serve(definition)
}
