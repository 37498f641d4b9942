import type { ChangedByStep } from '@kube-rules/analyzer/explain'
import type { Packet } from '@kube-rules/compiler'
import { joinHostPort } from '@kube-rules/types'
import type { WayInWords } from '../engine/answers.js'

/** What one table or other station does with a packet. */
export interface Station {
  /** `PREROUTING nat`. */
  readonly name: string
  readonly steps: readonly StationStep[]
  /** The packet's addresses when it comes: `198.51.100.1 → 192.168.0.41:30080`. */
  readonly source: string
  readonly destination: string
  /** Whether it leaves with another. */
  readonly changesSource: boolean
  readonly changesDestination: boolean
}

export interface StationStep {
  /** `KUBE-SERVICES`; empty where there are no chains. */
  readonly chain: string
  readonly verdict: string
  /** The rule itself. */
  readonly text: string
  readonly comment: string
  readonly owner: string
  /** How many of the packets that come here go this way, where chance decides: `1/3`. */
  readonly share: string
}

/** A way as a row of stations, with the addresses that the packet has at each. */
export function stationsOf(packet: Packet, way: WayInWords, all: readonly WayInWords[]): readonly Station[] {
  const groups = groupsOf(way)
  const destinationChange = way.endpoint === '' ? -1 : lastIndexWhere(groups, changes('destination'))
  const sourceChange = way.masqueraded ? lastIndexWhere(groups, changes('source')) : -1
  const first = { source: packet.source, destination: joinHostPort(packet.destination, packet.destinationPort) }
  const fork = forkOf(way, all)
  let count = 0
  return groups.map((steps, index) => {
    const before = count
    count += steps.length
    const isBehind = destinationChange >= 0 && index > destinationChange
    return {
      name: `${steps[0]?.hook} ${steps[0]?.by.replace('iptables ', '')}`,
      steps: steps.map(({ chain, verdict, text, comment, owner }, at) => ({
        chain,
        verdict,
        text,
        comment,
        owner,
        share: before + at === fork ? way.weight : '',
      })),
      source: sourceChange >= 0 && index > sourceChange ? NODE : first.source,
      destination: isBehind ? way.endpoint : first.destination,
      changesSource: index === sourceChange,
      changesDestination: index === destinationChange,
    }
  })
}

/** Whose address a masqueraded packet has depends on the interface by which it leaves. */
export const NODE = 'the node'

type Steps = WayInWords['steps']

function groupsOf({ steps }: WayInWords): readonly Steps[] {
  const groups: Steps[number][][] = []
  for (const step of steps) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && last[0].hook === step.hook && last[0].by === step.by) last.push(step)
    else groups.push([step])
  }
  return groups
}

function changes(what: ChangedByStep): (steps: Steps) => boolean {
  return (steps) => steps.some((step) => step.changes === what)
}

/** The first step in which this way is another than some other; -1 where there is one way. */
function forkOf(way: WayInWords, all: readonly WayInWords[]): number {
  const others = all.filter((other) => other !== way)
  if (others.length === 0 || way.weight === '1') return -1
  return way.steps.findIndex(({ text, hook }, at) =>
    others.some((other) => other.steps[at]?.text !== text || other.steps[at]?.hook !== hook),
  )
}

function lastIndexWhere<Item>(items: readonly Item[], fits: (item: Item) => boolean): number {
  return items.reduce((found, item, index) => (fits(item) ? index : found), -1)
}
