import type { JsonObject } from '@mobius-mcp/protocol'

/** One change of the servers of a file. */
export type ServerEdit =
  /** Adds a server; one of the same name is an error unless `replace` says otherwise. */
  | {
      readonly kind: 'add'
      readonly name: string
      readonly entry: JsonObject
      readonly replace?: boolean | undefined
    }
  /** Takes a server away; that there is none is an error. */
  | { readonly kind: 'remove'; readonly name: string }
