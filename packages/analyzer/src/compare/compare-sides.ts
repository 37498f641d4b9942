import { append } from '@kube-rules/compiler/internal/internal/append'
import { lazyFields } from '@kube-rules/compiler/internal/internal/memo'
import type { Packet } from '@kube-rules/types'
import type { Way } from '../trace/trace-ways.js'
import { keyOf, servicesOf } from './class-key.js'
import type { DifferingClass, PacketClass, SideOfClass } from './classes.js'
import { classesByShape } from './classes-by-shape.js'
import { type Destination, destinationsOf } from './destinations.js'
import { distributionOf } from './distribution.js'
import type { Sides } from './side.js'
import { conditionOf } from './words.js'

/** What two rule sets do with every packet: the first packet of a TCP, UDP or SCTP connection from any source to any destination. */
export interface Comparison {
  /** Whether they are known to do the same with each: no differences, declared ones included, and nothing that cannot be told. */
  readonly equal: boolean
  /** How many classes of packets were looked at: within a class both sides treat all packets alike. */
  readonly classes: number
  readonly differences: readonly Difference[]
  /** Classes of which it cannot be told whether both sides do the same. */
  readonly undecided: readonly Difference[]
  /** What was left out of the differences, because limitations of modes explain it. Absent where none were given. */
  readonly declared?: Declared | undefined
}

/** Differences that limitations of the sides explain. */
export interface Declared {
  readonly classes: number
  /** In the order in which they were first met. */
  readonly limitations: readonly DeclaredLimitation[]
}

export interface DeclaredLimitation {
  /** Whose limitation it is; `both` where the sides are told other things, because their plans differ. */
  readonly side: 'a' | 'b' | 'both'
  readonly code: string
  /** How many classes of packets it explains, maybe with another one. */
  readonly classes: number
  /** One of the packets. */
  readonly packet: Packet
}

/** The limitations of either side that explain what both do with a packet; undefined where they do not. */
export type Explain = (packet: Packet, a: readonly Way[], b: readonly Way[]) => Explained | undefined

/** Codes of limitations. */
export type Explained = { readonly [side in DeclaredLimitation['side']]: readonly string[] }

/** Classes of packets with which two rule sets do the same two things. Plain data. */
export interface Difference {
  /** One of the packets. */
  readonly packet: Packet
  /** Which packets these are, for people: `TCP 10.96.0.10:80, from the network, any source in 10.244.0.0/16`. */
  readonly condition: string
  /** How many classes of packets. */
  readonly classes: number
  /** The service ports whose rules are involved: `default/web:http/TCP`. */
  readonly services: readonly string[]
  readonly a: SideOfDifference
  readonly b: SideOfDifference
}

export interface SideOfDifference {
  /** For how many seconds its client is remembered; absent where it is not. */
  readonly remembersSeconds?: number | undefined
  /** What becomes of the example packet, each with its probability. */
  readonly outcomes: Readonly<Record<string, string>>
  /** The ways of the example packet, as `trace` gives them. */
  readonly ways: readonly Way[]
}

/** Compares what both sides do with packets to the destinations that are wanted; with `explain`, differences that it explains are counted by themselves. */
export function compareSides(
  sides: Sides,
  isWanted: (destination: Destination) => boolean,
  explain?: Explain,
): Comparison {
  const declared: DeclaredSoFar = { classes: 0, limitations: new Map() }
  const classesAt = classesByShape(sides)
  const groups = { other: new Map<string, PacketClass[]>(), unknown: new Map<string, PacketClass[]>() }
  let classes = 0
  for (const destination of destinationsOf(sides)) {
    if (!isWanted(destination)) continue
    const known = classesAt(destination)
    classes += known.count
    for (const alike of known.notAlike) {
      const left = explain === undefined ? alike : alike.filter((found) => !isDeclared(found, explain, declared))
      const [first] = left
      if (first !== undefined) addTo(groups[first.likeness], keyOf(first), left)
    }
  }
  const differences = Array.from(groups.other.values(), differenceOf)
  const undecided = Array.from(groups.unknown.values(), differenceOf)
  return {
    equal: differences.length + undecided.length + declared.classes === 0,
    classes,
    differences,
    undecided,
    ...(explain && { declared: { ...declared, limitations: [...declared.limitations.values()] } }),
  }
}

interface DeclaredSoFar {
  classes: number
  readonly limitations: Map<string, DeclaredLimitation>
}

/** Whether it is explained what both sides do with a class; if so it is counted. */
function isDeclared(found: DifferingClass, explain: Explain, declared: DeclaredSoFar): boolean {
  const { likeness, packet } = found
  const [a, b] = [found.a(), found.b()]
  const explained = likeness === 'other' && remembersAlike(a, b) && explain(packet, a.ways(), b.ways())
  if (!explained) return false
  declared.classes++
  for (const side of ['a', 'b', 'both'] as const)
    for (const code of explained[side]) count(declared.limitations, { side, code, classes: 1, packet })
  return true
}

/** One that gets to an endpoint on one side alone is remembered there alone; a process remembers by itself. */
function remembersAlike(a: SideOfClass, b: SideOfClass): boolean {
  return a.remembers === b.remembers || a.remembers === undefined || b.remembers === undefined
}

function count(limitations: Map<string, DeclaredLimitation>, met: DeclaredLimitation): void {
  const key = `${met.side} ${met.code}`
  const known = limitations.get(key)
  limitations.set(key, known === undefined ? met : { ...known, classes: known.classes + 1 })
}

function addTo(groups: Map<string, PacketClass[]>, key: string, found: readonly PacketClass[]): void {
  const known = groups.get(key)
  if (known === undefined) groups.set(key, [...found])
  else append(known, found)
}

function differenceOf(found: readonly PacketClass[]): Difference {
  const [first] = found as readonly [PacketClass]
  return {
    packet: first.packet,
    condition: conditionOf(found),
    classes: found.length,
    services: servicesOf(first),
    a: sideOfDifference(first.a()),
    b: sideOfDifference(first.b()),
  }
}

/** Of many differences few are read: nothing is kept for that but the packet. */
const withOutcomesAndWays = lazyFields({
  outcomes: (ways: SideOfClass['ways']): SideOfDifference['outcomes'] => Object.fromEntries(distributionOf(ways())),
  ways: (ways: SideOfClass['ways']) => ways(),
})

function sideOfDifference({ ways, remembers }: SideOfClass): SideOfDifference {
  return withOutcomesAndWays(remembers === undefined ? {} : { remembersSeconds: remembers }, ways)
}
