import type { IpFamily } from '@kube-rules/types'
import type { IpAddress } from '@kube-rules/types/internal/ip'
import { mapList } from '../../internal/map-list.js'
import type { Features } from '../configuration/features.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { type EndpointsByPort, formatPortKey } from '../endpoints/endpoints-by-port.js'
import type { ServiceFacts } from './service-facts.js'
import type { ServicePort } from './service-port.js'
import type { ServicePortFacts } from './service-port-facts.js'
import { effectiveSourceRangesOf } from './source-ranges.js'

const NO_ADDRESSES: readonly string[] = Object.freeze([])
const NO_ENDPOINTS: readonly Endpoint[] = Object.freeze([])

/**
 * Returns the ports of one Service in the family of `clusterIP`, in the order of the Service. Mirrors the
 * `ServicePortMap` entries of `serviceToServiceMap` in kube-proxy v1.30.
 */
export function createServicePorts(
  facts: ServiceFacts,
  family: IpFamily,
  clusterIP: string,
  endpoints: EndpointsByPort,
  features: Features,
): readonly ServicePort[] {
  const shared = {
    clusterIP,
    externalIPs: addressesOf(facts.externalIPs, family),
    loadBalancerIPs: addressesOf(facts.loadBalancerIPs, family),
    sourceRanges: effectiveSourceRangesOf(facts.sourceRanges, family, features),
  }
  const ofPort = (port: ServicePortFacts) => endpoints.get(formatPortKey(port.id, features)) ?? NO_ENDPOINTS
  return mapList(facts.ports, (port) => servicePort(facts, shared, port, ofPort(port)))
}

function servicePort(
  facts: ServiceFacts,
  shared: Pick<ServicePort, 'clusterIP' | 'externalIPs' | 'loadBalancerIPs' | 'sourceRanges'>,
  port: ServicePortFacts,
  endpoints: readonly Endpoint[],
): ServicePort {
  return {
    id: port.id,
    clusterIP: shared.clusterIP,
    port: port.port,
    nodePort: port.nodePort,
    externalIPs: shared.externalIPs,
    loadBalancerIPs: shared.loadBalancerIPs,
    sourceRanges: shared.sourceRanges,
    affinitySeconds: facts.affinitySeconds,
    internalPolicyLocal: facts.internalPolicyLocal,
    externalPolicyLocal: facts.externalPolicyLocal,
    healthCheckNodePort: facts.healthCheckNodePort,
    topologyHints: facts.topologyHints,
    topologyKeys: facts.topologyKeys,
    endpoints,
  }
}

function addressesOf(addresses: readonly IpAddress[], family: IpFamily): readonly string[] {
  if (addresses.length === 0) return NO_ADDRESSES
  return addresses.filter((address) => address.family === family).map((address) => address.text)
}
