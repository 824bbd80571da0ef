import { join } from 'node:path'
import type { Configuration, LogSettings } from '@mobius-mcp/config'
import type { MessageHandler } from '@mobius-mcp/protocol'
import { createMetaServer, type QuestionReport } from '@mobius-mcp/server-meta'
import { openFileCatalog } from '@mobius-mcp/state/file'
import type { Logger } from '@mobius-mcp/telemetry/log'
import { createToolsService, type ToolsService } from '@mobius-mcp/tools-service'
import { createApprovalRecord } from './approval-record.ts'
import { builtInForClients } from './built-in-for-clients.ts'
import { createChats } from './chats.ts'
import { CommandConfiguration } from './command-configuration.ts'
import { describeChanges } from './describe-changes.ts'
import { stateFolderOf } from './folders.ts'
import { createHosting } from './host-agents.ts'
import type { LazyAgents } from './lazy-agents.ts'
import { createLazySignIn, type LazySignIn } from './lazy-sign-in.ts'
import { createLazyState, type LazyState } from './lazy-state.ts'
import type { LiveConfiguration } from './live-configuration.ts'
import { chatTools, createOperations, operatorTools, peopleTools } from './operations.ts'
import type { ConfigOptions } from './program.ts'
import { describeQuestion } from './question-text.ts'
import { createQuestions, type Questions } from './questions.ts'
import { createConnect } from './reach-server.ts'
import { openSeeing, type Seeing } from './seeing.ts'
import { answerInTerminal } from './terminal-answer.ts'
import { createVariables, type Variables } from './variables.ts'
import { askForVariables } from './variables-door.ts'
import { version } from './version.ts'
import { createViews, type Views } from './views.ts'

/** A gateway without doors: whoever assembles it opens them. */
export interface Gateway extends AsyncDisposable {
  readonly live: LiveConfiguration
  readonly service: ToolsService
  readonly agents: LazyAgents
  /** What is kept in the database. */
  readonly kept: LazyState
  readonly variables: Variables
  readonly questions: Questions
  readonly signIn: LazySignIn
  readonly seeing: Seeing
  readonly views: Views
  /** Everything that is published, as one server. */
  readonly published: MessageHandler
  readonly state: string
}

export interface AssembleOptions extends ConfigOptions {
  /** What the command means, where that was asked before. */
  readonly configuration?: CommandConfiguration
  /** Stays, follows the configuration and says what happens; otherwise it is made for one command, and says what goes wrong. */
  readonly stays?: boolean
  /** Who is to answer questions: operators of a gateway that others can reach, the person at the terminal, or the command itself. */
  readonly asks?: 'operators' | 'terminal' | 'command'
  /** How long a server may take to start, in milliseconds. */
  readonly startTimeout?: number
  /** Told of each line that a server wrote beside the protocol. */
  onLine?(server: string, line: string): void
  /** Shows a URL to whoever is to sign in. */
  openUrl?(url: string): void | Promise<void>
  /** Sessions of clients, for metrics. */
  sessions?(): number
}

/**
 * Reads the configuration and assembles everything behind the doors. Nothing is started.
 *
 * @throws ConfigError, with all that is wrong in the files.
 */
export async function assemble(options: AssembleOptions): Promise<Gateway> {
  const { configuration = new CommandConfiguration(options) } = options
  const live = await configuration.open()
  const state = stateFolderOf(options, live.current)
  const seeing = openSeeing({
    state,
    log: logSettings(live.current, options),
    servers: () => service.states(),
    sessions: options.sessions ?? (() => 0),
  })
  const { logger } = seeing
  const catalog = openFileCatalog(join(state, 'catalog'), {
    onProblem: ({ message }) => logger.warn(message),
  })
  const signIn = createLazySignIn({
    folder: join(state, 'tokens'),
    logger,
    openUrl: options.openUrl,
  })
  const kept = createLazyState({ folder: state, logger })
  const questions = createQuestions({
    record: createApprovalRecord(kept, logger),
    onAsked: (question) => {
      if (options.asks === 'operators') logQuestion(logger, question)
      else if (options.asks !== 'command') void answerInTerminal(questions, question)
    },
  })
  const current = () => live.current
  const variables = createVariables({ current, onGiven: () => retryAll(service) })
  const service = createToolsService({
    catalog,
    folder: state,
    info: { name: 'mobius', title: 'Mobius', version },
    connect: createConnect(signIn, variables, options.onLine),
    approve: ({ call, decision, cancellation }) =>
      questions.ask(call, { why: decision.reason ?? decision.rule, cancellation }),
    observe: seeing.observe,
    startTimeout: options.startTimeout,
    onLog: (server, line) => logger.debug(line, server === '' ? {} : { server }),
  })
  const offers = { builtIn: builtInForClients, operatorsOnly: operatorTools }
  const forAgents = { ...offers, peopleOnly: [...operatorTools, ...peopleTools] }
  const hosting = createHosting({
    ...forAgents,
    logger,
    current,
    variables,
    state: kept,
    service: () => service,
  })
  const chats = createChats({
    ...forAgents,
    current,
    variables,
    kept,
    agents: hosting.agents,
  })
  service.addServer(
    createMetaServer({
      version,
      servers: () => service.states(),
      watchServers: (listener) => service.watchStates(listener),
      recent: service.recent,
      operations: createOperations(questions, live),
      chats,
    }),
  )
  service.apply(hosting.snapshot(live.current))
  const warn = (text: string) => {
    if (options.stays) logger.warn(text)
    else process.stderr.write(`${text}\n`)
  }
  await tellWarnings(live.current, warn)
  live.listen({
    onChange(configuration, changes) {
      service.apply(hosting.snapshot(configuration))
      seeing.adjustLog(logSettings(configuration, options))
      chats.tellOfAgents()
      void tellWarnings(configuration, warn)
      for (const line of describeChanges(changes)) logger.info(`Configuration: ${line}`)
    },
    onRefusal: ({ message }) =>
      logger.error(`The edit is not used, what was in use stays. ${message}`),
    onUnwatched: (folder, reason) =>
      logger.warn(
        `Edits in ${folder} are not noticed: ${reason}. After one: mobius call meta/reload_configuration`,
      ),
  })
  if (options.stays) live.follow()
  const views = createViews({ ...offers, unlessAsked: chatTools, current })
  return {
    live,
    service,
    agents: hosting.agents,
    kept,
    variables,
    questions,
    signIn,
    seeing,
    views,
    state,
    published: askForVariables(service.publish(views.all), variables),
    async [Symbol.asyncDispose]() {
      live[Symbol.dispose]()
      signIn.close()
      questions.close()
      await hosting.agents[Symbol.asyncDispose]()
      await service.close()
      await kept.close()
      await catalog.close()
      await seeing[Symbol.asyncDispose]()
    },
  }
}

/** What could not be started for want of something may be tried again. */
function retryAll(service: ToolsService): void {
  for (const { name, reason } of service.states()) if (reason !== undefined) service.retry(name)
}

function logQuestion(logger: Logger, question: QuestionReport): void {
  const { id, call } = question
  const answer = `Answer: mobius approve ${id}, or mobius deny ${id}`
  logger.warn(`${describeQuestion(question)} ${answer}`, { call })
}

/** What stands in the configuration and has no effect is never passed over in silence. */
async function tellWarnings(
  { warnings }: Configuration,
  tell: (text: string) => void,
): Promise<void> {
  if (warnings.length === 0) return
  const { formatProblem } = await import('@mobius-mcp/config')
  for (const warning of warnings) tell(formatProblem(warning))
}

/** What the configuration says, unless the command line wants more; a command shows what is wrong alone. */
function logSettings({ log }: Configuration, { stays, verbose }: AssembleOptions): LogSettings {
  const { level = stays ? 'info' : 'error', ...rest } = log
  return { ...rest, level: verbose ? 'debug' : level }
}
