import { afterAll, beforeAll, describe } from 'vitest'
import { sdkV1 } from './driver-v1.ts'
import { sdkV2 } from './driver-v2.ts'
import { judgeCalls } from './judge-calls.ts'
import { judgeChanges } from './judge-changes.ts'
import { judgeDocuments } from './judge-documents.ts'
import { judgeLists } from './judge-lists.ts'
import { judgeMessages } from './judge-messages.ts'
import { judgeQuestions } from './judge-questions.ts'
import { openStage, type Stage } from './stage.ts'
import type { FidelitySubject } from './target.ts'

/**
 * Tests that nothing is lost between a client of each official SDK and the probe: the raw JSON that the
 * client's transport saw is compared with the raw JSON that the probe's saw.
 */
export function describeFidelity(name: string, subject: FidelitySubject): void {
  for (const driver of [sdkV1, sdkV2]) {
    describe(`${name}, ${driver.name}`, { timeout: 15_000 }, () => {
      let opened: Stage
      const stage = (): Stage => opened
      beforeAll(async () => {
        opened = await openStage(subject, driver)
      }, 15_000)
      afterAll(async () => {
        await opened?.[Symbol.asyncDispose]()
      })
      judgeLists(stage)
      judgeCalls(stage)
      judgeMessages(stage)
      judgeQuestions(stage)
      judgeDocuments(stage)
      judgeChanges(stage)
    })
  }
}
