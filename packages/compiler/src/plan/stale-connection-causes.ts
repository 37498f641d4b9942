import type { Endpoint } from '../model/endpoints/endpoint.js'
import type { ServicePortId } from '../model/services/service-port.js'
import type { ServicePortChange } from './pair-service-ports.js'
import type { Plan, ServicePlan } from './plan.js'

/** A change that may make connections of one UDP service port stale. */
export type StaleConnectionCause =
  | { readonly kind: 'removed'; readonly before: ServicePlan }
  | {
      readonly kind: 'present'
      readonly after: ServicePlan
      /** The endpoints before the change, even if the service port did not exist then. */
      readonly endpointsBefore: readonly Endpoint[]
    }

/**
 * Returns the changes of UDP service ports and of their endpoints. `pairs` contains the service ports that differ between
 * the plan `before` and the next plan. Up to 1.31, the endpoints of a service port may be older than the service
 * port. Up to 1.16, a port that only changes its protocol is not removed, because its name identifies it.
 */
export function findStaleConnectionCauses(
  pairs: readonly ServicePortChange[],
  before: Plan | undefined,
  after: Plan | undefined,
): readonly StaleConnectionCause[] {
  const isByName = (after ?? before)?.kernel.features.portsByNameAlone ?? false
  const keyOf = ({ text, protocol }: ServicePortId) => (isByName ? text : `${text}/${protocol}`)
  const present = new Set(pairs.flatMap((pair) => (pair.after === undefined ? [] : [keyOf(pair.after.id)])))
  const known = new Map(before?.unassignedEndpoints.map(({ id, endpoints }) => [keyOf(id), endpoints]))
  for (const pair of pairs) if (pair.before !== undefined) known.set(keyOf(pair.before.id), pair.before.endpoints)
  return pairs.flatMap((pair): readonly StaleConnectionCause[] => {
    const service = pair.after ?? pair.before
    if (service?.id.protocol !== 'UDP') return []
    if (pair.after === undefined) {
      return present.has(keyOf(service.id)) ? [] : [{ kind: 'removed', before: service }]
    }
    return [{ kind: 'present', after: pair.after, endpointsBefore: known.get(keyOf(service.id)) ?? [] }]
  })
}
