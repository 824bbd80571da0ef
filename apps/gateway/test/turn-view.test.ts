import { PassThrough } from 'node:stream'
import type { JsonObject } from '@mobius-mcp/protocol'
import { expect, test } from 'vitest'
import { createScreen } from '../src/chat/screen.ts'
import { createTurnView } from '../src/chat/turn-view.ts'

function show(...events: readonly JsonObject[]): string {
  // Not a terminal, so without styles.
  const stream = new PassThrough() as unknown as NodeJS.WriteStream
  const view = createTurnView(createScreen(stream))
  for (const event of events) view.show(event)
  view.end()
  return String(stream.read() ?? '')
}

const delta = (text: string, type = 'text-delta', id = '1') => ({ type, id, text })

test('what comes in pieces is one text, also where a piece ends within a character or a line', () => {
  expect(show(delta('a'), delta('b\r'), delta('\nc \ud83d'), delta('\ude00'))).toBe('ab\nc 😀\n')
})

test('an escape sequence in pieces is none either', () => {
  expect(show(delta('x\u001b'), delta('[2Jy'))).toBe('x\\u001b[2Jy\n')
  expect(show(delta('x\ud83d'))).toBe('x\\ud83d\n')
})

test('thought, speech and calls each begin on a line of their own', () => {
  const shown = show(
    delta('hm', 'reasoning-delta'),
    delta('Let me look.'),
    { type: 'tool-call', id: 'c', name: 'read', arguments: { path: 'a\u001b' } },
    { type: 'tool-progress', id: 'c', message: 'half\u0007way' },
    { type: 'tool-result', id: 'c', name: 'read', isError: true, text: 'no such\nfile' },
    delta('It is not there.'),
    { type: 'turn-end', reason: 'limit', text: '[Stopped: enough]' },
    { type: 'of-a-later-version' },
  )
  expect(shown).toMatchInlineSnapshot(`
    "hm
    Let me look.
    → read {"path":"a\\u001b"}
      half\\u0007way
    ✗ read: no such\\nfile
    It is not there.
    [Stopped: enough]
    "
  `)
})

test('what is done in the turn of an agent that is called stands under its call', () => {
  const nested = (event: JsonObject) => ({ type: 'tool-progress', id: 'c', thread: 't', event })
  const shown = show(
    { type: 'tool-call', id: 'c', name: 'chat-with-helper', arguments: { prompt: 'x' } },
    nested(delta('not shown')),
    nested({ type: 'tool-call', id: 'd', name: 'note', arguments: {} }),
    nested({ type: 'tool-result', id: 'd', name: 'note', isError: false, text: 'done' }),
    { type: 'tool-result', id: 'c', name: 'chat-with-helper', isError: false, text: 'all done' },
  )
  expect(shown).toMatchInlineSnapshot(`
    "→ chat-with-helper {"prompt":"x"}
      → note
      ← note: done
    ← chat-with-helper: all done
    "
  `)
})

test('what is told while something is asked is shown afterwards, in its order', () => {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream
  const screen = createScreen(stream)
  screen.write('begun')
  screen.fresh()
  const release = screen.hold()
  screen.write('one')
  screen.line('two')
  expect(String(stream.read())).toBe('begun\n')
  release()
  release()
  expect(String(stream.read())).toBe('one\ntwo\n')
})
