import type { GatewayCommand } from './gateway-command.ts'
import { mobiusGateway } from './mobius-gateway.ts'
import type { HttpModuleName, InProcessModuleName } from './modules.ts'

/**
 * Mobius in each part it is measured in, with everything real in place: schema in and out, one rule, audit on,
 * sessions, Host check, timeouts armed. A part that is absent is reported as not measured, never as met.
 */
export interface Ours {
  /** A `defineServer` echo, called through a published server's handler: steps 3 to 6, no hooks. */
  inProcess?: InProcessModuleName
  /** The same with one observing hook whose target is a `defineServer` tool in process. */
  inProcessHook?: InProcessModuleName
  /** `createHttpHost` over the same echo in process. */
  http?: HttpModuleName
  /** `createHttpHost` in front of `options.upstream`, stdio or HTTP. */
  upstream?: HttpModuleName
  /** The `mobius` command as users start it. */
  gateway?: GatewayCommand
}

export const ours: Ours = {
  inProcess: 'mobius-in-process',
  inProcessHook: 'mobius-hooked',
  http: 'mobius-http',
  upstream: 'mobius-http',
  gateway: mobiusGateway,
}
