import { expect, test } from 'vitest'
import { escapeLine, showLines, showText } from '../src/index.ts'

const tricks = [
  '\u001b[2J',
  '\u0007',
  '\u009b1m',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u2028',
  '\ufeff',
  '\r',
  '\b',
]

test.each(tricks)('%j is shown, and not obeyed', (trick) => {
  for (const show of [showText, showLines, escapeLine]) {
    const shown = show(`a${trick}b`)
    expect(shown).not.toContain(trick)
    expect(shown).toMatch(/^a\\[ur].*b$/)
  }
})

test('lines of prose stay lines, with their tabs and with what joins letters', () => {
  const prose = 'one\n\ttwo\u200c\u200d \u{1f468}\u200d\u{1f469}'
  expect(showLines(`${prose}\r\nlast`)).toBe(`${prose}\nlast`)
  expect(showText('one\n\ttwo')).toBe('one\\n\\ttwo')
})

test('half a character is shown as what it is', () => {
  expect(showLines('a\ud83db\ude00')).toBe('a\\ud83db\\ude00')
  expect(showLines('\u{1f600}')).toBe('\u{1f600}')
})
