import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import type { HttpSubject } from './contract.ts'

interface HonoSubjectOptions {
  fetch: (request: Request) => Response | Promise<Response>
  close?: () => Promise<void>
}

/** Serves a fetch handler on a free loopback port. */
export async function serveHono({ fetch, close }: HonoSubjectOptions): Promise<HttpSubject> {
  const { promise, resolve } = Promise.withResolvers<AddressInfo>()
  const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, resolve)
  const { port } = await promise
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    tool: 'echo',
    async close() {
      await close?.()
      server.close()
    },
  }
}
