import type { Implementation } from '@modelcontextprotocol/sdk/types.js'
import type { ServerDefinition, ServerEnvironment } from '../server-definition.ts'
import type { MessageContext } from '../session.ts'
import { addParts } from './add-parts.ts'
import { DefinedServer } from './defined-server.ts'
import type { Prompt } from './prompt.ts'
import type { Resource, ResourceTemplate } from './resource.ts'
import type { Tool } from './tool.ts'

/** Parts of a server by name, or a function that says which there are for whoever asks. */
export type Parts<T> =
  | Readonly<Record<string, T>>
  | ((
      context: MessageContext,
    ) => Readonly<Record<string, T>> | Promise<Readonly<Record<string, T>>>)

/** What can be told to have changed. */
export type ChangedList = 'tools' | 'prompts' | 'resources'

export interface ServerParts {
  readonly tools?: Parts<Tool>
  readonly prompts?: Parts<Prompt>
  /** By URI. */
  readonly resources?: Parts<Resource>
  /** By RFC 6570 template. */
  readonly resourceTemplates?: Readonly<Record<string, ResourceTemplate>>
  /** Calls `changed` whenever a list has changed, until the returned function is called. */
  watch?(changed: (list: ChangedList) => void): () => void
}

export interface ServerOptions
  extends ServerParts,
    Pick<ServerDefinition, 'visibility' | 'instance' | 'plainNames' | 'asksClient'> {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly icons?: Implementation['icons']
  readonly websiteUrl?: string
  /** For the model: how the server is best used. */
  readonly instructions?: string
  /** Declares that tools send log lines, with `context.log`. */
  readonly logging?: boolean
  /** Entries on one page of a list; 1,000 by default. */
  readonly pageSize?: number
  /** Parts that need the environment: made when the server is built, and added to the others. */
  setup?(environment: ServerEnvironment): ServerParts | Promise<ServerParts>
}

/**
 * Defines a server. It answers initialize, ping, lists with paging, completion, subscriptions,
 * argument checks, unknown names and list changes; you write what is particular.
 */
export function defineServer(options: ServerOptions): ServerDefinition {
  const { name, visibility, instance, plainNames, asksClient, tools, setup } = options
  return {
    name,
    visibility,
    instance,
    plainNames,
    asksClient,
    async create(environment) {
      // A schema that cannot be listed is the author's mistake, and shows here with its place.
      for (const [id, tool] of Object.entries(typeof tools === 'object' ? tools : {})) {
        tool.describe(id)
      }
      const parts = setup ? addParts(options, await setup(environment)) : options
      return new DefinedServer(options, parts, environment.closing)
    },
  }
}
