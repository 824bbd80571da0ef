import type { Upstream } from './contract.ts'
import { ours } from './ours.ts'
import type { Peer } from './peers.ts'
import { commandSubject, moduleSubject, type Subject } from './subject.ts'

/** What Mobius is called in the results. */
export const mobius = 'mobius'
/** The same with an observing hook on each call. */
export const hookedMobius = 'mobius, hooked'

/** Those whose echo is in process, behind HTTP. */
export function echoSubjects(): Subject[] {
  return [
    ...(ours.http === undefined ? [] : [moduleSubject('ours', ours.http, { name: mobius })]),
    moduleSubject('baseline', 'hono-echo'),
    moduleSubject('baseline', 'sdk-http'),
  ]
}

/** Mobius with an observing hook on each call, where it is measured at all. */
export function hookedSubjects(): Subject[] {
  if (ours.http === undefined) return []
  return [moduleSubject('ours', ours.http, { name: hookedMobius, hooked: true })]
}

/** Those that stand in front of one upstream, the least that could do so first. */
export function upstreamSubjects(upstream: Upstream, peers: readonly Peer[]): Subject[] {
  const kind = 'url' in upstream ? 'http' : 'stdio'
  return [
    ...(ours.upstream === undefined
      ? []
      : [moduleSubject('ours', ours.upstream, { name: mobius, upstream })]),
    ...(kind === 'http' ? [] : [moduleSubject('baseline', 'hono-relay', { upstream })]),
    ...peers
      .filter(({ reaches }) => reaches.includes(kind))
      .map((peer) => commandSubject('peer', peer, upstream)),
  ]
}
