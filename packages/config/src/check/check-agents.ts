import { readFieldName } from '../field-name.ts'
import type { Findings } from '../read/findings.ts'
import { memberOf, type SourceMap, type SourceNode, textOf } from '../read/source-tree.ts'
import { itemsOf } from './items-of.ts'

/** Finds agents that contradict one another or what is published, and prompts that nobody could ask for. */
export function checkAgents(root: SourceMap, findings: Findings): void {
  const agents = itemsOf(root.members.get('agents'))
  checkDefaults(agents, findings)
  const subagents = agents.filter(([, agent]) => textOf(memberOf(agent, 'mode')) === 'subagent')
  checkPublished(root, new Set(subagents.map(([name]) => name)), findings)
  for (const [, agent] of agents) checkOutput(memberOf(agent, 'output'), findings)
  for (const [, prompt] of itemsOf(root.members.get('prompts'))) {
    for (const [key, field] of itemsOf(memberOf(prompt, 'input'))) checkInput(key, field, findings)
  }
}

function checkDefaults(agents: readonly [string, SourceNode][], findings: Findings): void {
  let first: string | undefined
  for (const [name, agent] of agents) {
    const node = memberOf(agent, 'default')
    if (!node || textOf(node) !== 'true') continue
    if (textOf(memberOf(agent, 'mode')) === 'subagent') {
      findings.wrongKey(
        node,
        `${name} is a subagent, which people do not chat with; one of mode and default must go`,
      )
    } else if (first !== undefined) {
      findings.wrongKey(node, `${first} is the default agent already; one of the two must go`)
    } else first = name
  }
}

/** What only agents may chat with cannot be published. */
function checkPublished(root: SourceMap, subagents: ReadonlySet<string>, findings: Findings): void {
  const keys = itemsOf(memberOf(root.members.get('http'), 'keys'))
  const published = [
    root.members.get('publish'),
    ...itemsOf(root.members.get('groups')).map(([, group]) => group),
    ...keys.map(([, key]) => memberOf(key, 'publish')),
  ]
  for (const publish of published) {
    for (const list of ['include', 'entrypoint', 'mcpServers']) {
      for (const [, item] of itemsOf(memberOf(publish, list))) {
        const [name = ''] = (textOf(item) ?? '').split(/[/:]/, 1)
        if (!subagents.has(name)) continue
        findings.wrongValue(
          item,
          `${name} is a subagent: only other agents chat with it; leave it out here, or give it mode: chat`,
        )
      }
    }
  }
}

/** An answer that has a shape is an object. */
function checkOutput(output: SourceNode | undefined, findings: Findings): void {
  const type = memberOf(memberOf(output, 'schema'), 'type')
  if (!type || textOf(type) === 'object') return
  findings.wrongValue(type, 'expected object: an answer that has a shape is an object')
}

/** A prompt's arguments are texts (MCP, prompts/get). */
function checkInput(key: string, field: SourceNode, findings: Findings): void {
  const read = readFieldName(key)
  if (!read) return
  if (read.list || memberOf(field, 'fields')) {
    findings.wrongKey(field, 'expected a single value: what a prompt is given is text')
  } else if (read.type !== 'string') {
    findings.warn(
      field,
      `is taken as text: what a prompt is given is not checked to be ${read.type}`,
    )
  }
}
