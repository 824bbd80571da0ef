import type { Principal } from '@mobius-mcp/protocol'
import { describe, expect, test } from 'vitest'
import type { View, ViewSubject } from '../src/index.ts'
import { createGateway } from './support/gateway.ts'
import { answerTools, configure, serveUpstream, text } from './support/upstream.ts'

const upstream = () =>
  serveUpstream(
    answerTools(
      { fine: () => text('fine'), danger: () => text('danger') },
      {
        'resources/list': () => ({ resources: [{ uri: 'x://1', name: 'one' }] }),
        'resources/read': () => ({ contents: [] }),
      },
    ),
  )

const anna: Principal = { id: 'anna', issuer: 'here', scopes: [] }
const ben: Principal = { id: 'ben', issuer: 'here', scopes: [] }

describe('a view chosen for each session', () => {
  const views: Record<string, View> = {
    anna: { refs: ['one', '!one/danger'] },
    ben: { refs: ['two/fine:two'] },
  }
  const choose = ({ principal }: ViewSubject): View => views[principal.id] ?? { refs: [] }

  test('shows each its own, and what it hides cannot be called', async () => {
    await using gateway = createGateway({ upstreams: { one: upstream(), two: upstream() } })
    const to = gateway.service.publish(choose)
    const [first, second, nobody] = [
      await gateway.client({ to, principal: anna }),
      await gateway.client({ to, principal: ben }),
      await gateway.client({ to }),
    ]
    expect(await first.names()).toEqual(['one__fine'])
    expect(await second.names()).toEqual(['two'])
    expect(await nobody.names()).toEqual([])
    expect(await first.text('one__fine')).toBe('fine')
    expect(await first.text('one__danger')).toMatch('-32602 Unknown tool')
    expect(await first.text('two')).toMatch('-32602 Unknown tool')
    expect(await second.text('two')).toBe('fine')
  })

  test('may be another one after a change: those whose list reads differently are told', async () => {
    const [one, two] = [upstream(), upstream()]
    await using gateway = createGateway({ upstreams: { one, two } })
    const present: Record<string, View> = { ...views }
    const to = gateway.service.publish(({ principal }) => present[principal.id] ?? { refs: [] })
    const [first, second] = [
      await gateway.client({ to, principal: anna }),
      await gateway.client({ to, principal: ben }),
    ]
    await first.names()
    await second.names()
    present.anna = { refs: ['two/danger'] }
    gateway.service.apply({ servers: [configure('one', one), configure('two', two)] })
    await gateway.clock.advance(1000)
    const told = [first, second].map(
      (client) => client.received('notifications/tools/list_changed').length,
    )
    expect(told).toEqual([1, 0])
    expect(await first.names()).toEqual(['two__danger'])
    expect(await first.text('one__fine')).toMatch('-32602 Unknown tool')
  })
})

describe('one server through a view', () => {
  test('has its own names, and no others than the view lets through', async () => {
    await using gateway = createGateway({ upstreams: { one: upstream() } })
    const to = gateway.service.publishServer('one', { refs: ['one', '!one/danger', '!one/x:*'] })
    const client = await gateway.client({ to })
    expect(await client.names()).toEqual(['fine'])
    expect(await client.names('resources')).toEqual([])
    expect(await client.text('fine')).toBe('fine')
    expect(await client.text('danger')).toBe('-32602 Unknown tool: danger')
    await expect(client.session.request('resources/read', { uri: 'x://1' })).rejects.toThrow(
      'Unknown resource: x://1',
    )
  })

  test('is not there for whoever may not see any of it', async () => {
    await using gateway = createGateway({ upstreams: { one: upstream() } })
    const to = gateway.service.publishServer('one', ({ principal }) => ({
      refs: principal.id === 'anna' ? ['one'] : ['two'],
    }))
    await using client = await gateway.client({ to, principal: anna })
    expect(await client.names()).toEqual(['fine', 'danger'])
    await expect(gateway.client({ to, principal: ben })).rejects.toThrow('Unknown server: one')
  })
})
