/** Mobius behind HTTP, as a host with sessions and Host check: the echo in process, or in front of an upstream. */
import { createHttpHost } from '@mobius-mcp/http-host'
import type { HttpSubject, HttpSubjectOptions } from './contract.ts'
import { createMobius, publicEcho, watching } from './mobius-service.ts'
import { serveHono } from './serve-hono.ts'

export async function start({ upstream, hooked }: HttpSubjectOptions): Promise<HttpSubject> {
  const { published, close } = createMobius(upstream, hooked ? watching : undefined)
  const host = createHttpHost({ route: (path) => (path === '/mcp' ? published : undefined) })
  const served = await serveHono({
    fetch: host.fetch,
    async close() {
      await host.close()
      await close()
    },
  })
  return { ...served, tool: publicEcho }
}
