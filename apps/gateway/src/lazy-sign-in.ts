import type { SignIn } from '@mobius-mcp/auth'
import type { Logger } from '@mobius-mcp/telemetry/log'

/** Signing in, loaded when the first server is reached that may ask for it: it brings an HTTP client along. */
export interface LazySignIn {
  open(): Promise<SignIn>
  close(): void
}

export interface LazySignInOptions {
  /** Where tokens are kept. */
  readonly folder: string
  readonly logger: Logger
  /** Shows a URL to whoever is to sign in. */
  readonly openUrl: ((url: string) => void | Promise<void>) | undefined
}

export function createLazySignIn(options: LazySignInOptions): LazySignIn {
  let opening: Promise<SignIn> | undefined
  return {
    open() {
      opening ??= openSignIn(options)
      return opening
    },
    close() {
      void opening?.then((signIn) => signIn.close())
    },
  }
}

async function openSignIn({ folder, logger, openUrl }: LazySignInOptions): Promise<SignIn> {
  const [{ createSignIn }, { openFileTokens }] = await Promise.all([
    import('@mobius-mcp/auth'),
    import('@mobius-mcp/state/file'),
  ])
  return createSignIn({
    tokens: openFileTokens(folder, { onProblem: ({ message }) => logger.warn(message) }),
    openUrl,
    log: (server, line) => logger.info(line, { server }),
  })
}
