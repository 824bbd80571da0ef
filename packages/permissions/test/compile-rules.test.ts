import type { OriginKind } from '@mobius-mcp/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compileRuleMatcher,
  compileRules,
  concernsServer,
  parseRule,
  type RuleSubject,
} from '../src/index.ts'
import { agent, callOf, client, toolCall } from './support/calls.ts'

describe('a rule is about', () => {
  test.each([
    // A server: everything that uses it.
    ['github', 'github/search', true],
    ['github', 'github prompts/get review', true],
    ['github', 'github resources/read repo://a', true],
    ['github', 'github resources/subscribe repo://a', true],
    ['github', 'github completion/complete', true],
    ['github', 'github x/whatever', true],
    ['github', 'github2/search', false],
    ['git*', 'github/search', true],
    ['*', '@scope/server/tool', true],
    ['*hub', 'github/search', true],
    ['*', 'github prompts/get review', true],
    // What asks only what is there is no use.
    ['github', 'github tools/list', false],
    ['*', 'github ping', false],
    ['github:*', 'github tools/list', true],
    ['*:tools/list', 'github tools/list', true],
    // A tool: its calls, and nothing else of the same name.
    ['github/search', 'github/search', true],
    ['github/search', 'github/search2', false],
    ['github/search', 'github prompts/get search', false],
    ['github/*', 'github/search', true],
    ['github/*', 'github prompts/get review', false],
    ['github/delete_*', 'github/delete_repo', true],
    ['github/delete_*', 'github/undelete_repo', false],
    ['github/*_*_x', 'github/a_b_x', true],
    ['github/*_*_x', 'github/a_x', false],
    ['*/delete_*', 'github/delete_repo', true],
    ['*/delete_*', '@scope/server/delete_repo', true],
    ['*/*', 'github/search', true],
    ['*/*', 'github prompts/get review', false],
    // Names with slashes.
    ['@scope/server', '@scope/server/tool', true],
    ['@scope/*', '@scope/server/tool', true],
    ['@scope/*', '@scope/server prompts/get x', true],
    ['@scope/server/t*', '@scope/server/tool', true],
    ['@scope/server/t*', '@scope/other/tool', false],
    // A method.
    ['github:prompts/get', 'github prompts/get review', true],
    ['github:prompts/*', 'github prompts/get review', true],
    ['github:prompts/get', 'github resources/read a', false],
    ['github:tools/call', 'github/search', true],
    ['git*:tools/call', 'github/search', true],
    ['github:tools/call', 'gitlab/search', false],
  ])('%s: %s: %s', (rule, call, expected) => {
    expect(compileRuleMatcher(rule)(callOf(call))).toBe(expected)
    expect(compileRules({ deny: [rule] })(callOf(call)).decision).toBe(expected ? 'deny' : 'allow')
  })

  test('no tool that calls itself like the servers it allows', () => {
    const { decision } = compileRules({ allow: ['*-safe', '*-safe/*', 'team-*/read*'] })(
      toolCall('evil', 'x-safe', {}, agent),
    )
    expect(decision).toBe('deny')
    const rules = compileRules({ allow: ['*-safe/*', 'team-*/read*'] })
    expect(rules(toolCall('evil', 'x-safe/y', {}, agent)).decision).toBe('deny')
    expect(rules(toolCall('team-a', 'delete/read', {}, agent)).decision).toBe('deny')
    expect(rules(toolCall('team-a', 'read', {}, agent)).decision).toBe('allow')
  })

  test('servers by name, so that a misspelt one can be told', () => {
    const concerns = (rule: string, server: string) => concernsServer(parseRule(rule), server)
    expect(concerns('github/x', 'github')).toBe(true)
    expect(concerns('githb/x', 'github')).toBe(false)
    expect(concerns('githb', 'github')).toBe(false)
    expect(concerns('github:ping', 'github')).toBe(true)
    expect(concerns('github/x:ping', 'github')).toBe(false)
    expect(concerns('*/x', 'github')).toBe(true)
  })
})

describe('of several rules', () => {
  const rules = compileRules({
    deny: ['github/delete_*', 'secret'],
    ask: ['github/create_*', 'github/delete_*'],
    allow: ['github', 'secret/really/special', 'fs/read(path: /srv/*)'],
  })

  test.each([
    ['github/delete_repo', 'deny github/delete_*'],
    ['github/create_issue', 'ask github/create_*'],
    ['github/search', 'allow github'],
    ['secret/special', 'deny secret'],
    ['other/search', "default: a client's own call"],
    ['other ping', 'default: a request that only asks what is there'],
  ])('%s: %s', (call, rule) => {
    const decided = rules(callOf(call))
    expect(decided.rule).toBe(rule)
    if (!rule.startsWith('default')) expect(rule).toMatch(new RegExp(`^${decided.decision} `))
  })

  test('a deny wins, whatever else there is, and is named', () => {
    const names = fc.constantFrom('a', 'b', 'a/x', 'a/*', '*', '*/x', 'a/x(k: v)', 'a:tools/*')
    const lists = fc.record({ allow: fc.array(names), ask: fc.array(names), deny: fc.array(names) })
    const kinds = fc.constantFrom<OriginKind>(
      'client',
      'agent',
      'hook',
      'workflow',
      'task',
      'script',
    )
    fc.assert(
      fc.property(lists, kinds, (given, kind) => {
        const call = toolCall('a', 'x', { k: 'v' }, { kind })
        const { decision, rule } = compileRules(given)(call)
        const denying = given.deny.find((text) => compileRuleMatcher(text)(call))
        if (denying === undefined) expect(rule).not.toMatch(/^deny/)
        else expect({ decision, rule }).toEqual({ decision: 'deny', rule: `deny ${denying}` })
      }),
    )
  })

  test('the order within a list means nothing', () => {
    const deny = ['a/x', '*/y', 'b']
    const rules = [deny, deny.toReversed()].map((list) => compileRules({ deny: list }))
    for (const call of ['a/x', 'a/y', 'b/z', 'c/z']) {
      expect(rules.map((decide) => decide(callOf(call)).decision)).toEqual(
        Array(2).fill(call === 'c/z' ? 'allow' : 'deny'),
      )
    }
  })

  test('one that is no rule is refused with its place', () => {
    expect(() => compileRules({ allow: ['fine'], deny: ['not/'] })).toThrow(/"not\/"/)
  })
})

describe('where no rule holds', () => {
  const decide = compileRules({ allow: ['github/search'] })

  test.each<{ kind: OriginKind; decision: string; rule: string }>([
    { kind: 'client', decision: 'allow', rule: "default: a client's own call" },
    { kind: 'hook', decision: 'allow', rule: "default: a hook's own call" },
    { kind: 'agent', decision: 'deny', rule: 'default: what an agent does needs an allow rule' },
    {
      kind: 'workflow',
      decision: 'deny',
      rule: 'default: what a workflow does needs an allow rule',
    },
    { kind: 'task', decision: 'deny', rule: 'default: what a task does needs an allow rule' },
    { kind: 'script', decision: 'deny', rule: 'default: what a script does needs an allow rule' },
  ])('$kind: $decision', ({ kind, decision, rule }) => {
    const origin = { kind, cause: client }
    expect(decide(toolCall('x', 'y', {}, origin))).toEqual({ decision, rule })
    expect(decide(callOf('x resources/read u', {}, origin))).toEqual({ decision, rule })
    expect(decide(toolCall('github', 'search', {}, origin)).rule).toBe('allow github/search')
    expect(decide(callOf('x tools/list', {}, origin)).decision).toBe('allow')
  })

  test('the chain counts, not who stands last', () => {
    const through = { kind: 'client', cause: { kind: 'script', cause: client } } as const
    expect(decide(toolCall('x', 'y', {}, through)).rule).toMatch(/what a script does/)
  })

  test('a hook acts for whoever configured it, whatever it looks at', () => {
    const hook = { kind: 'hook', name: 'guard', cause: agent } as const
    expect(decide(toolCall('guard', 'check', {}, hook)).decision).toBe('allow')
    const rules = compileRules({ deny: ['shell'], ask: ['*'] })
    expect(rules(toolCall('guard', 'check', {}, hook)).rule).toBe("default: a hook's own call")
    expect(rules(toolCall('shell', 'run', {}, hook)).rule).toBe('deny shell')
    const byHook = { kind: 'agent', cause: hook } as const
    expect(decide(toolCall('x', 'y', {}, byHook)).decision).toBe('deny')
  })

  test('other defaults may be given', () => {
    const rules = compileRules({ defaults: { client: 'deny', agent: 'ask' } })
    expect(rules(callOf('x/y')).rule).toBe("default: a client's own call needs an allow rule")
    expect(rules(toolCall('x', 'y', {}, { kind: 'agent' }))).toEqual({
      decision: 'ask',
      rule: 'default: what an agent does needs an approval',
    })
    expect(rules(toolCall('x', 'y', {}, agent)).decision).toBe('deny')
  })

  test('what is known to only read needs no rule, unless somebody wants it otherwise', () => {
    const onlyReads = ({ server, name }: RuleSubject) => server === 'system' && name === 'read'
    const rules = compileRules({ deny: ['system/read(path: /etc/*)'] }, { onlyReads })
    expect(rules(toolCall('system', 'read', {}, agent))).toEqual({
      decision: 'allow',
      rule: 'default: a tool that only reads',
    })
    expect(rules(toolCall('system', 'read', { path: '/etc/x' }, agent)).decision).toBe('deny')
    expect(rules(toolCall('system', 'write', {}, agent)).decision).toBe('deny')
    expect(rules(toolCall('system', 'read')).rule).toBe("default: a client's own call")
    const strict = compileRules({ defaults: { agent: 'deny' } }, { onlyReads })
    expect(strict(toolCall('system', 'read', {}, agent)).decision).toBe('deny')
  })

  test('what nobody knows is refused', () => {
    const origin = { kind: 'robot' as OriginKind }
    expect(decide(toolCall('x', 'y', {}, origin)).decision).toBe('deny')
  })
})

test('however many servers are named, only so many are remembered, and all are judged alike', () => {
  const rules = compileRules({ deny: ['*7/x'] })
  for (let index = 0; index < 3000; index += 1) {
    const { decision } = rules(toolCall(`s${index}`, 'x'))
    expect(decision).toBe(index % 10 === 7 ? 'deny' : 'allow')
  }
})
