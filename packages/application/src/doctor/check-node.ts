import { type ReachabilityRow, traceAllFrontends } from '@kube-rules/analyzer'
import {
  createExampleSource,
  createSourceContext,
  isDelivered,
  isUndeterminedRow,
  type PacketSource,
  type PacketSourceContext,
} from '@kube-rules/analyzer/explain'
import { type Decision, decide, type Plan } from '@kube-rules/compiler/plan'
import type { Origin, Packet } from '@kube-rules/types'
import type { ExplainedFamily, ExplainedNode } from '../explain/explained-node.js'
import { type CheckCache, findKnownServices } from './check-cache.js'
import type { CheckedPackets, LostPacket } from './checked-packets.js'
import { createServiceClassifier } from './equivalent-services.js'

/**
 * Traces a packet from a pod, from the node and from outside to every frontend of a node. Reuses the outcomes in `cache` for service
 * ports that were planned in the same way on an earlier node. Pass no cache for the rules of a dump, because rules of
 * other programs differ between nodes.
 */
export function checkNode(node: ExplainedNode, cache: CheckCache | undefined): readonly CheckedPackets[] {
  return node.families.flatMap((family) => {
    const { plan } = family
    if (plan === undefined) return []
    if (cache === undefined)
      return family.report === undefined ? checkServices(family, plan) : checkClasses(family, plan)
    const known = findKnownServices(cache, plan)
    const fresh = known.filter(({ checked }) => checked === undefined)
    const added = checkServices(family, { ...plan, services: fresh.map(({ service }) => service) })
    for (const [index, { keep }] of fresh.entries()) keep(added[index] ?? NOTHING)
    return [...known.flatMap(({ checked }) => checked ?? []), ...added]
  })
}

const NOTHING: CheckedPackets = { lost: [], arriving: [] }

/**
 * Checks the packets to each service port of a plan on a verified node, in its order. Checks one service port of each
 * class. If packets to it are lost, checks the whole class.
 */
function checkClasses(family: ExplainedFamily, plan: Plan): readonly CheckedPackets[] {
  const classOf = createServiceClassifier(family, plan)
  const classes = plan.services.map(classOf)
  const firsts = new Map<string, number>()
  for (const [index, name] of classes.entries()) {
    if (name !== undefined && !firsts.has(name)) firsts.set(name, index)
  }
  const checked = new Map<number, CheckedPackets>()
  const check = (indices: readonly number[]) => {
    const services = indices.flatMap((index) => plan.services[index] ?? [])
    const results = checkServices(family, { ...plan, services })
    for (const [place, index] of indices.entries()) checked.set(index, results[place] ?? NOTHING)
  }
  const firstOf = (index: number) => firsts.get(classes[index] ?? '') ?? index
  const indices = [...plan.services.keys()]
  check(indices.filter((index) => firstOf(index) === index))
  const isLost = (index: number) => (checked.get(index)?.lost.length ?? 0) > 0
  check(indices.filter((index) => firstOf(index) !== index && isLost(firstOf(index))))
  return plan.services.map(
    (service, index) => checked.get(index) ?? rename(checked.get(firstOf(index)) ?? NOTHING, service),
  )
}

/** Returns the outcomes of a service port without lost packets, with the name of another service port of its class. */
function rename(
  { lost, arriving }: CheckedPackets,
  { id: { text, protocol } }: Plan['services'][number],
): CheckedPackets {
  return { lost, arriving: arriving.map((route) => `${text}/${protocol}${route.slice(route.indexOf(' '))}`) }
}

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
