import { localPrincipal } from '@mobius-mcp/protocol'
import { assemble, type Gateway } from '../assemble.ts'
import type { ConfigOptions } from '../program.ts'
import { withSpinner } from '../progress.ts'
import { toRemoteServer } from '../reach-server.ts'
import { signalOfStop } from '../until-signal.ts'
import { UserError } from '../user-error.ts'

export interface LoginOptions extends ConfigOptions {
  /** False with `--no-browser`. */
  browser?: boolean
}

/** `mobius login`: signs in to a server. A running gateway uses it from then on. */
export async function login(name: string, options: LoginOptions): Promise<number> {
  const { openBrowser, SignInError } = await import('@mobius-mcp/auth')
  await using gateway = await assemble({
    ...options,
    ...(options.browser === false ? {} : { openUrl: (url: string) => openBrowser(url) }),
  })
  const server = remoteServer(gateway, name)
  const signIn = await gateway.signIn.open()
  try {
    await withSpinner(`Waiting for the sign-in to ${name}`, () =>
      signIn.login(server, {
        principal: localPrincipal,
        signal: signalOfStop(),
        onUrl: (url) => process.stderr.write(`Sign in here:\n  ${url}\n`),
      }),
    )
  } catch (error) {
    if (!(error instanceof SignInError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
  process.stderr.write(`Signed in to ${name}.\n`)
  return 0
}

/** `mobius logout`: forgets the login, and has it revoked where the authorization server can. */
export async function logout(name: string, options: ConfigOptions): Promise<number> {
  await using gateway = await assemble(options)
  const server = remoteServer(gateway, name)
  const signIn = await gateway.signIn.open()
  const outcome = await signIn.logout(server, { principal: localPrincipal })
  process.stderr.write(`${describeSignOut(name, outcome)}\n`)
  return 0
}

function describeSignOut(
  name: string,
  { signedIn, revoked }: { readonly signedIn: boolean; readonly revoked: boolean },
): string {
  if (!signedIn) return `Nobody was signed in to ${name}.`
  return revoked
    ? `Signed out of ${name}; the login was revoked.`
    : `Signed out of ${name}. Its authorization server revokes no logins: this one ends when it expires.`
}

function remoteServer({ live }: Gateway, name: string) {
  const settings = live.current.servers.find((server) => server.name === name)
  if (!settings) {
    const names = live.current.servers.map((server) => server.name).join(', ')
    throw new UserError(
      `There is no server "${name}" in the configuration. There are: ${names || 'none'}`,
    )
  }
  const server = toRemoteServer(settings)
  if (server) return server
  throw new UserError(
    `Server "${name}" is a program on this machine, which nobody signs in to. What it needs to know goes under env`,
  )
}
