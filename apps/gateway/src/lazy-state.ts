import { join } from 'node:path'
import type { LeaseHolder } from '@mobius-mcp/state'
import type { Store } from '@mobius-mcp/store'
import type { Logger } from '@mobius-mcp/telemetry/log'

/** What is kept, and this process as the owner of what it runs. */
interface Kept {
  readonly store: Store
  readonly owner: LeaseHolder
}

/** The database of the state folder, opened when something is first kept or asked for: it brings a native module along. */
export interface LazyState {
  /**
   * Opens it, once. What failed is tried again by whoever asks next.
   *
   * @throws StoreError where the file is not this version's to use, or none at all.
   */
  open(): Promise<Kept>
  close(): Promise<void>
}

export interface LazyStateOptions {
  /** The state folder. */
  readonly folder: string
  readonly logger: Logger
}

/** Opens nothing yet. */
export function createLazyState(options: LazyStateOptions): LazyState {
  let opening: Promise<Kept> | undefined
  return {
    open() {
      opening ??= openState(options)
      opening.catch(() => {
        opening = undefined
      })
      return opening
    },
    async close() {
      // What could not be opened need not be closed.
      const kept = await opening?.catch(() => undefined)
      await kept?.owner[Symbol.asyncDispose]()
      await kept?.store.close()
    },
  }
}

async function openState({ folder, logger }: LazyStateOptions): Promise<Kept> {
  const [{ openStore }, { openOwner }] = await Promise.all([
    import('@mobius-mcp/store'),
    import('./open-owner.ts'),
  ])
  const store = await openStore(join(folder, 'mobius.db'), {
    onProblem: ({ message }) => logger.warn(message),
  })
  try {
    return { store, owner: await openOwner(store.leases, logger) }
  } catch (error) {
    await store.close()
    throw error
  }
}
