import type { Target } from '../http/contract.ts'
import type { Upstream } from './contract.ts'

/** Where a gateway is to run, and in front of what. */
export interface GatewayPlace {
  port: number
  /** Its own folder, for configuration and state; the same one again on a restart. */
  folder: string
  servers: { [name: string]: Upstream }
}

/** A gateway that is a program of its own: a peer, or the `mobius` command. */
export interface GatewayCommand {
  name: string
  /** What it does for each session: the price that its speed was bought at. */
  perSession: string
  dialect: Target['dialect']
  /** Whether it can stand in front of more than one server. */
  aggregates: boolean
  /** Which kinds of upstream it reaches. */
  reaches: readonly ('stdio' | 'http')[]
  /** What a server's tool is called to its clients. */
  toolName(server: string, tool: string): string
  /** Writes what it needs and answers the arguments for `node`. */
  prepare(place: GatewayPlace): Promise<{ args: string[]; env?: NodeJS.ProcessEnv }>
}

export function targetOf(command: GatewayCommand, port: number): Target {
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    dialect: command.dialect,
    tool: command.toolName('echo', 'echo'),
  }
}
