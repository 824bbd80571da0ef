import { findNetwork } from '@mobius-mcp/sandbox'
import { expect, test } from 'vitest'

const hosts: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['198.41.0.4'],
  'inside.example': ['10.1.2.3', 'fd12::1'],
  'mixed.example': ['10.1.2.3', '198.41.0.4'],
  localhost: ['127.0.0.1', '::1'],
  'metadata.example': ['169.254.169.254'],
  'nowhere.example': [],
}

async function lookup(hostname: string) {
  const addresses = hosts[hostname]
  if (!addresses) throw new Error('ENOTFOUND')
  return addresses.map((address) => ({ address, family: 0 }))
}

test.each([
  ['https://public.example/', 'public'],
  ['https://inside.example/', 'private'],
  ['https://mixed.example/', 'public'],
  ['http://localhost:3000/', 'loopback'],
  ['https://metadata.example/', 'public'],
  ['https://nowhere.example/', 'public'],
  ['https://unknown.example/', 'public'],
  ['http://127.0.0.1/', 'loopback'],
  ['http://[::1]/', 'loopback'],
  ['https://192.168.1.1/', 'private'],
  ['https://169.254.169.254/', 'public'],
])('%s stands in a network that is %s', async (url, network) => {
  expect(await findNetwork(new URL(url), lookup)).toBe(network)
})
