import type { IpAddress, IpFamily } from '@kube-rules/types'
import type { ServiceFacts } from './service-facts.js'
import type { ProxiedPort } from './service-port.js'
import type { PortFacts } from './service-port-facts.js'

/** How far kube-proxy of mode userspace gets with the addresses of a Service. */
export interface Reach {
  readonly externalIPs: readonly string[]
  readonly loadBalancerIPs: readonly string[]
  /** Whether an address of the other family, for which iptables fails, has kept it from going on. */
  readonly isCutShort: boolean
}

/** Addresses are not told by family: one of the other family ends the service port. Mirrors `openPortal` of kube-proxy v1.20. */
export function reachOf({ externalIPs, loadBalancerIPs }: ServiceFacts, family: IpFamily): Reach {
  const all = [...externalIPs, ...loadBalancerIPs]
  const stop = all.findIndex((address) => address.family !== family)
  const end = stop < 0 ? all.length : stop
  return {
    externalIPs: textsOf(all.slice(0, Math.min(end, externalIPs.length))),
    loadBalancerIPs: textsOf(all.slice(externalIPs.length, end)),
    isCutShort: stop >= 0,
  }
}

/** Mirrors `sameConfig` of the userspace proxier of kube-proxy v1.20: the seconds of session affinity do not count. */
export function proxiedPort(facts: ServiceFacts, clusterIP: string, port: PortFacts, reach: Reach): ProxiedPort {
  const { id, nodePort } = port
  const { affinitySeconds, ingress = [] } = facts
  const seen = [id.protocol, clusterIP, port.port, nodePort, affinitySeconds !== undefined]
  return {
    identity: JSON.stringify([...seen, textsOf(facts.externalIPs), ingress]),
    isCutShort: reach.isCutShort,
  }
}

function textsOf(addresses: readonly IpAddress[]): readonly string[] {
  return addresses.map(({ text }) => text)
}
