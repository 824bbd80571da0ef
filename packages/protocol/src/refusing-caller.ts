import type { Caller } from './call.ts'
import { ProtocolError } from './errors.ts'

function refuse(): never {
  throw new ProtocolError(
    'INTERNAL_ERROR',
    'This server was given no Caller, so it cannot call other servers. Host it in a tools service to give it one.',
  )
}

/** Stands where no `Caller` was given. Each method rejects, saying so. */
export const refusingCaller: Caller = {
  request: async () => refuse(),
  call: async () => refuse(),
  list: async () => refuse(),
}
