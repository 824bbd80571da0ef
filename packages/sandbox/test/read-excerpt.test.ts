import { readExcerpt } from '@mobius-mcp/sandbox/read-excerpt'
import { expect, test } from 'vitest'

function bodyOf(chunks: readonly string[], failure?: Error) {
  const rest = [...chunks]
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = rest.shift()
      if (chunk !== undefined) controller.enqueue(new TextEncoder().encode(chunk))
      else if (failure) controller.error(failure)
      else controller.close()
    },
    cancel() {
      cancelled = true
    },
  })
  return { body, rest, cancelled: () => cancelled }
}

test('a short body is read whole, whatever its chunks', async () => {
  expect(await readExcerpt(bodyOf(['no ', 'entry']).body)).toBe('no entry')
  expect(await readExcerpt(null)).toBe('')
})

test('of a long body the beginning is read, and its end is never fetched', async () => {
  const kibibyte = 'x'.repeat(1024)
  const { body, rest, cancelled } = bodyOf(Array(1000).fill(kibibyte))
  expect(await readExcerpt(body)).toBe(kibibyte.repeat(64))
  expect(rest.length).toBeGreaterThan(900)
  expect(cancelled()).toBe(true)
})

test('of a body that breaks there is what came before', async () => {
  expect(await readExcerpt(bodyOf(['half a '], new Error('reset')).body)).toBe('half a ')
})
