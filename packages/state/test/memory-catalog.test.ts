import { expect, test } from 'vitest'
import { createMemoryCatalog } from '../src/index.ts'
import { entryOf } from './entry.ts'

test('an entry is found under its key alone, until it is deleted', () => {
  const catalog = createMemoryCatalog()
  catalog.set('a', entryOf('a'))
  expect(catalog.get('a')).toEqual(entryOf('a'))
  expect(catalog.get('b')).toBeUndefined()
  catalog.delete('a')
  catalog.delete('never there')
  expect(catalog.get('a')).toBeUndefined()
})

test('the entry that was not used for longest gives way', () => {
  const catalog = createMemoryCatalog({ max: 2 })
  catalog.set('a', entryOf('a'))
  catalog.set('b', entryOf('b'))
  catalog.get('a')
  catalog.set('c', entryOf('c'))
  expect(catalog.get('a')).toEqual(entryOf('a'))
  expect(catalog.get('b')).toBeUndefined()
  expect(catalog.get('c')).toEqual(entryOf('c'))
})

test('replacing an entry pushes nothing out', () => {
  const catalog = createMemoryCatalog({ max: 2 })
  catalog.set('a', entryOf('a'))
  catalog.set('b', entryOf('b'))
  catalog.set('b', entryOf('b2'))
  expect(catalog.get('a')).toEqual(entryOf('a'))
  expect(catalog.get('b')).toEqual(entryOf('b2'))
})

test('any text is a key', () => {
  const catalog = createMemoryCatalog()
  expect(catalog.get('__proto__')).toBeUndefined()
  catalog.set('__proto__', entryOf('p'))
  expect(catalog.get('__proto__')).toEqual(entryOf('p'))
  expect(catalog.get('constructor')).toBeUndefined()
})
