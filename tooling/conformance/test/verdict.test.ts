import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Check, readScenarios } from '../src/suite.ts'
import { judge, type Verdict } from '../src/verdict.ts'

const requirements = { scored: ['ping', 'tools-list'], unscored: ['server-sse-polling'] }
const valid: Check = { id: 'wire-schema-valid', status: 'SUCCESS' }

test('a target passes when every scored scenario confirmed something and nothing failed', () => {
  expect(
    judgeRun({ ping: [success('ping'), valid], 'tools-list': [success('tools-list')] }),
  ).toEqual({
    ok: true,
    scored: [
      { scenario: 'ping', passed: 2, failed: 0, ok: true, complaints: [] },
      { scenario: 'tools-list', passed: 1, failed: 0, ok: true, complaints: [] },
    ],
    unscored: [
      {
        scenario: 'server-sse-polling',
        passed: 0,
        failed: 0,
        ok: false,
        complaints: ['did not run to its end'],
      },
    ],
    problem: undefined,
  })
})

test('a scored scenario that did not run fails the target although the suite exits with 0', () => {
  const verdict = judgeRun({ ping: [success('ping')] })
  expect(verdict.ok).toBe(false)
  expect(verdict.scored[1]?.complaints).toEqual(['did not run to its end'])
})

test('a scored scenario with warnings and valid messages alone fails the target', () => {
  const verdict = judgeRun({
    ping: [success('ping')],
    'tools-list': [valid, { id: 'session', status: 'WARNING', errorMessage: 'no session id' }],
  })
  expect(verdict.ok).toBe(false)
  expect(verdict.scored[1]?.complaints).toEqual([
    'confirmed nothing',
    'warned session: no session id',
  ])
})

test('one failed check among passed ones fails the target', () => {
  const verdict = judgeRun(
    {
      ping: [success('ping'), { id: 'wire-schema-valid', status: 'FAILURE', errorMessage: 'bad' }],
      'tools-list': [success('tools-list')],
    },
    1,
  )
  expect(verdict.ok).toBe(false)
  expect(verdict.problem).toBeUndefined()
  expect(verdict.scored[0]).toMatchObject({
    ok: false,
    complaints: ['failed wire-schema-valid: bad'],
  })
})

test('an unscored failure does not fail the target', () => {
  const verdict = judgeRun({
    ping: [success('ping')],
    'tools-list': [success('tools-list')],
    'server-sse-polling': [{ id: 'resume', status: 'FAILURE' }],
  })
  expect(verdict.ok).toBe(true)
  expect(verdict.unscored[0]?.complaints).toEqual(['failed resume: no message'])
})

test('an exit code that no failed check explains fails the target and shows what was printed', () => {
  const verdict = judgeRun({ ping: [success('ping')], 'tools-list': [success('tools-list')] }, 1)
  expect(verdict.ok).toBe(false)
  expect(verdict.problem).toBe('the suite ended with 1:\nits last words')
})

test('scenarios are read by name, and one without results counts as not run', async () => {
  const results = await mkdtemp(join(tmpdir(), 'mobius-verdict-'))
  onTestFinished(() => rm(results, { recursive: true }))
  const finished = join(results, 'server-server-sse-polling-2026-11-29T21-45-15-338Z')
  await mkdir(finished)
  await mkdir(join(results, 'server-ping-2026-11-29T21-45-14-399Z'))
  await writeFile(join(finished, 'checks.json'), JSON.stringify([{ ...valid, name: 'extra' }]))
  expect([...readScenarios(results)]).toEqual([['server-sse-polling', [valid]]])
})

function judgeRun(scenarios: Record<string, Check[]>, exit = 0): Verdict {
  return judge(requirements, {
    exit,
    output: 'its last words',
    scenarios: new Map(Object.entries(scenarios)),
  })
}

function success(id: string): Check {
  return { id, status: 'SUCCESS' }
}
