import type { ChangedByStep } from '@kube-rules/analyzer/explain'
import type { Packet } from '@kube-rules/compiler'
import { joinHostPort } from '@kube-rules/types'
import type { WayInWords } from '../engine/answers.js'

/** The effect of one table or other hook handler on a packet. */
export interface Station {
  /** The hook and table, such as `PREROUTING nat`. */
  readonly name: string
  readonly steps: readonly StationStep[]
  /** The addresses of the incoming packet: `198.51.100.1 → 192.168.0.41:30080`. */
  readonly source: string
  readonly destination: string
  /** Whether this step rewrites the address. */
  readonly changesSource: boolean
  readonly changesDestination: boolean
}

export interface StationStep {
  /** The chain, such as `KUBE-SERVICES`; empty if the hook handler has no chains. */
  readonly chain: string
  readonly verdict: string
  /** The rule text. */
  readonly text: string
  readonly comment: string
  readonly owner: string
  /** The share of packets on this path after a random choice: `1/3`. */
  readonly share: string
}

/** Converts a path to a row of hook handlers, with the packet's addresses at each. */
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

/** The source of a masqueraded packet; the exact address depends on the outgoing interface. */
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

/** Returns the first step that differs from another path; -1 if there is only one path. */
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
