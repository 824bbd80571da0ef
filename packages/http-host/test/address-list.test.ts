import { expect, test } from 'vitest'
import { createAddressList } from '../src/address-list.ts'

test.each([
  ['10.0.0.7', '10.0.0.7', true],
  ['10.0.0.7', '10.0.0.8', false],
  ['10.0.0.7', '::ffff:10.0.0.7', true],
  ['::ffff:10.0.0.7', '10.0.0.7', true],
  ['172.16.0.0/12', '172.31.255.255', true],
  ['172.16.0.0/12', '172.32.0.0', false],
  ['0.0.0.0/0', '8.8.8.8', true],
  ['0.0.0.0/0', '::1', false],
  ['::/0', '8.8.8.8', true],
  ['::1', '0:0:0:0:0:0:0:1', true],
  ['fd00::/8', 'FD12:3456::1', true],
  ['fd00::/8', 'fe80::1%eth0', false],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['127.0.0.1', 'localhost', false],
  ['127.0.0.1', '', false],
])('%s holds %s: %s', (entry, address, expected) => {
  expect(createAddressList([entry])(address)).toBe(expected)
})

test.each([
  '',
  'localhost',
  '10.0.0',
  '10.0.0.256',
  '10.0.0.0/x',
  '1::2::3',
  '::/129',
  '1/2/3',
  ':::',
])('no address: %s', (entry) => {
  expect(() => createAddressList([entry])).toThrow(TypeError)
})
