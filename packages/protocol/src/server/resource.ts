import type { Annotations, Icon } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../message.ts'
import { isObject } from '../parse-message.ts'
import type { ToolContext } from './tool-context.ts'

/** What a resource holds: a text, bytes, or ready-made contents. */
export type ResourceReturn = string | Uint8Array | { contents: JsonObject[] }

/** Offers completions for what a person has typed so far. */
export type Complete = (
  value: string,
  context: { arguments: Record<string, string> },
) => string[] | Promise<string[]>

interface ResourceOptions {
  name: string
  title?: string
  description?: string
  mimeType?: string
  annotations?: Annotations
  icons?: Icon[]
  _meta?: JsonObject
  /**
   * Calls `changed` whenever the resource has changed for whoever subscribed to it, until the
   * returned function is called.
   */
  watch?(uri: string, changed: () => void, context: ToolContext): () => void
}

/** A resource with a fixed URI. */
export interface Resource extends ResourceOptions {
  size?: number
  read(context: ToolContext, uri: string): ResourceReturn | Promise<ResourceReturn>
}

/** Resources whose URIs follow an RFC 6570 template. */
export interface ResourceTemplate extends ResourceOptions {
  /** `undefined` where there is no such resource. */
  read(
    variables: Record<string, string>,
    context: ToolContext,
    uri: string,
  ): ResourceReturn | undefined | Promise<ResourceReturn | undefined>
  /** Those that exist now, as they are listed: `uri`, `name` and what else is known. */
  list?(context: ToolContext): JsonObject[] | Promise<JsonObject[]>
  complete?: Record<string, Complete>
}

/** How a resource or template is listed: everything but its functions. */
export function describeResource(
  key: 'uri' | 'uriTemplate',
  id: string,
  resource: Resource | ResourceTemplate,
): JsonObject {
  const listed: JsonObject = { [key]: id }
  for (const [member, value] of Object.entries(resource)) {
    if (value !== undefined && typeof value !== 'function' && member !== 'complete') {
      listed[member] = value
    }
  }
  return listed
}

/** The contents of a resource as `resources/read` answers them. */
export function toContents(
  uri: string,
  mimeType: string | undefined,
  value: ResourceReturn,
): JsonObject {
  if (isObject(value) && 'contents' in value) return value
  const content: JsonObject = { uri }
  if (mimeType !== undefined) content.mimeType = mimeType
  if (typeof value === 'string') content.text = value
  else content.blob = toBase64(value as Uint8Array)
  return { contents: [content] }
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  const step = 0x8000
  for (let at = 0; at < bytes.length; at += step) {
    binary += String.fromCharCode(...bytes.subarray(at, at + step))
  }
  return btoa(binary)
}
