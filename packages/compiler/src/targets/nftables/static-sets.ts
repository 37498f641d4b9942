import type { NamedSet } from '../../dataplane/nftables/ast.js'
import type { PlanHeader } from '../../plan/plan.js'
import { FAMILY_KEYWORDS } from './statements.js'
import {
  CLUSTER_IPS_SET,
  FIREWALL_IPS_MAP,
  HAIRPIN_CONNECTIONS_SET,
  LOCALHOST_REJECT_PORTS_MAP,
  NO_ENDPOINT_NODE_PORTS_MAP,
  NO_ENDPOINT_SERVICES_MAP,
  NODE_PORT_IPS_SET,
  SERVICE_IPS_MAP,
  SERVICE_NODE_PORTS_MAP,
} from './static-names.js'

/**
 * Returns the sets and maps of the table, in the creation order of `setupNFTables`. The contributions of service ports
 * add their elements.
 */
export function createStaticSets({
  family,
  nodePorts,
  kernel,
  rejectedLocalhostNodePorts,
}: PlanHeader): readonly NamedSet[] {
  const { addressType } = FAMILY_KEYWORDS[family]
  const map = (name: string, comment: string, types: readonly string[]): NamedSet => ({
    ...{ kind: 'map', name, key: { kind: 'type', types } },
    ...{ data: ['verdict'], comment, elements: [] },
  })
  const set = (name: string, comment: string, types: readonly string[], keys: readonly string[] = []): NamedSet => ({
    ...{ kind: 'set', name, key: { kind: 'type', types }, comment },
    elements: keys.map((key) => ({ key })),
  })
  const port = ['inet_proto', 'inet_service']
  const addressAndPort = [addressType, ...port]
  return [
    ...(kernel.features.squashedEndpoints
      ? [set(HAIRPIN_CONNECTIONS_SET, 'service hairpin connections', [addressType, ...addressAndPort])]
      : []),
    set(CLUSTER_IPS_SET, 'Active ClusterIPs', [addressType]),
    ...(nodePorts.all
      ? []
      : [set(NODE_PORT_IPS_SET, 'IPs that accept NodePort traffic', [addressType], nodePorts.addresses)]),
    map(NO_ENDPOINT_SERVICES_MAP, 'vmap to drop or reject packets to services with no endpoints', addressAndPort),
    map(NO_ENDPOINT_NODE_PORTS_MAP, 'vmap to drop or reject packets to service nodeports with no endpoints', port),
    ...(rejectedLocalhostNodePorts.length === 0
      ? []
      : [map(LOCALHOST_REJECT_PORTS_MAP, 'localhost NodePorts rejected by kube-proxy', port)]),
    map(FIREWALL_IPS_MAP, 'destinations that are subject to LoadBalancerSourceRanges', addressAndPort),
    map(SERVICE_IPS_MAP, 'ClusterIP, ExternalIP and LoadBalancer IP traffic', addressAndPort),
    map(SERVICE_NODE_PORTS_MAP, 'NodePort traffic', port),
  ]
}
