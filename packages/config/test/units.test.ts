import { expect, test } from 'vitest'
import { parseDuration, parseListenAddress } from '../src/index.ts'
import { nearest } from '../src/nearest.ts'
import { parseBytes } from '../src/units.ts'

test.each([
  [30, 30_000],
  [0.5, 500],
  ['30', 30_000],
  ['500ms', 500],
  ['1.5s', 1500],
  ['5 m', 300_000],
  ['2H', 7_200_000],
  ['24d', 2_073_600_000],
  ['off', Number.POSITIVE_INFINITY],
])('%s lasts %d milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

test.each([
  0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  '0s',
  '-5s',
  '5x',
  '25d',
  '1e3',
  'ever',
  'constructor',
])('%s is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})

test.each([
  [1, 1],
  ['1', 1],
  ['1 kB', 1000],
  ['1KiB', 1024],
  ['8 MiB', 8_388_608],
  ['1.5 GB', 1_500_000_000],
])('%s is %d bytes', (text, bytes) => {
  expect(parseBytes(text)).toBe(bytes)
})

test.each([0, -1, 1e300, '', '1 TB', '1 m', 'x', 'MiB'])('%s is no size', (text) => {
  expect(parseBytes(text)).toBeUndefined()
})

test.each([
  ['127.0.0.1:8420', '127.0.0.1', 8420],
  ['[::1]:0', '::1', 0],
  ['[fe80::1]:80', 'fe80::1', 80],
  ['localhost:65535', 'localhost', 65_535],
  ['my-host.example:1', 'my-host.example', 1],
])('%s is an address', (text, host, port) => {
  expect(parseListenAddress(text)).toEqual({ host, port })
})

test.each([
  ['comand', 'command'],
  ['Command', 'command'],
  ['allowed_hosts', 'allowedHosts'],
  ['commnad', 'command'],
  ['arg', 'args'],
  ['header', 'headers'],
  ['xyz', undefined],
  ['', undefined],
  ['c'.repeat(10_000), undefined],
])('%s was probably meant to be %s', (word, meant) => {
  expect(nearest(word, ['command', 'args', 'cwd', 'url', 'headers', 'allowedHosts'])).toBe(meant)
})
