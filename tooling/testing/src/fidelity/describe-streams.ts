import { afterAll, beforeAll, describe } from 'vitest'
import { judgeAnswers } from './judge-answers.ts'
import { judgeKeepAlive } from './judge-keep-alive.ts'
import { judgeResuming } from './judge-resuming.ts'
import { judgeSlowReaders } from './judge-slow-readers.ts'
import { openRawSession, type RawSession } from './raw-session.ts'
import type { FidelityTarget, StreamSubject } from './target.ts'

/** Tests of Streamable HTTP at the socket, with no SDK at this end. */
export function describeStreams(name: string, subject: StreamSubject): void {
  describe(name, { timeout: 15_000 + 3 * subject.keepAliveMs }, () => {
    let target: FidelityTarget
    beforeAll(async () => {
      target = await subject.open()
    }, 15_000)
    afterAll(async () => {
      await target?.[Symbol.asyncDispose]()
    })
    const open = (): Promise<RawSession> => {
      if (target.endpoint.kind !== 'http') {
        throw new Error('Streams are judged over HTTP only.')
      }
      return openRawSession(target.endpoint.url)
    }
    judgeAnswers(subject, open)
    judgeKeepAlive(subject, open)
    judgeResuming(subject, open)
    judgeSlowReaders(subject, open)
  })
}
