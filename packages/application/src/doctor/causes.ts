import { type Diagnosis, ORIGINS } from '@kube-rules/analyzer/explain'
import type { Origin } from '@kube-rules/types'
import { explainPackets } from '../explain/diagnosed-packet.js'
import type { ExplainedNode } from '../explain/explained-node.js'
import { createCheckCache } from './check-cache.js'
import { checkNode } from './check-node.js'
import type { LostPacket } from './checked-packets.js'
import { createNodeDiagnostics, type NodeDiagnostic } from './node-diagnostics.js'

/** A cause of lost packets, with all packets that it affects. */
export interface Cause {
  /**
   * `lost`: packets do not arrive although the objects specify endpoints, or there are none. `specified`: the objects
   * specify that they do not arrive on these nodes. `unknown`: the outcome is unknown.
   */
  readonly kind: 'lost' | 'specified' | 'unknown'
  /** The code of the diagnosis, or the outcome of the packets. */
  readonly code: string
  /** The cause in words, for one of the packets. */
  readonly cause: string
  /** The diagnosis of one of the packets; absent if there is none. */
  readonly diagnosis?: Diagnosis | undefined
  /** The names of the affected nodes. */
  readonly nodes: readonly string[]
  /** The affected service ports: `default/web:http/TCP`. */
  readonly servicePorts: readonly string[]
  readonly origins: readonly Origin[]
  /** The number of affected packets: one for each node, frontend and origin. */
  readonly packets: number
}

/** The result of a check of nodes. */
export interface DoctorReport {
  /** The names of the nodes. */
  readonly nodes: readonly string[]
  /** The number of service ports with packets, and of packets. */
  readonly checked: { readonly servicePorts: number; readonly packets: number }
  /** The causes, worst first. */
  readonly causes: readonly Cause[]
  /** The diagnostics of the nodes, each once. */
  readonly diagnostics: readonly NodeDiagnostic[]
}

/** A node without readable rules. */
export interface UnreadNode {
  readonly nodeName: string
  readonly problem: string
}

/** A check of nodes, one by one. */
export interface Doctor {
  /** Checks a node. `isDumped`: its state is from a dump. */
  add(nodeName: string, node: ExplainedNode, isDumped: boolean): void
  report(): DoctorReport
}

interface Affected {
  readonly name: string
  readonly diagnosis: Diagnosis | undefined
  readonly code: string
  readonly cause: string
  readonly isSpecified: boolean
  readonly isUnknown: boolean
  readonly packets: { readonly nodeName: string; readonly lost: KeptPacket }[]
}

/** A lost packet without the state of its node, so that the states of all nodes need not fit in memory. */
type KeptPacket = Pick<LostPacket, 'owner' | 'route' | 'origin' | 'decisionReason'>

/** Creates a check. `isChecked` restricts it to service ports; default: all. */
export function createDoctor(isChecked: (owner: string) => boolean = () => true): Doctor {
  const cache = createCheckCache()
  const diagnostics = createNodeDiagnostics()
  const nodes: string[] = []
  const arriving = new Set<string>()
  const owners = new Set<string>()
  const causes = new Map<string, Affected>()
  const causeNames = new Map<string, string>()
  let packets = 0
  return {
    add: (nodeName, node, isDumped) => {
      nodes.push(nodeName)
      diagnostics.add(nodeName, node.diagnostics)
      const lost: LostPacket[] = []
      for (const checked of checkNode(node, isDumped ? undefined : cache)) {
        for (const route of checked.arriving) {
          const owner = ownerOfRoute(route)
          if (!isChecked(owner)) continue
          arriving.add(route)
          owners.add(owner)
          packets++
        }
        lost.push(...checked.lost.filter(({ owner }) => isChecked(owner)))
      }
      packets += lost.length
      for (const each of lost) owners.add(each.owner)
      addLost({ causes, causeNames }, nodeName, node, lost)
    },
    report: () => ({
      nodes,
      checked: { servicePorts: owners.size, packets },
      causes: [...causes.values()].flatMap((affected) => toCauses(affected, arriving)).sort(compareCauses),
      diagnostics: diagnostics.list(),
    }),
  }
}

interface Memory {
  readonly causes: Map<string, Affected>
  /** The cause of each kind of packets that is the same on every node. */
  readonly causeNames: Map<string, string>
}

/** The maximum number of packets with the same outcome that are diagnosed on one node. */
const MAX_DIAGNOSES = 20

/** Adds packets of a node to their causes. Diagnoses the first packets with each outcome, and reuses their cause. */
function addLost(memory: Memory, nodeName: string, node: ExplainedNode, all: readonly LostPacket[]): void {
  const ofNode = new Map<string, Map<string, string>>()
  for (const lost of all) {
    const isDrift = lost.reason.divergence === 'drift'
    const kind = kindOf(lost)
    const owners = ofNode.get(kind) ?? new Map<string, string>()
    ofNode.set(kind, owners)
    const known = isDrift ? owners.get(lost.owner) : memory.causeNames.get(kind)
    const shared = isDrift && owners.size >= MAX_DIAGNOSES ? owners.values().next().value : undefined
    const name = known ?? shared ?? diagnose(memory, node, lost, kind)
    if (isDrift) owners.set(lost.owner, name)
    else memory.causeNames.set(kind, name)
    const { owner, route, origin, decisionReason } = lost
    memory.causes.get(name)?.packets.push({ nodeName, lost: { owner, route, origin, decisionReason } })
  }
}

/** Returns what packets with probably the same cause have in common. */
function kindOf({ outcome, reason, isUnknown }: LostPacket): string {
  const [short = ''] = reason.reason.split('; ', 1)
  return [isUnknown, outcome, short, reason.divergence].join('|')
}

/** Returns the name of the cause of a packet, and creates the cause if it is new. */
function diagnose({ causes }: Memory, node: ExplainedNode, lost: LostPacket, kind: string): string {
  const { packet, reason, outcome, isUnknown } = lost
  const [diagnosis] = packet === undefined ? [] : (explainPackets([packet], node)[0]?.diagnoses ?? [])
  const isDrift = reason.divergence === 'drift'
  const rule = isDrift && diagnosis !== undefined ? `${diagnosis.rule}|${diagnosis.ruleStatus}` : ''
  const isSpecified = reason.divergence === undefined && SPECIFIED.has(lost.decisionReason)
  const name = [diagnosis?.code ?? kind, rule, isSpecified, isUnknown].join('|')
  if (!causes.has(name)) {
    const expected =
      reason.expectedOutcome === undefined ? '; ' : `, but the objects define ${reason.expectedOutcome}: `
    causes.set(name, {
      ...{ name, diagnosis, isSpecified, isUnknown, packets: [] },
      code: diagnosis?.code ?? outcome,
      cause: diagnosis?.cause ?? `packets: ${outcome}${expected}${reason.reason}`,
    })
  }
  return name
}

/** The reasons why the objects specify that packets do not arrive at this node, or from this source. */
const SPECIFIED: ReadonlySet<LostPacket['decisionReason']> = new Set([
  ...(['noLocalEndpoints', 'sourceRange', 'localhostNodePort'] as const),
])

/** Splits the packets of a policy into those that arrive on other nodes, and those that arrive nowhere. */
function toCauses(
  { packets, isSpecified, isUnknown, code, cause, diagnosis }: Affected,
  arriving: ReadonlySet<string>,
) {
  const isElsewhere = ({ lost }: Affected['packets'][number]) =>
    isSpecified && (arriving.has(lost.route) || lost.decisionReason !== 'noLocalEndpoints')
  const toCause = (kind: Cause['kind'], some: Affected['packets']): readonly Cause[] =>
    some.length === 0
      ? []
      : [
          {
            ...{ kind, code, cause, diagnosis },
            nodes: [...new Set(some.map(({ nodeName }) => nodeName))],
            servicePorts: [...new Set(some.map(({ lost }) => lost.owner))].sort(),
            origins: ORIGINS.filter((origin) => some.some(({ lost }) => lost.origin === origin)),
            packets: some.length,
          },
        ]
  return [
    ...toCause(
      isUnknown ? 'unknown' : 'lost',
      packets.filter((packet) => !isElsewhere(packet)),
    ),
    ...toCause('specified', packets.filter(isElsewhere)),
  ]
}

const KINDS: readonly Cause['kind'][] = ['lost', 'unknown', 'specified']

function compareCauses(a: Cause, b: Cause): number {
  const byKind = KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)
  if (byKind !== 0) return byKind
  if (a.packets !== b.packets) return b.packets - a.packets
  return a.code < b.code ? -1 : 1
}

function ownerOfRoute(route: string): string {
  return route.slice(0, route.indexOf(' '))
}
