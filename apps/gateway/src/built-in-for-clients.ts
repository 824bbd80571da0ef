import { defaultAgentName } from './default-agent.ts'

/** Built-in servers that clients see where the configuration does not say otherwise. */
export const builtInForClients: readonly string[] = ['meta']

/** Servers that a configuration may name without having them. */
export const knownServers: readonly string[] = [...builtInForClients, defaultAgentName]
