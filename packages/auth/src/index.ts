/**
 * Who we are toward others: signing in to MCP servers with OAuth.
 *
 * @packageDocumentation
 */

// Signing in
export type { LoginOptions, SignIn, SignInGuard, SignInOptions, SignInStatus } from './sign-in.ts'
export { createSignIn } from './sign-in.ts'
export type { SignOut } from './log-out.ts'
export type { ArrangedClient, RemoteServer } from './remote-server.ts'
export type { FetchLayer } from './layer.ts'

// Being called back
export type {
  CallbackAnswer,
  CallbackHandler,
  CallbackRequest,
  CallbackServer,
  Listen,
} from './callback-server.ts'
export { listenOnLoopback } from './callback-server.ts'

// Showing where to go
export type { BrowserOptions } from './open-browser.ts'
export { openBrowser } from './open-browser.ts'

// Failures
export type { SignInProblem } from './errors.ts'
export { SignInError, signInProblems } from './errors.ts'
