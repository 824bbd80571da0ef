import { laterKeys } from './nanobot-keys.ts'

/** What a file may say beside its servers. */
export const ownSections = [
  'publish',
  'groups',
  'hooks',
  'permissions',
  'http',
  'log',
  'state',
] as const

/** How a file is put together of others. */
export const layerKeys = ['extends', 'profiles'] as const

/** Every key of a file that is not a server's name. */
export const sectionKeys: readonly string[] = [...ownSections, ...layerKeys, ...laterKeys.keys()]
