import { sameValue } from '../../diff/resource.js'
import type { Endpoint } from '../../endpoints/endpoint.js'
import type { ServicePlan } from '../../plan/plan.js'

/** Whether two plans of one service port say the same of its packets; where its endpoints are may be another matter. */
export function samePackets(service: ServicePlan, other: ServicePlan): boolean {
  return (
    service.affinitySeconds === other.affinitySeconds &&
    service.healthCheckNodePort === other.healthCheckNodePort &&
    sameValue(service.frontends, other.frontends) &&
    sameEndpoints(service.pools.cluster, other.pools.cluster) &&
    sameEndpoints(service.pools.local, other.pools.local)
  )
}

/** Whether these are the same addresses and ports in the same order. */
export function sameEndpoints(endpoints: readonly Endpoint[], others: readonly Endpoint[]): boolean {
  if (endpoints === others) return true
  return endpoints.length === others.length && endpoints.every(({ text }, index) => text === others[index]?.text)
}
