import { digest } from '../build/digest.ts'
import type { Configuration, HttpSettings } from '../configuration.ts'
import type { RuleText } from '../permission-settings.ts'

/** What changed, by name. */
export interface NamedChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** There before and after, and not the same. */
  readonly changed: readonly string[]
}

/** What differs between two configurations. */
export interface ConfigurationChanges {
  readonly servers: NamedChanges
  readonly agents: NamedChanges
  /** Those of the files themselves. */
  readonly prompts: NamedChanges
  /** Providers of models, by their names. */
  readonly providers: NamedChanges
  /** Declared variables; one that was given a value changed. */
  readonly variables: NamedChanges
  readonly groups: NamedChanges
  /** By their ids. */
  readonly hooks: NamedChanges
  /** As `deny github/delete_*`. */
  readonly permissions: NamedChanges
  /** Bearer keys, by their names. */
  readonly keys: NamedChanges
  /** Whether clients may see something else. */
  readonly publish: boolean
  /** Whether people are led to other agents, or to another one first. */
  readonly entrypoints: boolean
  /** Whether a name stands for another model, or one costs something else. */
  readonly models: boolean
  readonly log: boolean
  /** Names of the other settings of `http` that changed. */
  readonly http: readonly string[]
  /** What a running process cannot take over, by its path in the file: `http.listen`. */
  readonly needRestart: readonly string[]
  /** True where nothing at all changed. */
  readonly none: boolean
}

/** Compares two configurations by what they mean: comments, order of keys and places are nothing. */
export function diffConfiguration(
  before: Configuration,
  after: Configuration,
): ConfigurationChanges {
  return {
    servers: compare(before, after, ({ servers }) => identities(servers)),
    agents: compare(before, after, ({ agents }) => identities(agents)),
    prompts: compare(before, after, ({ prompts }) => identities(prompts)),
    providers: compare(before, after, ({ models }) => Object.entries(models.providers)),
    variables: compare(before, after, ({ variables }) => variables.map((one) => [one.name, one])),
    groups: compare(before, after, ({ groups }) => Object.entries(groups)),
    hooks: compare(before, after, hooksOf),
    permissions: compare(before, after, rulesOf),
    keys: compare(before, after, ({ http }) => http.keys.map((key) => [key.name, key])),
    publish: differs(before.publish, after.publish),
    entrypoints: differs(before.entrypoints, after.entrypoints),
    models: differs(namesOf(before), namesOf(after)),
    log: differs(before.log, after.log),
    http: otherSettings(before.http, after.http),
    needRestart: restarts(before, after),
    none: before.identity === after.identity,
  }
}

type Named = readonly (readonly [name: string, value: unknown])[]

function compare(
  before: Configuration,
  after: Configuration,
  named: (configuration: Configuration) => Named,
): NamedChanges {
  const old = new Map(named(before))
  const now = new Map(named(after))
  const names = [...now.keys()]
  return {
    added: names.filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: names.filter((name) => old.has(name) && differs(old.get(name), now.get(name))),
  }
}

function identities(
  settings: readonly { readonly name: string; readonly identity: string }[],
): Named {
  return settings.map(({ name, identity }) => [name, identity])
}

/** What is said of models beside where they are. */
function namesOf({ models: { aliases, prices } }: Configuration): unknown {
  return { aliases, prices }
}

/** Their order matters where their priorities are the same. */
function hooksOf({ hooks }: Configuration): Named {
  return hooks.map((hook) => [hook.id, { ...hook, with: hook.with }])
}

function rulesOf({ permissions }: Configuration): Named {
  return Object.entries(permissions).flatMap(([kind, rules]: [string, readonly RuleText[]]) =>
    rules.map(({ text }) => [`${kind} ${text}`, undefined] as const),
  )
}

function otherSettings(before: HttpSettings, after: HttpSettings): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter(
    (name) =>
      name !== 'keys' &&
      name !== 'listen' &&
      differs(memberOf(before, name), memberOf(after, name)),
  )
}

function memberOf(settings: HttpSettings, name: string): unknown {
  return Object.entries(settings).find(([own]) => own === name)?.[1]
}

function restarts(before: Configuration, after: Configuration): string[] {
  const authenticated = ({ http }: Configuration) => http.keys.length > 0
  return [
    ...(differs(before.http.listen, after.http.listen) ? ['http.listen'] : []),
    // Whether anybody is asked who they are decides how the doors are built.
    ...(authenticated(before) === authenticated(after) ? [] : ['http.keys']),
    ...(before.state === after.state ? [] : ['state']),
  ]
}

function differs(before: unknown, after: unknown): boolean {
  return digest(before) !== digest(after)
}
