import type { PublishSettings } from './configuration.ts'
import { Secret } from './secret.ts'

/** Who presents `key` as a bearer token is `name`. */
export class BearerKey {
  readonly name: string
  /** What its holder may do beside calling; `operator` approves, changes rules, adds servers. */
  readonly scopes: readonly string[]
  /** What its holder sees, where that differs from what everybody does. */
  readonly publish: PublishSettings | undefined
  readonly #key: Secret

  constructor(settings: {
    readonly name: string
    readonly key: string
    readonly scopes?: readonly string[]
    readonly publish?: PublishSettings | undefined
  }) {
    this.name = settings.name
    this.scopes = settings.scopes ?? []
    this.publish = settings.publish
    this.#key = new Secret(settings.key)
  }

  /** The secret itself. Not a property of the object's own, so that nothing shows or copies it unasked. */
  get key(): string {
    return this.#key.reveal()
  }
}
