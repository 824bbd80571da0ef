import { laterKeys } from './nanobot-keys.ts'

/** What a file may say beside its servers. */
export const ownSections = [
  'agents',
  'models',
  'prompts',
  'env',
  'publish',
  'groups',
  'hooks',
  'permissions',
  'http',
  'log',
  'state',
] as const

/** What nanobot calls the providers of models. */
export const nanobotModels = 'llmProviders'

/** How a file is put together of others. */
export const layerKeys = ['extends', 'profiles'] as const

/** Every key of a file that is not a server's name. */
export const sectionKeys: readonly string[] = [
  ...ownSections,
  nanobotModels,
  ...layerKeys,
  ...laterKeys.keys(),
]
