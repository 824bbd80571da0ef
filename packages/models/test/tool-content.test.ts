import { expect, test } from 'vitest'
import { toModelContent } from '../src/index.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

test('text, images and audio are shown as they are', () => {
  const content = [
    { type: 'text', text: 'a' },
    { type: 'image', data: 'AAAA', mimeType: 'image/webp' },
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
  ]
  expect(toModelContent({ content })).toEqual([
    { type: 'text', text: 'a' },
    { type: 'file', mediaType: 'image/webp', data: 'AAAA' },
    { type: 'file', mediaType: 'audio/wav', data: 'AAAA' },
  ])
})

test('embedded resources are shown with or without an audience, unless for people alone', () => {
  const resource = (audience?: string[]): { content: Record<string, unknown>[] } => ({
    content: [
      {
        type: 'resource',
        resource: { uri: 'file:///a.txt', text: 'inside' },
        ...(audience ? { annotations: { audience } } : {}),
      },
    ],
  })
  const inside = [{ type: 'text', text: 'inside' }]
  expect(toModelContent(resource())).toEqual(inside)
  expect(toModelContent(resource([]))).toEqual(inside)
  expect(toModelContent(resource(['user', 'assistant']))).toEqual(inside)
  expect(toModelContent(resource(['user']))).toEqual([])
})

test('a blob is a file, or text where it is text, or named', () => {
  const blob = (mimeType: string | undefined, text: string): unknown =>
    toModelContent({
      content: [
        { type: 'resource', resource: { uri: 'file:///b/a.bin?x', mimeType, blob: base64(text) } },
      ],
    })
  expect(blob('application/pdf', '%PDF')).toEqual([
    { type: 'file', mediaType: 'application/pdf', data: base64('%PDF'), filename: 'a.bin' },
  ])
  expect(blob('application/ld+json', '{"ä":1}')).toEqual([{ type: 'text', text: '{"ä":1}' }])
  expect(blob('application/zip', 'PK12')).toEqual([
    {
      type: 'text',
      text: '[Resource file:///b/a.bin?x (application/zip, 4 bytes) cannot be shown to a model]',
    },
  ])
  expect(blob(undefined, 'PK12')).toEqual([
    {
      type: 'text',
      text: '[Resource file:///b/a.bin?x (of unknown type, 4 bytes) cannot be shown to a model]',
    },
  ])
})

test('links, unknown kinds, and what is not as it should be are told', () => {
  const content = [
    { type: 'resource_link', uri: 'file:///a', name: 'a', mimeType: 'text/plain' },
    { type: 'hologram', depth: 3 },
    { type: 'text' },
    { type: 'resource', resource: null },
  ]
  expect(toModelContent({ content }).map((part) => part.type === 'text' && part.text)).toEqual([
    '[Resource file:///a (a; text/plain), not read yet]',
    '{"type":"hologram","depth":3}',
    '{"type":"text"}',
    '{"type":"resource","resource":null}',
  ])
})

test('structure without content is shown as JSON', () => {
  expect(toModelContent({ content: [], structuredContent: { a: 1 } })).toEqual([
    { type: 'text', text: '{"a":1}' },
  ])
  expect(toModelContent({ content: [] })).toEqual([])
})
