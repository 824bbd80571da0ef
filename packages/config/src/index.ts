/**
 * Configuration files to one validated snapshot: YAML or JSON, ours or another client's.
 *
 * @packageDocumentation
 */

// The snapshot
export { BearerKey } from './bearer-key.ts'
export type {
  Configuration,
  ConnectionSettings,
  HookSettings,
  HttpSettings,
  ListenAddress,
  LogSettings,
  OAuthSettings,
  Provenance,
  PublishSettings,
  RemoteSettings,
  ServerSettings,
  SessionSettings,
  Sharing,
  StdioSettings,
} from './configuration.ts'
export type { PermissionSettings, RuleText } from './permission-settings.ts'
export type { RevealedConnection } from './reveal-connection.ts'
export { revealConnection } from './reveal-connection.ts'
export type { MissingVariable } from './secret.ts'
export { MissingVariablesError, reveal, Secret } from './secret.ts'

// Agents, models, prompts and variables
export type {
  AgentIcon,
  AgentLimits,
  AgentOutput,
  AgentSettings,
  InstructionsPrompt,
  SamplingHints,
} from './agent-settings.ts'
export type {
  ModelDialect,
  ModelSettings,
  PriceSettings,
  ProviderSettings,
} from './model-settings.ts'
export type { PromptArgumentSettings, PromptPlace, PromptSettings } from './prompt-settings.ts'
export { promptServerName } from './prompt-settings.ts'
export { renderPrompt } from './render-prompt.ts'
export type { RevealedAgent, RevealedInstructionsPrompt } from './reveal-agent.ts'
export { revealAgent } from './reveal-agent.ts'
export type { RevealedModels, RevealedProvider } from './reveal-models.ts'
export { revealModels } from './reveal-models.ts'
export type { VariableSettings, VariableValues } from './variable-settings.ts'
export { missingVariables } from './variable-settings.ts'

// Finding and reading
export type { Environment } from './values/value-sources.ts'
export type { FindConfigOptions, FoundConfig, PathKind } from './find-config.ts'
export { findConfig } from './find-config.ts'
export type { LoadConfigOptions } from './load-config.ts'
export { loadConfig } from './load-config.ts'
export type { ParseConfigOptions } from './parse-config.ts'
export { parseConfig } from './parse-config.ts'

// Errors
export type { ConfigErrorCode, ConfigProblem, ConfigProblemCode } from './errors.ts'
export { ConfigError, configErrors, formatProblem } from './errors.ts'

// Single values, for command lines
export { parseListenAddress } from './listen-address.ts'
export { reservedServerNames } from './server-name.ts'
export { parseDuration } from './units.ts'

// Following and comparing
export type { ConfigurationChanges, NamedChanges } from './change/diff-configuration.ts'
export { diffConfiguration } from './change/diff-configuration.ts'
export type { ConfigReload, ConfigWatch, WatchConfigOptions } from './change/watch-config.ts'
export { watchConfig } from './change/watch-config.ts'
export type { WatchFolder } from './change/watch-folder.ts'

// Showing
export type { PrintConfigurationOptions } from './print/print-configuration.ts'
export { printConfiguration } from './print/print-configuration.ts'
export { configurationSchema } from './json-schema/configuration-schema.ts'

// Changing files
export { editConfiguration } from './edit/edit-configuration.ts'
export type { EditFileOptions } from './edit/edit-file.ts'
export { editConfigurationFile } from './edit/edit-file.ts'
export type { ServerEdit } from './edit/server-edit.ts'

// Files of other clients
export type { ClientFile, ClientKind, ClientPlaces } from './clients/client-files.ts'
export { clientFiles, clientKinds, recogniseClientFile } from './clients/client-files.ts'
export type { GatewayAddress } from './clients/client-entry.ts'
export type { ImportedServers, ReadClientOptions } from './clients/read-client.ts'
export { readClient } from './clients/read-client.ts'
export type { ConnectClientOptions } from './clients/write-client.ts'
export { connectClient, connectClientFile, printClientEntry } from './clients/write-client.ts'
