import { expect, test } from 'vitest'
import { createTestHost, json, send } from './test-client.ts'

const get = async (host: Parameters<typeof send>[0], path: string) => {
  const response = await send(host, 'GET', { accept: '*/*' }, undefined, path)
  return [response.status, await json(response)]
}

test('a host is healthy and ready, without any login', async () => {
  const { host } = createTestHost({}, { authenticate: () => undefined })

  expect(await get(host, '/healthz')).toEqual([200, { status: 'ok' }])
  expect(await get(host, '/readyz')).toEqual([200, { status: 'ok' }])
})

test('a host that closes stays healthy, but is not ready', async () => {
  const { host } = createTestHost()
  await host.close()

  expect(await get(host, '/healthz')).toEqual([200, { status: 'ok' }])
  expect(await get(host, '/readyz')).toEqual([503, { status: 'unavailable' }])
})

test('checks decide, and one that throws says no', async () => {
  const { host } = createTestHost(
    {},
    {
      healthy: async () => false,
      ready: () => {
        throw new Error('secret detail')
      },
    },
  )

  expect(await get(host, '/healthz')).toEqual([503, { status: 'unavailable' }])
  expect(await get(host, '/readyz')).toEqual([503, { status: 'unavailable' }])
})
