import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import {
  type Claimant,
  type Decision,
  decide,
  findClaimants,
  isNodeAddress,
} from '@kube-rules/compiler/internal/plan/decide'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { hasLowerPrecedence } from '@kube-rules/compiler/internal/plan/precedence'
import type { Packet } from '@kube-rules/types'
import type { ModePlan } from './mode-plan.js'
import { removeFrontends } from './remove-frontends.js'

/** A service port that kube-proxy may select for a packet, with the decision in this case. */
export interface Contender {
  readonly servicePort: ServicePortId
  /** The service port with its protocol: `shop/web:http/TCP`. */
  readonly name: string
  readonly decision: Decision
  /** The plan without the frontends of the other service ports that claim the packet. */
  readonly plan: Plan
}

/**
 * Returns a function that reports whether packets to an address may be contested: whether several service ports use a
 * port of the address. A node port uses all addresses of the node.
 */
export function createContestedAddressFilter(plan: Plan): (address: string) => boolean {
  const claimants = new Map<string, string>()
  const addresses = new Set<string>()
  for (const { id, frontends } of plan.services) {
    for (const { address, port } of frontends) {
      const isOfNode = address === undefined || isNodeAddress(plan.node, address)
      const key = `${isOfNode ? NODE : address} ${port} ${id.protocol}`
      const claimant = claimants.get(key) ?? id.text
      claimants.set(key, claimant)
      if (claimant !== id.text) addresses.add(isOfNode ? NODE : address)
    }
  }
  return (address) => addresses.has(address) || (addresses.has(NODE) && isNodeAddress(plan.node, address))
}

const NODE = 'node'

/**
 * Reports whether several service ports claim a packet with the same precedence, so that kube-proxy selects one of them
 * at random. In ipvs mode, node ports have the same precedence as addresses of Services.
 */
export function isContested({ mode, plan }: ModePlan, packet: Packet): boolean {
  const claimants = findClaimants(plan, packet)
  if (mode === 'ipvs') return countServicePorts(claimants) > 1
  const [yielding, others] = [claimants.filter(yields), claimants.filter((each) => !yields(each))]
  return countServicePorts(yielding) > 1 || countServicePorts(others) > 1
}

/**
 * Returns the service ports that kube-proxy selects from at random, in the order of the plan. Empty if the selection is
 * not random. In modes other than ipvs, kube-proxy does not select a service port that would reject the packet, or that
 * has no endpoint for it, and it prefers addresses to node ports.
 */
export function findContenders({ mode, plan }: ModePlan, packet: Packet): readonly Contender[] {
  const claimants = findClaimants(plan, packet)
  const servicePorts = [...new Set(claimants.map(({ servicePort }) => servicePort))]
  if (servicePorts.length < 2) return []
  const contenders = servicePorts.map((servicePort) => contenderOf(plan, packet, claimants, servicePort))
  if (mode === 'ipvs') return contenders
  const winning = contenders.filter(({ decision }) => !isLosing(decision, { mode, plan }))
  const atAddress = winning.filter(({ servicePort }) =>
    claimants.some((each) => each.servicePort === servicePort && !yields(each)),
  )
  const selected = atAddress.length > 0 ? atAddress : winning
  return selected.length < 2 ? [] : selected
}

function contenderOf(
  plan: Plan,
  packet: Packet,
  claimants: readonly Claimant[],
  servicePort: ServicePortId,
): Contender {
  const others = claimants.filter((each) => each.servicePort !== servicePort)
  const alone = removeFrontends(
    plan,
    others.map(({ frontend }) => frontend),
  )
  return { servicePort, name: formatServicePort(servicePort), decision: decide(alone, packet), plan: alone }
}

/**
 * Reports whether a service port with this decision loses to a service port that delivers the packet. In iptables mode
 * up to 1.24, a packet from outside the source ranges is marked for dropping before other rules translate it.
 */
function isLosing({ kind }: Decision, { mode, plan }: ModePlan): boolean {
  if (kind === 'drop') return mode !== 'iptables' || plan.kernel.features.dropsInFilter
  return kind === 'reject' || kind === 'unmatched'
}

function countServicePorts(claimants: readonly Claimant[]): number {
  return new Set(claimants.map(({ servicePort }) => servicePort)).size
}

function yields({ frontend }: Claimant): boolean {
  return hasLowerPrecedence(frontend)
}
