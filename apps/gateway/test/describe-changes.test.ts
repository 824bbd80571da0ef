import { diffConfiguration, parseConfig } from '@mobius-mcp/config'
import { expect, test } from 'vitest'
import { describeChanges } from '../src/describe-changes.ts'

const before = `mcpServers: { files: { command: x } }
agents: { main: { instructions: Help. }, other: }
models: { default: local/a, providers: { local: { baseUrl: "http://127.0.0.1:1" } } }
prompts: { greet: Hello }
env: { TEAM: { optional: true } }
`

/** What people read when this takes the place of that. */
function told(after: string): string[] {
  const parse = (text: string) => parseConfig(text, { file: 'mobius.yaml' })
  return describeChanges(diffConfiguration(parse(before), parse(after)))
}

test('whatever is different of agents, models, prompts and variables has a line', () => {
  const after = before
    .replace('Help.', 'Answer.')
    .replace('local/a', 'local/b')
    .replace(':1"', ':2"')
    .replace('Hello', 'Hi')
    .replace('optional: true', 'default: web')
  expect(told(after)).toEqual([
    'agent main: changed',
    'prompt greet: changed',
    'models of local: changed',
    'variable TEAM: changed',
    'names or prices of models: changed',
  ])
})

test('who comes or goes is all that is told of what is seen', () => {
  expect(told(before.replace('other:', 'new:'))).toEqual([
    'agent new: added',
    'agent other: removed',
  ])
  expect(told(before.replace('other:', 'other: { default: true }'))).toEqual([
    'the agents that people are led to: changed',
  ])
  expect(told(`${before}publish: [files]`)).toEqual(['what clients see: changed'])
})
