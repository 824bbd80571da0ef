/**
 * A stdio MCP server that answers at once: `node stdio.ts [--tools 10] [--mark FILE]`.
 * With `--mark` it appends its process id to the file, so that a test can tell whether it was started.
 */
import { appendFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { answerEcho, type EchoMessage, listEchoTools } from './answer.ts'

const { values } = parseArgs({ options: { tools: { type: 'string' }, mark: { type: 'string' } } })
if (values.mark !== undefined) appendFileSync(values.mark, `${process.pid}\n`)
const tools = listEchoTools(Number(values.tools ?? 2))

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop() ?? ''
  let answers = ''
  for (const line of lines) answers += answerLine(line)
  if (answers !== '') process.stdout.write(answers)
})
process.stdin.on('end', () => process.exit(0))

function answerLine(line: string): string {
  if (line.trim() === '') return ''
  // What is not a message is a fault of whoever benches; the crash says where.
  const answer = answerEcho(JSON.parse(line) as EchoMessage, tools)
  return answer === undefined ? '' : `${JSON.stringify(answer)}\n`
}
