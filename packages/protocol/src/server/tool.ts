import type {
  CallToolResult,
  ContentBlock,
  Icon,
  ToolAnnotations,
} from '@modelcontextprotocol/sdk/types.js'
import { isProtocolError, ProtocolError } from '../errors.ts'
import type { JsonObject } from '../message.ts'
import { isObject } from '../parse-message.ts'
import { isThenable } from '../thenable.ts'
import {
  formatIssues,
  type Schema,
  type SchemaInput,
  type SchemaOutput,
  type SchemaResult,
  toJsonSchema,
} from './schema.ts'
import type { ToolContext } from './tool-context.ts'

interface ToolDescription<I extends Schema> {
  title?: string
  description: string
  /** The arguments; none by default. */
  input?: I
  annotations?: ToolAnnotations
  icons?: Icon[]
  _meta?: JsonObject
}

/** A whole result. It has no index signature, which would keep the types of its neighbours from being inferred. */
export interface ToolResult {
  content: ContentBlock[]
  structuredContent?: JsonObject | undefined
  isError?: boolean | undefined
  _meta?: JsonObject | undefined
}

/** What a tool without `output` may return: a text, content blocks, a whole result, or nothing. */
export type ToolReturn = string | ContentBlock[] | ToolResult | undefined

/** What a tool with `output` may return: the value itself, or a whole result that holds it. */
export type StructuredReturn<O extends Schema> = SchemaInput<O> | ToolResult | Literals

declare const impossible: unique symbol

/**
 * Nobody can give one. Beside the schema's type, which is not known yet when TypeScript reads what an
 * author returns, it keeps literals from becoming `string`, so that no author needs `as const`.
 */
interface Literals {
  readonly [impossible]: never
  [member: string]: Literal | Literal[]
}

type Literal = Literals | '' | 0 | false

export interface ToolWithoutOutput<I extends Schema> extends ToolDescription<I> {
  output?: undefined
  run(args: SchemaOutput<I>, context: ToolContext): ToolReturn | Promise<ToolReturn>
}

export interface ToolWithOutput<I extends Schema, O extends Schema> extends ToolDescription<I> {
  /** The structured result. */
  output: O
  run(
    args: SchemaOutput<I>,
    context: ToolContext,
  ): StructuredReturn<O> | Promise<StructuredReturn<O>>
}

export type ToolOptions<I extends Schema, O extends Schema> =
  | ToolWithoutOutput<I>
  | ToolWithOutput<I, O>

/** A tool, ready to be part of a server. */
export interface Tool {
  /** How it is listed under a name. */
  describe(name: string): JsonObject
  /** The result, or a promise of it; throws for a caller's mistake, never for a failure of the tool. */
  call(
    name: string,
    args: JsonObject,
    context: ToolContext,
  ): CallToolResult | Promise<CallToolResult>
}

/** Types a tool's arguments and result by its schemas, and makes it callable. */
export function tool<
  I extends Schema = Schema<Record<string, never>>,
  O extends Schema = Schema<JsonObject>,
>(options: ToolOptions<I, O>): Tool {
  return new DefinedTool(options as unknown as ToolOptions<Schema, Schema>)
}

const noArguments: JsonObject = { type: 'object', properties: {}, additionalProperties: false }

class DefinedTool implements Tool {
  readonly #options: ToolOptions<Schema, Schema>
  readonly #input: Schema['~standard'] | undefined
  readonly #output: Schema['~standard'] | undefined
  #listed: JsonObject | undefined

  constructor(options: ToolOptions<Schema, Schema>) {
    this.#options = options
    this.#input = options.input?.['~standard']
    this.#output = options.output?.['~standard']
  }

  describe(name: string): JsonObject {
    if (this.#listed?.name !== name) this.#listed = this.#describe(name)
    return this.#listed as JsonObject
  }

  call(
    name: string,
    args: JsonObject,
    context: ToolContext,
  ): CallToolResult | Promise<CallToolResult> {
    if (!this.#input) return this.#run(args, name, context)
    const checked = this.#input.validate(args)
    if (isThenable(checked)) {
      return checked.then((result) => this.#run(accept(result, name), name, context))
    }
    return this.#run(accept(checked, name), name, context)
  }

  #run(
    args: unknown,
    name: string,
    context: ToolContext,
  ): CallToolResult | Promise<CallToolResult> {
    try {
      const returned: unknown = this.#options.run(args, context)
      return isThenable(returned) ? this.#await(returned, name) : this.#toResult(returned, name)
    } catch (error) {
      return toFailure(error)
    }
  }

  async #await(returned: PromiseLike<unknown>, name: string): Promise<CallToolResult> {
    try {
      return await this.#toResult(await returned, name)
    } catch (error) {
      return toFailure(error)
    }
  }

  #toResult(value: unknown, name: string): CallToolResult | Promise<CallToolResult> {
    if (!this.#output) return toContent(value)
    const content = isObject(value) && Array.isArray(value.content)
    if (content && value.isError === true) return toContent(value)
    // An output may well have a member `content` of its own.
    const given = content && isObject(value.structuredContent)
    const checked = this.#output.validate(given ? value.structuredContent : value)
    const finish = (result: SchemaResult<unknown>) => {
      if (result.issues) return brokenOutput(name, formatIssues(result.issues))
      return given ? toContent(value) : toStructured(result.value as JsonObject)
    }
    return isThenable(checked) ? checked.then(finish) : finish(checked)
  }

  #describe(name: string): JsonObject {
    const { title, description, input, output, annotations, icons, _meta } = this.#options
    const listed: JsonObject = { name }
    if (title !== undefined) listed.title = title
    listed.description = description
    listed.inputSchema = input ? toJsonSchema(input, 'input', `tool ${name}, input`) : noArguments
    if (output) listed.outputSchema = toJsonSchema(output, 'output', `tool ${name}, output`)
    if (annotations) listed.annotations = annotations
    if (icons) listed.icons = icons
    if (_meta) listed._meta = _meta
    return listed
  }
}

function accept(result: SchemaResult<unknown>, name: string): unknown {
  if (!result.issues) return result.value
  throw new ProtocolError(
    'INVALID_PARAMS',
    `Invalid arguments for tool ${name}: ${formatIssues(result.issues)}`,
  )
}

function toContent(value: unknown): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  if (value === undefined) return { content: [] }
  if (Array.isArray(value)) return { content: value as ContentBlock[] }
  return value as CallToolResult
}

/** The text beside the value is for clients that know no structured results. */
function toStructured(value: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

function brokenOutput(name: string, issues: string): CallToolResult {
  const text = `Tool ${name} returned what its output schema does not allow: ${issues}`
  return { content: [{ type: 'text', text }], isError: true }
}

/** A caller's mistake found late, and what no result can say, stay errors; all else is the tool's own failure. */
const rethrown = new Set(['INVALID_PARAMS', 'URL_ELICITATION_REQUIRED', 'REQUEST_CANCELLED'])

function toFailure(error: unknown): CallToolResult {
  if (isProtocolError(error) && rethrown.has(error.code)) throw error
  const text = error instanceof Error ? error.message : String(error)
  return { content: [{ type: 'text', text }], isError: true }
}
