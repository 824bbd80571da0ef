import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { JsonObject } from '@mobius-mcp/protocol'
import type { Dialect } from './provider-settings.ts'
import type { ModelMessage, ModelRequest, ModelTool } from './request.ts'
import { createToolNames, type ToolNames } from './tool-names.ts'
import { toVendorSchema, type VendorSchema } from './tool-schema.ts'

/** A request's tools as a vendor sees them, with the way back. */
export interface VendorTools {
  readonly definitions: LanguageModelV4FunctionTool[]
  readonly names: ToolNames
  /** Arguments as the vendor's schema names them. */
  toVendor(name: string, values: JsonObject): JsonObject
  /** Arguments as the tool's own schema names them. */
  fromVendor(name: string, values: JsonObject): JsonObject
}

/** Translates tools for one dialect. Tools of which only the conversation knows keep names that match it. */
export function createVendorTools(request: ModelRequest, dialect: Dialect): VendorTools {
  const tools = request.tools ?? []
  const schemas = new Map(
    tools.map((tool) => [tool.name, toVendorSchema(tool.inputSchema, dialect)] as const),
  )
  const names = createToolNames([
    ...tools.map(({ name }) => name),
    ...request.messages.flatMap(namesIn),
  ])
  return {
    definitions: tools.map((tool) => define(tool, schemas.get(tool.name), names, dialect)),
    names,
    toVendor: (name, values) => schemas.get(name)?.names.toVendor(values) ?? values,
    fromVendor: (name, values) => schemas.get(name)?.names.fromVendor(values) ?? values,
  }
}

function namesIn(message: ModelMessage): string[] {
  if (message.role === 'user') return []
  return message.content.flatMap((part) =>
    part.type === 'tool-call' || part.type === 'tool-result' ? [part.name] : [],
  )
}

function define(
  tool: ModelTool,
  vendor: VendorSchema | undefined,
  names: ToolNames,
  dialect: Dialect,
): LanguageModelV4FunctionTool {
  const description = [tool.description, vendor?.note].filter(Boolean).join('\n\n')
  return {
    type: 'function',
    name: names.toVendor(tool.name),
    inputSchema: vendor?.schema ?? { type: 'object', properties: {} },
    ...(description ? { description } : {}),
    // Responses are strict unless told otherwise, and then refuse optional arguments.
    ...(dialect === 'openai-responses' || dialect === 'open-responses' ? { strict: false } : {}),
  }
}
