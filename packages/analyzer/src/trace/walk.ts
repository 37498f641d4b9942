import {
  type Branch,
  type Departed,
  type Departure,
  depart,
  departedWay,
  NEXT,
  type Station,
  withPacket,
} from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import { packetKey } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import type { Knowledge } from '@kube-rules/compiler/internal/dataplane/netfilter/knowledge'
import { partByLocality } from '../dataplane/netfilter/locality.js'
import { leadAll } from './leading.js'
import { mergeBranches } from './merge-branches.js'

/** A completed path: delivered locally (`node`) or sent out (`network`). */
export interface Ended extends Branch {
  readonly end: 'node' | 'network' | Exclude<Departure, { readonly to: 'next' | 'output' }>
}

export interface Terrain {
  /** The hook handlers of each hook, in priority order. */
  readonly stations: Readonly<Record<Hook, readonly Station[]>>
  readonly knowledge: Knowledge
}

/**
 * The ways of a packet from a hook on: PREROUTING, then INPUT for the node's own addresses, else FORWARD and
 * POSTROUTING; OUTPUT and POSTROUTING for packets locally generated, which come in again by `lo` where they are for an
 * address of the node.
 */
export function walk(hook: Hook, branch: Branch, terrain: Terrain): readonly Ended[] {
  return leadAll(visitStations(hook, branch, terrain), (departed) => goOn(hook, departed, terrain), endedLike)
}

function goOn(hook: Hook, departed: Departed, terrain: Terrain): readonly Ended[] {
  const { departure } = departed
  const branch = departedWay(departed)
  if (departure.to === 'output') return walk('OUTPUT', branch, terrain)
  if (departure.to !== 'next') return [ended(branch, departure)]
  switch (hook) {
    case 'INPUT':
      return [ended(branch, 'node')]
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
        ...away.map((way) => ended(way, 'network')),
      ]
    }
  }
}

function ended({ weight, assumptions, packet, last, effort }: Branch, end: Ended['end']): Ended {
  return { weight, assumptions, packet, last, effort, end }
}

function endedLike({ end }: Ended, branch: Branch): Ended {
  return ended(branch, end)
}

function comingInByLoopback(branch: Branch): Branch {
  return withPacket(branch, { ...branch.packet, inInterface: 'lo' })
}

function visitStations(hook: Hook, branch: Branch, { stations }: Terrain): readonly Departed[] {
  let departed: readonly Departed[] = [depart(branch, NEXT)]
  for (const station of stations[hook]) {
    const visited = leadAll(departed, (each) => visitStation(station, each), departedLike)
    departed = areApart(visited) ? visited : mergeBranches(visited, departureKey)
  }
  return departed
}

/** Reports whether all destinations are distinct, so that no two paths are equal. */
function areApart(ways: readonly Departed[]): boolean {
  return ways.length === 1 || new Set(ways.map(({ packet }) => packet.destination)).size === ways.length
}

function visitStation(station: Station, departed: Departed): readonly Departed[] {
  return departed.departure.to === 'next' ? station.visit(departed) : [departed]
}

function departedLike({ departure }: Departed, branch: Branch): Departed {
  return depart(branch, departure)
}

function departureKey({ departure, packet }: Departed): string {
  return departure === NEXT ? packetKey(packet) : `${JSON.stringify(departure)} ${packetKey(packet)}`
}
