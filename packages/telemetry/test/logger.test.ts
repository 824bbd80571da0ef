import { createTestClock } from '@mobius-mcp/testing'
import { describe, expect, test } from 'vitest'
import { type AdjustableLogger, createLogger, type LoggerOptions, logCalls } from '../src/log.ts'
import { eventOf } from './support/events.ts'

interface Written {
  readonly logger: AdjustableLogger
  readonly lines: string[]
}

function createWritten(options: LoggerOptions = {}, isTTY: boolean = false): Written {
  const lines: string[] = []
  const destination = { isTTY, write: (line: string) => lines.push(line) }
  return { lines, logger: createLogger({ clock: createTestClock(), destination, ...options }) }
}

describe('a log for programs', () => {
  test('has a line of JSON for each entry', () => {
    const { logger, lines } = createWritten()
    logger.info('listening', { port: 8080 })
    logger.warn('slow')
    expect(lines).toEqual([
      '{"level":"info","time":"2026-01-01T00:00:00.000Z","port":8080,"message":"listening"}\n',
      '{"level":"warn","time":"2026-01-01T00:00:00.000Z","message":"slow"}\n',
    ])
  })

  test('is written from a level on', () => {
    const { logger, lines } = createWritten({ level: 'warn' })
    logger.info('no')
    logger.error('yes')
    expect([logger.isEnabled('info'), logger.isEnabled('warn')]).toEqual([false, true])
    expect(lines).toHaveLength(1)
    const silent = createWritten({ level: 'silent' })
    silent.logger.error('no')
    expect(silent.lines).toEqual([])
  })

  test('is written from another level on, and for others, once it is adjusted; its children too', () => {
    const { logger, lines } = createWritten({ level: 'error' })
    const child = logger.child({ call: 'c1' })
    child.info('no')
    logger.adjust({ level: 'debug', format: 'human' })
    child.debug('yes')
    expect(logger.isEnabled('debug')).toBe(true)
    logger.adjust({})
    child.debug('no')
    child.info('again')
    expect(lines).toEqual([
      expect.stringMatching(/^[^{].*yes/),
      '{"level":"info","time":"2026-01-01T00:00:00.000Z","call":"c1","message":"again"}\n',
    ])
  })

  test('has the fields of its parents, the nearest one last, each once', () => {
    const { logger, lines } = createWritten()
    const call = logger.child({ call: 'c1', server: 'github', token: 'abc' })
    call.child({ server: 'files' }).info('x', { call: 'c2' })
    expect(lines[0]).toBe(
      '{"level":"info","time":"2026-01-01T00:00:00.000Z","call":"c2","server":"files","token":"[redacted]","message":"x"}\n',
    )
  })

  test('keeps its own members, whatever fields are called', () => {
    const { logger, lines } = createWritten()
    logger.info('x', { level: 'error', time: 0, message: 'y' })
    expect(lines[0]).toBe(
      '{"level":"info","time":"2026-01-01T00:00:00.000Z","level_":"error","time_":0,"message_":"y","message":"x"}\n',
    )
  })

  test('holds no secret, in messages, fields or errors', () => {
    const { logger, lines } = createWritten({ level: 'debug' })
    logger.debug('GET https://a.example/?key=s3cret', { url: 'https://a.example/?token=s3cret' })
    logger.error('failed', { error: new Error('refused: Bearer s3cret12') })
    logger.info('connect', { headers: { Authorization: 's3cret' }, params: { q: 's3cret' } })
    expect(lines.join('')).not.toContain('s3cret')
    expect(lines).toHaveLength(3)
  })

  test('means what was said, and holds nothing that a terminal obeys', () => {
    const { logger, lines } = createWritten()
    const evil = '\u001b[2J\u009b31m\u202e\u2028"\\'
    logger.info(evil, { server: evil })
    expect(lines[0]).toMatch(/^[\u0020-\u007e]*\n$/)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: evil, server: evil })
  })
})

describe('a log for people', () => {
  test('is what a terminal gets', () => {
    const { logger, lines } = createWritten({ colour: false }, true)
    logger.info('listening', { address: 'http://127.0.0.1:8080/mcp', servers: 3 })
    logger.warn('slow start', { server: 'git hub', list: ['a'], error: new Error('it is "down"') })
    const shown = lines.join('').replace(/^\d\d:\d\d/gm, '00:00')
    expect(shown.replace(/^ {4}at .*\n/gm, '')).toMatchInlineSnapshot(`
      "00:00:00.000 INFO  listening address=http://127.0.0.1:8080/mcp servers=3
      00:00:00.000 WARN  slow start server="git hub" list=["a"] error="it is \\"down\\""
      "
    `)
    expect(shown).toMatch(/\n {4}at /)
  })

  test('is coloured where it is read', () => {
    const { logger, lines } = createWritten({}, true)
    logger.error('x')
    expect(lines[0]).toContain('\u001b[31mERROR\u001b[0m')
  })

  test('can be asked for elsewhere, and JSON in a terminal', () => {
    const human = createWritten({ format: 'human' })
    human.logger.info('x')
    expect(human.lines[0]).toMatch(/ INFO {2}x\n$/)
    const json = createWritten({ format: 'json' }, true)
    json.logger.info('x')
    expect(json.lines[0]).toMatch(/^\{"level":"info"/)
  })

  test('is one line each, with nothing that a terminal obeys', () => {
    const { logger, lines } = createWritten({ colour: false }, true)
    const evil = '\u001b[2J\n\u009b31m\u202e'
    logger.info(evil, { [evil]: evil, list: [evil], error: { message: evil } })
    expect(lines.join('')).toMatch(/^[\u0020-\u007e]*\n$/)
  })
})

describe('calls are logged', () => {
  test('when they have ended, by how: with their ids, without their arguments', () => {
    const { logger, lines } = createWritten({ level: 'debug' })
    const observe = logCalls(logger)
    observe(eventOf('c1'))
    observe(
      eventOf('c2', {
        parent: 'c1',
        outcome: 'denied',
        rule: 'deny github/*',
        error: { code: -32001, message: 'Refused: token=abc' },
      }),
    )
    observe(eventOf('c3', { outcome: 'failed' }))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'debug', call: 'c1', message: 'github/search ok after 12 ms' },
      {
        level: 'warn',
        call: 'c2',
        parent: 'c1',
        rule: 'deny github/*',
        error: { code: -32001, message: 'Refused: token=[redacted]' },
        message: 'github/search denied after 12 ms',
      },
      { level: 'info', call: 'c3' },
    ])
  })

  test('only from the level on', () => {
    const { logger, lines } = createWritten()
    logCalls(logger)(eventOf('c1'))
    expect(lines).toEqual([])
  })
})
