import type { Plan } from '@kube-rules/compiler/plan'
import type { CheckedPackets } from './checked-packets.js'

/** The outcomes of packets to service ports, by the facts about nodes and by the plans that they depend on. */
export interface CheckCache {
  readonly checked: Map<string, Map<string, CheckedPackets>>
  /** The texts of plans, which most nodes share. */
  readonly texts: WeakMap<ServicePlan, PlanText>
}

type ServicePlan = Plan['services'][number]

/** The parts of a plan that affect the outcomes of packets, as text, and all addresses in the plan. */
interface PlanText {
  readonly text: string
  readonly addresses: readonly string[]
}

/** A service port of a node, with its outcomes if they are known. */
interface KnownService {
  readonly service: ServicePlan
  readonly checked: CheckedPackets | undefined
  /** Stores the outcomes for later nodes. */
  readonly keep: (checked: CheckedPackets) => void
}

export function createCheckCache(): CheckCache {
  return { checked: new Map(), texts: new WeakMap() }
}

/**
 * Finds the outcomes of the service ports of a node. They are unknown for service ports that share an address and a port,
 * because their outcomes also depend on each other.
 */
export function findKnownServices(cache: CheckCache, plan: Plan): readonly KnownService[] {
  const known = findOutcomes(cache, plan)
  const own = new Set(plan.node.addresses.map(({ address }) => address))
  const claims = countClaims(plan, own)
  return plan.services.map((service) => {
    if (claimsOf(service, own).some((claim) => (claims.get(claim) ?? 0) > 1)) {
      return { service, checked: undefined, keep: () => undefined }
    }
    const { text, addresses } = textOf(cache, service)
    const local = addresses.filter((address) => own.has(address))
    const key = local.length === 0 ? text : `${text} ${local.join()}`
    return { service, checked: known.get(key), keep: (checked) => known.set(key, checked) }
  })
}

/** Returns the outcomes on nodes that differ only in their name, zone, addresses and pod networks. */
function findOutcomes(cache: CheckCache, plan: Plan): Map<string, CheckedPackets> {
  const { services: _, unassignedEndpoints: __, endpointCount: ___, ...header } = plan
  const key = JSON.stringify({ ...header, node: { ...header.node, name: '', zone: '' } }, (_name, value) =>
    typeof value === 'string' && ADDRESS.test(value) ? 'address' : value,
  )
  const found = cache.checked.get(key) ?? new Map<string, CheckedPackets>()
  cache.checked.set(key, found)
  return found
}

/** Matches an address or a network. */
const ADDRESS = /^[\da-f]*[.:][\da-f.:]*(?:\/\d+)?$/i

export function countClaims({ services }: Plan, own: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const service of services) {
    for (const claim of new Set(claimsOf(service, own))) counts.set(claim, (counts.get(claim) ?? 0) + 1)
  }
  return counts
}

/**
 * Returns the addresses and ports of the frontends and of the health check. A frontend at an address of the node also claims
 * the node port.
 */
export function claimsOf(
  { id, frontends, healthCheckNodePort }: ServicePlan,
  own: ReadonlySet<string>,
): readonly string[] {
  return [
    ...frontends.map(({ address = '', port }) => `${id.protocol} ${own.has(address) ? '' : address} ${port}`),
    ...(healthCheckNodePort === undefined ? [] : [`TCP  ${healthCheckNodePort}`]),
  ]
}

/**
 * Returns the parts of a plan that affect the outcomes of packets of other clients than its own endpoints. Such packets do
 * not depend on the nodes of the endpoints, except through the pools of the clauses.
 */
function textOf({ texts }: CheckCache, service: ServicePlan): PlanText {
  const known = texts.get(service)
  if (known !== undefined) return known
  const { id, frontends, pools, affinitySeconds, localClauses, unservedNodePort, healthCheckNodePort } = service
  const poolTexts = [pools.cluster, pools.local].map((pool) => pool.map(({ text }) => text))
  const others = [affinitySeconds, localClauses, unservedNodePort, healthCheckNodePort]
  const made = {
    text: JSON.stringify([id.text, id.protocol, frontends, poolTexts, others]),
    addresses: [...frontends.flatMap(({ address }) => address ?? []), ...service.endpoints.map(({ ip }) => ip)],
  }
  texts.set(service, made)
  return made
}
