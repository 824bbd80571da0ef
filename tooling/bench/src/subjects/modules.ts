import type { OpenInProcessSubject, StartHttpSubject } from './contract.ts'

/** Names of subjects that serve HTTP. */
export type HttpModuleName = 'direct-http' | 'hono-echo' | 'hono-relay' | 'mobius-http' | 'sdk-http'

/** Names of subjects that are called in process. */
export type InProcessModuleName = 'mobius-in-process' | 'mobius-hooked' | 'sdk-in-memory'

/** Where each is; it runs in a process of its own, so nothing is imported before it is asked for. */
export const httpModules: Record<HttpModuleName, () => Promise<{ start: StartHttpSubject }>> = {
  'direct-http': () => import('./direct-http.ts'),
  'hono-echo': () => import('./hono-echo.ts'),
  'hono-relay': () => import('./hono-relay.ts'),
  'mobius-http': () => import('./mobius-http.ts'),
  'sdk-http': () => import('./sdk-http.ts'),
}

export const inProcessModules: Record<
  InProcessModuleName,
  () => Promise<{ open: OpenInProcessSubject }>
> = {
  'mobius-in-process': () => import('./mobius-in-process.ts'),
  'mobius-hooked': () => import('./mobius-hooked.ts'),
  'sdk-in-memory': () => import('./sdk-in-memory.ts'),
}
