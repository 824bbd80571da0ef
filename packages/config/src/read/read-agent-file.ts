import { basename } from 'node:path'
import { ConfigError, type ConfigProblem } from '../errors.ts'
import { type ReadText, readSource } from './read-source.ts'
import { problemAt, type Source, toSource } from './source.ts'
import { isNothing, plain, type SourceNode, type SourceScalar, toMap } from './source-tree.ts'

/** True for a file that holds an agent. */
export function isAgentFile(file: string): boolean {
  return /\.md$/i.test(file)
}

/**
 * Reads an agent in Markdown, called as its file is: the front matter says what an entry of `agents`
 * would, and the text below is its instructions.
 *
 * @throws ConfigError for front matter that is not YAML or never ends, and nothing else whatever the text.
 */
export function readAgentFile(text: string, file: string): ReadText {
  const whole = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const source: Source = { ...toSource(whole, file), ofAgent: true }
  const front = frontMatterOf(whole, source)
  const { root, problems } = readSource(front.text, file, source)
  const found = [...problems]
  const members = new Map(root.kind === 'map' ? root.members : [])
  if (root.kind !== 'map' && !isNothing(root)) {
    found.push(problem(root, 'expected keys with values between the lines of ---'))
  }
  const own = members.get('instructions')
  const body = bodyOf(whole, front.end, source)
  if (body) members.set('instructions', body)
  const place = { source, offset: 0, keyOffset: 0, path: [] }
  const name = basename(file).replace(/\.md$/i, '')
  return {
    root: toMap(
      place,
      new Map([['agents', toMap(place, new Map([[name, toMap(place, members)]]))]]),
    ),
    problems: found,
    warnings:
      own && body ? [problem(own, 'is not read: the text below says it', 'NOT_HONOURED')] : [],
  }
}

/** The front matter in the place where it stands, and where it ends. */
function frontMatterOf(whole: string, source: Source): { text: string; end: number } {
  if (!/^---[ \t]*(?:\n|$)/.test(whole)) return { text: '', end: 0 }
  const closing = /\n[ \t]*---[ \t]*(?:\n|$)/.exec(whole)
  if (!closing) {
    const message =
      'not valid YAML: the front matter begins here and never ends; a line --- is missing'
    const problems = [problemAt(source, 0, { code: 'SYNTAX', path: [], message })]
    throw new ConfigError('CONFIG_INVALID', { file: source.file, problems })
  }
  const end = closing.index + closing[0].length
  return { text: `   ${whole.slice(3, closing.index)}`, end }
}

function bodyOf(whole: string, from: number, source: Source): SourceScalar | undefined {
  const rest = whole.slice(from)
  const body = rest.trim()
  if (body === '') return undefined
  const offset = from + rest.indexOf(body)
  const place = { source, offset, keyOffset: offset, path: ['instructions'] }
  return { kind: 'scalar', ...place, ...plain, value: body, text: body, prose: true }
}

function problem(
  node: SourceNode,
  message: string,
  code: ConfigProblem['code'] = 'WRONG_VALUE',
): ConfigProblem {
  return problemAt(node.source, node.keyOffset, { code, path: node.path, message })
}
