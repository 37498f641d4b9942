import { IP_FAMILIES } from '@kube-rules/types'
import type { CachedService, CachedServiceFamily, CachedServicePort } from '../compilation/cached-services.js'
import { haveSameItems } from '../internal/have-same-items.js'
import { mapList } from '../internal/map-list.js'
import { reuseIfEqual } from '../internal/plain-data.js'
import type { ServicePort } from '../model/services/service-port.js'
import type { ServicePlan } from '../plan/plan.js'

/**
 * Returns a cached Service with its equal parts replaced with those of `other`, the same Service on another node. If
 * all parts are equal, returns `other` itself.
 */
export function reuseEqualServiceData(service: CachedService, other: CachedService): CachedService {
  const families: Partial<Record<(typeof IP_FAMILIES)[number], CachedServiceFamily | undefined>> = {}
  for (const name of IP_FAMILIES) families[name] = shareFamily(service.families[name], other.families[name])
  const isSame = service.group === other.group && IP_FAMILIES.every((name) => families[name] === other.families[name])
  // The diagnostics of the Service on the other node are reused, because they do not depend on the node.
  return isSame ? other : { group: service.group, diagnostics: other.diagnostics, families }
}

function shareFamily(
  family: CachedServiceFamily | undefined,
  other: CachedServiceFamily | undefined,
): CachedServiceFamily | undefined {
  if (family === undefined || other === undefined) return family
  const ports = mapList(family.ports, (port, index) => sharePort(port, other.ports[index]))
  const healthCheck = reuseIfEqual(family.healthCheck, other.healthCheck)
  const unassignedEndpoints = reuseIfEqual(family.unassignedEndpoints, other.unassignedEndpoints)
  const isSame =
    healthCheck === other.healthCheck &&
    unassignedEndpoints === other.unassignedEndpoints &&
    haveSameItems(ports, other.ports)
  return isSame ? other : { ports, healthCheck, unassignedEndpoints }
}

function sharePort(port: CachedServicePort, other: CachedServicePort | undefined): CachedServicePort {
  if (other === undefined || port === other) return port
  const servicePort = shareServicePort(port.servicePort, other.servicePort)
  const plan = sharePlan(port.plan, other.plan)
  const conflicts = reuseIfEqual(port.conflicts, other.conflicts)
  const isSame = servicePort === other.servicePort && plan === other.plan && conflicts === other.conflicts
  // The address claims of the other node are reused, because claims are compared by identity and no Service address
  // depends on the node.
  return isSame ? other : { servicePort, plan, claims: other.claims, conflicts }
}

/**
 * Returns the service port of this node. Reuses the parts of the service port of another node, which differs only in
 * its endpoints.
 */
function shareServicePort(servicePort: ServicePort, other: ServicePort): ServicePort {
  const endpoints = shareItems(servicePort.endpoints, other.endpoints)
  return endpoints === other.endpoints ? other : { ...other, endpoints }
}

function sharePlan(plan: ServicePlan, other: ServicePlan): ServicePlan {
  return reuseIfEqual({ ...plan, frontends: reuseIfEqual(plan.frontends, other.frontends) }, other)
}

/** Returns `items` with equal items replaced with those of `others`. If all items are equal, returns `others` itself. */
function shareItems<T>(items: readonly T[], others: readonly T[]): readonly T[] {
  const shared = items.map((item, index) => reuseIfEqual(item, others[index]))
  return haveSameItems(shared, others) ? others : shared
}
