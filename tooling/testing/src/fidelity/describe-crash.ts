import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { nonceKey } from '../probe/session.ts'
import { sdkV1 } from './driver-v1.ts'
import { sdkV2 } from './driver-v2.ts'
import { openStage, type Stage } from './stage.ts'
import type { CrashSubject } from './target.ts'

const inFlight = 5

/** What a dead server looks like from here, by how it is reached. */
const causes = {
  stdio: /SIGKILL|killed|signal|exited/i,
  http: /clos|reset|lost|ended|terminated|refused|ECONN|hang up/i,
} as const

/** Tests of what a client sees when the server behind a gateway is killed. */
export function describeCrash(name: string, subject: CrashSubject): void {
  describe(name, { timeout: 20_000 }, () => {
    test.each([sdkV1, sdkV2])(
      'calls in flight to a killed server fail within a second, naming it and why; the next succeeds: $name',
      async (driver) => {
        await using stage = await openStage(subject, driver)
        const nonces = Array.from({ length: inFlight }, () => randomUUID())
        const calls = nonces.map((nonce) => startWaiting(stage, nonce))
        const { pid } = await stage.state({ opened: nonces.map((nonce) => `started ${nonce}`) })
        const killed = performance.now()
        process.kill(Number(pid), 'SIGKILL')
        await Promise.all(calls)
        expect(performance.now() - killed).toBeLessThan(1_000)
        for (const nonce of nonces) {
          const error = {
            code: expect.any(Number),
            message: expect.stringContaining(subject.server),
          }
          expect(stage.find(nonce).near?.answer).toMatchObject({ error })
          expect(JSON.stringify(stage.find(nonce).near?.answer)).toMatch(causes[subject.upstream])
        }
        await stage.target.restartProbe?.()
        const next = await stage.exchange('tools/call', {
          name: 'echo',
          arguments: { after: 'it' },
        })
        expect(next.near.answer).toHaveProperty('result')
        expect((await stage.state({})).pid).not.toBe(pid)
      },
    )
  })
}

/** Settles when the call does, however that may be. */
function startWaiting({ client, subject }: Stage, nonce: string): Promise<unknown> {
  const params = { name: subject.publicName('wait'), arguments: {}, _meta: { [nonceKey]: nonce } }
  return client.request('tools/call', params).catch(() => undefined)
}
