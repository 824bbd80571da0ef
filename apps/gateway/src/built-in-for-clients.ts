/** Built-in servers that clients see where the configuration does not say otherwise. */
export const builtInForClients: readonly string[] = ['meta']
