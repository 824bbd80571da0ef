import { startOverHttp, startOverStdio } from './gateway.ts'
import { type Environment, startFixture } from './launch.ts'

/** Something that the suite is run against. */
export interface Target {
  name: string
  fixture: URL
  /** Starts the fixture and what stands before it; returns the URL of the MCP endpoint. */
  start(environment: Environment, fixture: URL): Promise<string>
}

const fixture = new URL('./fixture.ts', import.meta.url)
const fixtureV1 = new URL('./fixture-v1.ts', import.meta.url)

/** Everything that must pass, each on its own. */
export const targets: readonly Target[] = [
  { name: 'fixture', fixture, start: startFixture },
  { name: 'fixture-over-stdio', fixture, start: startOverStdio },
  { name: 'fixture-over-http', fixture, start: startOverHttp },
  { name: 'fixture-v1', fixture: fixtureV1, start: startFixture },
  { name: 'fixture-v1-over-stdio', fixture: fixtureV1, start: startOverStdio },
  { name: 'fixture-v1-over-http', fixture: fixtureV1, start: startOverHttp },
]
