import { describe, expect, test } from 'vitest'
import { judgeAddress } from '../src/address.ts'
import { createGuardedFetch } from '../src/index.ts'
import { failureOf } from './server.ts'

const refused: Record<string, readonly string[]> = {
  private: ['10.0.0.1', '172.16.0.1', '192.168.1.1', 'fd12::1', '100.64.0.1'],
  loopback: ['127.0.0.1', '127.8.9.1', '::1'],
  special: [
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    'fd00:ec2::254',
    'fe80::1',
    '224.0.0.1',
    'ff02::1',
    '0.0.0.0',
    '::',
    '255.255.255.255',
    '192.0.2.1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:1::',
    '5f00::1',
    'no address',
  ],
  public: ['8.8.8.8', '1.1.1.1', '2606:4700::1111'],
}

test('every address is judged by its range, and what is not public is refused', () => {
  for (const [kind, addresses] of Object.entries(refused)) {
    for (const address of addresses) {
      expect([address, judgeAddress(address).kind]).toEqual([address, kind])
    }
  }
})

describe('a URL is refused before anything is sent', () => {
  const fetch = createGuardedFetch({
    fetch: () => {
      throw new Error('it was sent')
    },
  })
  test.each([
    ['https://10.1.2.3/a?key=secret', 'FETCH_ADDRESS'],
    ['https://[::ffff:127.0.0.1]/', 'FETCH_ADDRESS'],
    ['https://2130706433/', 'FETCH_ADDRESS'],
    ['https://0x7f.1/', 'FETCH_ADDRESS'],
    ['https://169.254.169.254/latest/meta-data', 'FETCH_ADDRESS'],
    ['http://example.com/', 'FETCH_SCHEME'],
    ['http://127.0.0.1/', 'FETCH_ADDRESS'],
    ['file:///etc/passwd', 'FETCH_SCHEME'],
    ['data:text/plain,hello', 'FETCH_SCHEME'],
    ['not a url', 'FETCH_SCHEME'],
    ['https://me:secret@example.com/', 'FETCH_CREDENTIALS'],
  ])('%s', async (url, code) => {
    const error = await failureOf(fetch(url))
    expect(error.code).toBe(code)
    expect(error.message).not.toContain('secret')
  })
})

test('a refusal names the rule, what was found, and the setting', async () => {
  const lookup = async () => [{ address: '10.0.0.7', family: 4 }]
  const fetch = createGuardedFetch({ lookup })
  const error = await failureOf(fetch('https://intern.example/metadata?token=1'))
  expect(error.message).toMatchInlineSnapshot(
    `"Could not fetch https://intern.example/: only public addresses are fetched from. 10.0.0.7 is a private address. If it is meant, put the host in \`allowedHosts\` or set \`allowPrivate\`."`,
  )
})

test('link-local and metadata addresses are not among what `allowPrivate` allows', async () => {
  const lookup = async () => [{ address: '169.254.169.254', family: 4 }]
  const fetch = createGuardedFetch({ lookup, allowPrivate: true })
  expect((await failureOf(fetch('https://metadata.example/'))).message).toMatchInlineSnapshot(
    `"Could not fetch https://metadata.example/: only public addresses are fetched from. 169.254.169.254 is a link-local address, as cloud metadata services have. If it is meant, put the host in \`allowedHosts\`."`,
  )
})
