import type { Outlet } from './incoming.ts'
import type { RequestId } from './message.ts'
import { Pending, type PendingOwner } from './pending.ts'
import type { RequestOptions } from './session.ts'

/** A request that left over an outlet: what is said about it later goes the same way. */
export class SentRequest extends Pending {
  readonly outlet: Outlet | undefined
  readonly relatedTo: RequestId | undefined

  constructor(
    owner: PendingOwner,
    id: RequestId,
    method: string,
    options: RequestOptions,
    outlet: Outlet | undefined,
  ) {
    super(owner, id, method, options)
    this.outlet = outlet
    this.relatedTo = options.relatedTo
  }
}
