import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { type Clock, systemClock } from '@mobius-mcp/protocol'
import { type LeaseHolder, type Leases, openLeaseHolder } from '@mobius-mcp/state'
import type { Logger } from '@mobius-mcp/telemetry/log'

/**
 * Takes a lease for this process. Those of processes that have died on this machine are given up at
 * once: what they had begun need not wait until their leases expire.
 */
export async function openOwner(
  leases: Leases,
  logger: Logger,
  clock: Clock = systemClock,
): Promise<LeaseHolder> {
  const here = processSpace()
  for (const { owner } of await leases.live(clock.now())) {
    if (isDead(owner, here)) await leases.release(owner)
  }
  return await openLeaseHolder({
    leases,
    clock,
    id: `${here}/${process.pid}/${crypto.randomUUID()}`,
    onProblem: (cause) =>
      logger.warn(
        `No sign of life could be given. ${cause instanceof Error ? cause.message : cause}`,
      ),
  })
}

/** Where a process id says which process is meant: this machine since it started, and on Linux this container. */
function processSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

function isDead(owner: string, here: string): boolean {
  const [pid = ''] = owner.startsWith(`${here}/`) ? owner.slice(here.length + 1).split('/') : []
  if (!/^\d+$/.test(pid)) return false
  // Whoever had the same id before this process is no more.
  if (Number(pid) === process.pid) return true
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    // Somebody else's process lives all the same.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
