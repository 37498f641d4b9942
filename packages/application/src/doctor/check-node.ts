import { type ReachabilityRow, traceAllFrontends } from '@kube-rules/analyzer'
import {
  createExampleSource,
  createSourceContext,
  isDelivered,
  isUndeterminedRow,
  type PacketSource,
  type PacketSourceContext,
  type ReasonSummary,
} from '@kube-rules/analyzer/explain'
import { type Decision, decide, type FrontendDecision, type Plan } from '@kube-rules/compiler/plan'
import type { Origin, Packet } from '@kube-rules/types'
import type { ExplainedFamily, ExplainedNode } from '../explain/explained-node.js'
import type { ExplainedPacket } from '../explain/packets.js'

/** A packet from an origin to a frontend of a service port that does not arrive as the objects specify. */
export interface LostPacket {
  /** The service port: `default/web:http/TCP`. */
  readonly owner: string
  /** The service port, kind of frontend, family and origin, which are the same on every node. */
  readonly route: string
  readonly origin: Origin
  /** The outcome in a few words: `rejected`. */
  readonly outcome: string
  readonly reason: ReasonSummary
  /** The reason of the decision that the plan of the service port makes; undefined if it does not claim the packet. */
  readonly decisionReason: FrontendDecision['reason'] | undefined
  readonly isUnknown: boolean
  /** The packet on the node where it was traced. */
  readonly packet: ExplainedPacket | undefined
}

/** The outcomes of packets to service ports on one node. */
export interface CheckedPackets {
  readonly lost: readonly LostPacket[]
  /** The routes of packets that arrive. */
  readonly arriving: readonly string[]
}

/** The outcomes of packets to service ports that are the same on several nodes, by the facts that they depend on. */
export type CheckCache = Map<string, WeakMap<ServicePlan, CheckedPackets>>

type ServicePlan = Plan['services'][number]

/**
 * Traces a packet from a pod, from the node and from outside to every frontend of a node. Reuses the outcomes in `cache` for service
 * ports with the same plan as on an earlier node. Pass no cache for the rules of a dump, because rules of
 * other programs differ between nodes.
 */
export function checkNode(node: ExplainedNode, cache: CheckCache | undefined): readonly CheckedPackets[] {
  return node.families.flatMap((family) => {
    const { plan } = family
    if (plan === undefined) return []
    const known = cache && cacheFor(cache, plan)
    const fresh = plan.services.filter((service) => known?.has(service) !== true)
    const checked = checkServices(family, { ...plan, services: fresh })
    if (known === undefined) return checked
    for (const [index, service] of fresh.entries()) known.set(service, checked[index] ?? NOTHING)
    return plan.services.map((service) => known.get(service) ?? NOTHING)
  })
}

const NOTHING: CheckedPackets = { lost: [], arriving: [] }

/** Returns the cache for nodes that differ only in their name, zone, addresses and pod networks. */
function cacheFor(cache: CheckCache, { services: _, unassignedEndpoints: __, endpointCount: ___, ...header }: Plan) {
  const key = JSON.stringify({ ...header, node: { ...header.node, name: '', zone: '' } }, (_name, value) =>
    typeof value === 'string' && ADDRESS.test(value) ? 'address' : value,
  )
  const found = cache.get(key) ?? new WeakMap<ServicePlan, CheckedPackets>()
  cache.set(key, found)
  return found
}

/** Matches an address or a network. */
const ADDRESS = /^[\da-f]*[.:][\da-f.:]*(?:\/\d+)?$/i

/** Checks the packets to each service port of a plan, in its order. */
function checkServices(family: ExplainedFamily, plan: Plan): readonly CheckedPackets[] {
  const { state, compiled, traceContext } = family
  const rows = traceAllFrontends(state, { plan, compiled, ...traceContext })
  const sources = createSourceContext(state, traceContext, family.plan)
  const byOwner = new Map<string, ReachabilityRow[]>()
  for (const row of rows) {
    const known = byOwner.get(row.frontend.owner)
    if (known === undefined) byOwner.set(row.frontend.owner, [row])
    else known.push(row)
  }
  return plan.services.map((service) => {
    const { text, protocol } = service.id
    return checkRows(byOwner.get(`${text}/${protocol}`) ?? [], family, { ...plan, services: [service] }, sources)
  })
}

/** Checks the packets to the only service port of a plan. */
function checkRows(
  rows: readonly ReachabilityRow[],
  family: ExplainedFamily,
  plan: Plan,
  sources: PacketSourceContext,
): CheckedPackets {
  const lost: LostPacket[] = []
  const arriving: string[] = []
  for (const row of rows) {
    const { owner, kind } = row.frontend
    for (const [origin, outcome] of Object.entries(row.outcomes) as [Origin, string][]) {
      const route = [owner, kind, family.family, origin].join(' ')
      const reason = row.reason?.[origin] ?? { reason: '' }
      const isUnknown = isUndeterminedRow(row) || reason.divergence === 'undetermined'
      if (!isUnknown && reason.divergence !== 'drift' && isDelivered(row, origin)) arriving.push(route)
      else {
        const packet = packetTo(row.frontend, createExampleSource(origin, sources))
        const explained = packet && { ...family, packet }
        const decisionReason = packet && reasonOf(decide(plan, packet))
        lost.push({ owner, route, origin, outcome, reason, decisionReason, isUnknown, packet: explained })
      }
    }
  }
  return { lost, arriving }
}

function packetTo(
  { protocol, address, port }: ReachabilityRow['frontend'],
  source: PacketSource | undefined,
): Packet | undefined {
  return source && { ...source, protocol, destination: address, destinationPort: port }
}

function reasonOf(decision: Decision): LostPacket['decisionReason'] {
  return 'reason' in decision ? decision.reason : undefined
}
