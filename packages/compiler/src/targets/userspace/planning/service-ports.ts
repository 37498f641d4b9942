import type { IpFamily } from '@kube-rules/types'
import type { IpAddress } from '@kube-rules/types/internal/ip'
import { mapList } from '../../../internal/map-list.js'
import type { Features } from '../../../model/configuration/features.js'
import type { EndpointsByPort } from '../../../model/endpoints/endpoints-by-port.js'
import type { ServiceFacts } from '../../../model/services/service-facts.js'
import type { ServicePort } from '../../../model/services/service-port.js'
import { createServicePorts } from '../../../model/services/service-ports.js'

/** The properties of a service port that matter to kube-proxy in userspace mode. */
export interface UserspaceProxyPort {
  /** A text that changes if and only if kube-proxy opens a new proxy port for the service port. */
  readonly identity: string
  /**
   * Whether kube-proxy stops creating rules at an address of the Service in the other family. If so, later addresses
   * are not served.
   */
  readonly stopsEarly: boolean
}

/** A service port in userspace mode. */
export interface UserspaceServicePort extends ServicePort {
  readonly proxied: UserspaceProxyPort
}

export function isUserspaceServicePort(servicePort: ServicePort): servicePort is UserspaceServicePort {
  return 'proxied' in servicePort
}

/**
 * Returns the service ports of one Service in userspace mode. The service ports contain only the addresses that the
 * userspace proxy serves.
 */
export function createUserspaceServicePorts(
  facts: ServiceFacts,
  family: IpFamily,
  clusterIP: string,
  endpoints: EndpointsByPort,
  features: Features,
): readonly UserspaceServicePort[] {
  const { externalIPs, loadBalancerIPs, stopsEarly } = reachOf(facts, family)
  const ports = createServicePorts(facts, family, clusterIP, endpoints, features)
  return mapList(ports, (port) => ({
    ...port,
    externalIPs,
    loadBalancerIPs,
    ...(stopsEarly && { nodePort: 0 }),
    proxied: { identity: identityOf(facts, port), stopsEarly },
  }))
}

/** The addresses of a Service that kube-proxy serves in userspace mode. */
interface Reach {
  readonly externalIPs: readonly string[]
  readonly loadBalancerIPs: readonly string[]
  /** Whether kube-proxy stops creating rules at an address of the other family, because iptables rejects this address. */
  readonly stopsEarly: boolean
}

/**
 * Returns the served addresses. kube-proxy does not distinguish address families here, so it stops at the first address
 * of the other family. Mirrors `openPortal` of kube-proxy v1.20.
 */
function reachOf({ externalIPs, loadBalancerIPs }: ServiceFacts, family: IpFamily): Reach {
  const all = [...externalIPs, ...loadBalancerIPs]
  const stop = all.findIndex((address) => address.family !== family)
  const end = stop < 0 ? all.length : stop
  return {
    externalIPs: textsOf(all.slice(0, Math.min(end, externalIPs.length))),
    loadBalancerIPs: textsOf(all.slice(externalIPs.length, end)),
    stopsEarly: stop >= 0,
  }
}

/**
 * Returns a text of the properties that kube-proxy compares. If one of these properties changes, kube-proxy reopens the
 * service port. The timeout of session affinity is not compared. Mirrors `sameConfig` of the userspace proxier of
 * kube-proxy v1.20.
 */
function identityOf({ externalIPs, affinitySeconds, ingress = [] }: ServiceFacts, servicePort: ServicePort): string {
  const { id, clusterIP, port, nodePort } = servicePort
  const seen = [id.protocol, clusterIP, port, nodePort, affinitySeconds !== undefined]
  return JSON.stringify([...seen, textsOf(externalIPs), ingress])
}

function textsOf(addresses: readonly IpAddress[]): readonly string[] {
  return addresses.map(({ text }) => text)
}
