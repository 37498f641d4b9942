import { type Branch, type Departed, type Departure, NEXT, type Station } from '../dataplane/netfilter/branch.js'
import type { Hook } from '../dataplane/netfilter/hooks.js'
import { packetKey } from '../dataplane/netfilter/kernel-packet.js'
import type { Knowledge } from '../dataplane/netfilter/knowledge.js'
import { partByLocality } from '../dataplane/netfilter/locality.js'
import { mergeBranches } from './merge-branches.js'

/** A way to its end: `node` is the node itself, `network` what lies behind one of its interfaces. */
export interface Ended extends Branch {
  readonly end: 'node' | 'network' | Exclude<Departure, { readonly to: 'next' | 'output' }>
}

export interface Terrain {
  /** In the order of their priorities. */
  readonly stations: readonly Station[]
  readonly knowledge: Knowledge
}

/**
 * The ways of a packet from a hook on: PREROUTING, then INPUT for the node's own addresses, else FORWARD and
 * POSTROUTING; OUTPUT and POSTROUTING for packets made on the node, which come in again by `lo` where they are for an
 * address of the node.
 */
export function walk(hook: Hook, branch: Branch, terrain: Terrain): readonly Ended[] {
  return visitStations(hook, branch, terrain).flatMap((departed) => goOn(hook, departed, terrain))
}

function goOn(hook: Hook, { departure, ...branch }: Departed, terrain: Terrain): readonly Ended[] {
  if (departure.to === 'output') return walk('OUTPUT', branch, terrain)
  if (departure.to !== 'next') return [{ ...branch, end: departure }]
  switch (hook) {
    case 'INPUT':
      return [{ ...branch, end: 'node' }]
    case 'FORWARD':
    case 'OUTPUT':
      return walk('POSTROUTING', branch, terrain)
    case 'PREROUTING': {
      const { local, away } = partByLocality(branch, terrain.knowledge)
      return [
        ...local.flatMap((way) => walk('INPUT', way, terrain)),
        ...away.flatMap((way) => walk('FORWARD', way, terrain)),
      ]
    }
    case 'POSTROUTING': {
      const { local, away } = partByLocality(branch, terrain.knowledge)
      return [
        ...local.flatMap((way) => walk('PREROUTING', comingInByLoopback(way), terrain)),
        ...away.map((way): Ended => ({ ...way, end: 'network' })),
      ]
    }
  }
}

function comingInByLoopback(branch: Branch): Branch {
  return { ...branch, packet: { ...branch.packet, inInterface: 'lo' } }
}

function visitStations(hook: Hook, branch: Branch, { stations }: Terrain): readonly Departed[] {
  const here = stations.filter((station) => station.hook === hook)
  let departed: readonly Departed[] = [{ ...branch, departure: NEXT }]
  for (const station of here) {
    const visited = departed.flatMap((each) => (each.departure.to === 'next' ? station.visit(each) : [each]))
    departed = mergeBranches(visited, departureKey)
  }
  return departed
}

function departureKey({ departure, packet }: Departed): string {
  return `${JSON.stringify(departure)} ${packetKey(packet)}`
}
