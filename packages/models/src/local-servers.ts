import { type Clock, systemClock } from '@mobius-mcp/protocol'
import type { Fetch } from './authorized-fetch.ts'
import type { ProviderSettings } from './provider-settings.ts'

/** A model server that answers on this machine. It is for a person to be offered, and never used unasked. */
export interface LocalServer {
  /** What usually listens there. */
  readonly name: string
  /** What a configuration would say. */
  readonly settings: ProviderSettings
  /** The ids of its models. */
  readonly models: readonly string[]
}

/** Where and how long to look. */
export interface FindLocalServersOptions {
  /** Base URLs by name; by default those that model servers listen at unless told otherwise. */
  readonly addresses?: Readonly<Record<string, string>>
  readonly fetch?: Fetch
  readonly clock?: Clock
  /** Milliseconds for each; 500 by default. */
  readonly timeout?: number
  readonly signal?: AbortSignal
}

/** The ports that their documentation names. */
const usualAddresses: Readonly<Record<string, string>> = {
  ollama: 'http://127.0.0.1:11434/v1',
  lmstudio: 'http://127.0.0.1:1234/v1',
  llamacpp: 'http://127.0.0.1:8080/v1',
  vllm: 'http://127.0.0.1:8000/v1',
}

/** Lists the model servers of this machine, by asking each usual address for its models. What does not answer is left out. */
export async function findLocalServers(
  options: FindLocalServersOptions = {},
): Promise<LocalServer[]> {
  const addresses = Object.entries(options.addresses ?? usualAddresses)
  const found = await Promise.all(addresses.map(([name, baseUrl]) => probe(name, baseUrl, options)))
  return found.filter((server) => server !== undefined)
}

async function probe(
  name: string,
  baseUrl: string,
  { fetch = globalThis.fetch, clock = systemClock, timeout = 500, signal }: FindLocalServersOptions,
): Promise<LocalServer | undefined> {
  const late = new AbortController()
  const timer = clock.set(() => late.abort(), timeout)
  const stop = signal ? AbortSignal.any([signal, late.signal]) : late.signal
  try {
    // A redirect would lead away from this machine.
    const response = await fetch(`${baseUrl}/models`, { signal: stop, redirect: 'error' })
    const models = response.ok ? idsOf(await response.json()) : []
    return models.length === 0
      ? undefined
      : { name, settings: { dialect: 'openai-chat', baseUrl }, models }
  } catch {
    // Nothing listens there, or something else.
    return undefined
  } finally {
    clock.clear(timer)
  }
}

/** It is shown and copied, so it must be what it looks like. */
const idForm = /^[\w./:@+-]{1,200}$/

/** https://platform.openai.com/docs/api-reference/models/list */
function idsOf(answer: unknown): string[] {
  const { data } = (answer ?? {}) as { data?: unknown }
  if (!Array.isArray(data)) return []
  return data.flatMap((model: unknown) => {
    const { id } = (model ?? {}) as { id?: unknown }
    return typeof id === 'string' && idForm.test(id) ? [id] : []
  })
}
