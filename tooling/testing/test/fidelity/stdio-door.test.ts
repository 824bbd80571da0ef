import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeCrash } from '../../src/fidelity/describe-crash.ts'
import { describeFidelity } from '../../src/fidelity/describe-fidelity.ts'
import { mobiusCommand } from '../../src/fidelity/gateway-process.ts'
import { probeCommand } from '../../src/fidelity/probe-process.ts'
import type { CrashSubject } from '../../src/fidelity/target.ts'

// The gateway as a child of its client: `mobius stdio`, a probe behind it.

const subject: CrashSubject = {
  kind: 'aggregate',
  upstream: 'stdio',
  server: 'probe',
  tag: 'probe-stdio-door',
  publicName: (name) => `probe__${name}`,
  async open() {
    await using opened = new AsyncDisposableStack()
    const { path: folder } = opened.use(await mkdtempDisposable(join(tmpdir(), 'stdio-door-')))
    const log = join(folder, 'probe.jsonl')
    const { command, args, env } = probeCommand({ PROBE_LOG: log, PROBE_TAG: subject.tag })
    const file = join(folder, 'config.json')
    await writeFile(file, JSON.stringify({ mcpServers: { probe: { command, args, env } } }))
    const lifetime = opened.move()
    return {
      endpoint: mobiusCommand(['stdio', file, '--state', join(folder, 'state')]),
      log,
      [Symbol.asyncDispose]: () => lifetime.disposeAsync(),
    }
  },
}

describeFidelity('mobius stdio, stdio upstream', subject)
describeCrash('crash behind mobius stdio', subject)
