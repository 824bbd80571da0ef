import type { VariableSettings, VariableValues } from '@mobius-mcp/config'
import {
  isObject,
  type JsonObject,
  type MessageContext,
  type MessageHandler,
  ProtocolError,
  type Session,
} from '@mobius-mcp/protocol'
import type { Variables } from './variables.ts'

/** What uses something. Before that there is no stream yet on which a client could be asked. */
const uses: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/**
 * A handler whose sessions first give the variables that the configuration needs and that are not set: a
 * client that can ask a person is asked, once, when it first uses something. Any other is refused, with their
 * names. What is secret is never asked for: a form is no place for it (MCP 2025-11-25, elicitation).
 */
export function askForVariables(inner: MessageHandler, variables: Variables): MessageHandler {
  const asked = new WeakMap<Session, Promise<void>>()
  const askOnce = (context: MessageContext): Promise<void> => {
    let asking = asked.get(context.session)
    if (asking === undefined) {
      asking = ask(variables, context)
      asked.set(context.session, asking)
    }
    return asking
  }
  return {
    onMessage(message, context) {
      const { method, params } = message
      if (method !== 'initialize' && !uses.has(method)) return inner.onMessage(message, context)
      const missing = variables.missing(context.principal)
      if (missing.length === 0) return inner.onMessage(message, context)
      if (method !== 'initialize') {
        return askOnce(context).then(() => inner.onMessage(message, context))
      }
      if (!canGive(missing, params)) throw refusal(missing)
      return inner.onMessage(message, context)
    },
  }
}

function canGive(missing: readonly VariableSettings[], params: JsonObject | undefined): boolean {
  const capabilities = isObject(params?.capabilities) ? params.capabilities : {}
  const { elicitation } = capabilities
  // Without a mode it is forms: older clients know no other.
  const knowsForms =
    isObject(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined)
  return knowsForms && missing.every(({ secret }) => !secret)
}

/** The code, the words and the data of nanobot, whose clients look for them. */
function refusal(missing: readonly VariableSettings[]): ProtocolError {
  const names = missing.map(({ name }) => name).join(' ')
  return new ProtocolError(
    'INVALID_PARAMS',
    `missing required environment variables: [${names}]. Set them where the gateway is started.`,
    {
      data: {
        missingEnv: missing.map(({ name, description = '', options }) => ({
          name,
          description,
          ...(options ? { options: [...options] } : {}),
        })),
      },
    },
  )
}

async function ask(variables: Variables, context: MessageContext): Promise<void> {
  const { principal } = context
  const missing = variables.missing(principal)
  try {
    const answer = await context.ask('elicitation/create', toForm(missing))
    if (answer.action !== 'accept' || !isObject(answer.content)) return
    const values = toValues(missing, answer.content)
    if (Object.keys(values).length > 0) variables.give(principal, values)
  } catch {
    // It went away, or cannot ask after all: what needs them says so.
  }
}

function toForm(missing: readonly VariableSettings[]): JsonObject {
  const fields = missing.map(({ name, description, options, default: preset }) => [
    name,
    {
      type: 'string',
      title: name,
      ...(description === undefined ? {} : { description }),
      ...(options ? { enum: [...options] } : {}),
      ...(preset === undefined ? {} : { default: preset }),
    },
  ])
  return {
    message: 'Some of what this gateway offers needs to know more before it can be used.',
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(fields),
      required: missing.map(({ name }) => name),
    },
  }
}

/** Only what was asked for, and of several values one of those. */
function toValues(missing: readonly VariableSettings[], given: JsonObject): VariableValues {
  const entries = missing.flatMap(({ name, options }) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    const isRight = typeof value === 'string' && (!options || options.includes(value))
    return isRight ? [[name, value] as const] : []
  })
  return Object.fromEntries(entries)
}
