import type { Context, Hono } from 'hono'
import type { Traffic } from './traffic.ts'

/** Says whether all is well. What it throws counts as no. */
export type Check = () => boolean | Promise<boolean>

export interface HealthOptions {
  readonly healthy: Check | undefined
  readonly ready: Check | undefined
  readonly traffic: Traffic
}

/** `/healthz`: the process works. `/readyz`: it takes new clients. */
export function addHealthRoutes(app: Hono, options: HealthOptions): void {
  const { healthy = () => true, ready = () => true, traffic } = options
  app.get('/healthz', (context) => report(context, healthy))
  app.get('/readyz', (context) => report(context, () => !traffic.closing && ready()))
}

async function report(context: Context, check: Check): Promise<Response> {
  let ok = false
  try {
    ok = await check()
  } catch {
    // Why is for whoever made the check to say; a probe only asks whether.
  }
  context.header('cache-control', 'no-store')
  return context.json({ status: ok ? 'ok' : 'unavailable' }, ok ? 200 : 503)
}
