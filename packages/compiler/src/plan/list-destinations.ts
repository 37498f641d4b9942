import type { Protocol } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { groupItems } from '../internal/group-items.js'
import type { Frontend, Plan, ServicePlan } from './plan.js'
import { selectOpenedFrontends } from './port-conflicts.js'
import { hasLowerPrecedence, type RankedClaimant, selectPreferredClaimant, sortByPrecedence } from './precedence.js'

/** An address, port and protocol that a service port serves. */
export interface PlanDestination {
  /** The address in canonical form; for a node port, an address of the node. */
  readonly address: string
  /** The port. */
  readonly port: number
  /** The protocol. */
  readonly protocol: Protocol
  /** The service port that serves the destination. */
  readonly service: ServicePlan
  /** The frontend of the service port. */
  readonly frontend: Frontend
}

interface Claim extends RankedClaimant {
  readonly destination: PlanDestination
}

/**
 * Returns the destinations of a plan. If several frontends claim an address and a port, only the frontend that gets the
 * packets is returned, so that every destination occurs once. Node ports on loopback addresses are not included.
 */
export function listDestinations(given: Plan): readonly PlanDestination[] {
  const plan = selectOpenedFrontends(given)
  const nodeAddresses = nodePortAddressesOf(plan)
  const claims = plan.services.flatMap((service, place) => claimsOf(plan, service, place, nodeAddresses))
  const contenders = groupItems(claims, ({ destination }) => keyOf(destination))
  return [...contenders.values()].flatMap((some) => selectPreferredClaimant(some)?.destination ?? [])
}

function nodePortAddressesOf({ nodePorts, node }: Plan): readonly string[] {
  const addresses = nodePorts.all ? node.addresses.map(({ address }) => address) : nodePorts.addresses
  return addresses.filter((address) => !isLoopback(address))
}

/** Returns one claim for each destination of a service port. */
function claimsOf(plan: Plan, service: ServicePlan, place: number, nodeAddresses: readonly string[]): readonly Claim[] {
  const { protocol } = service.id
  const claimed = service.frontends.flatMap((frontend) =>
    (frontend.address === undefined ? nodeAddresses : [frontend.address]).map((address): PlanDestination => {
      return { address, port: frontend.port, protocol, service, frontend }
    }),
  )
  return [...groupItems(claimed, keyOf).values()].flatMap((same) => {
    const frontends = same.map(({ frontend }) => frontend)
    const [preferred] = sortByPrecedence(frontends, plan.kernel.features)
    const yields = frontends.every(hasLowerPrecedence)
    return same.flatMap((destination) => (destination.frontend === preferred ? [{ destination, yields, place }] : []))
  })
}

function keyOf({ address, port, protocol }: PlanDestination): string {
  return `${address} ${port} ${protocol}`
}
