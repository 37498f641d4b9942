import type { IpFamily, Protocol } from '@kube-rules/types'
import type { TableKey } from '../../dataplane/nftables/state.js'
import { FAMILY_KEYWORDS } from './statements.js'

const TABLES: Readonly<Record<IpFamily, TableKey>> = {
  IPv4: { family: FAMILY_KEYWORDS.IPv4.header, name: 'kube-proxy' },
  IPv6: { family: FAMILY_KEYWORDS.IPv6.header, name: 'kube-proxy' },
}

/** Returns the name of the kube-proxy table. */
export function tableKeyOfFamily(family: IpFamily): TableKey {
  return TABLES[family]
}

export function isKubeProxyTable({ family, name }: TableKey): boolean {
  return name === 'kube-proxy' && (family === 'ip' || family === 'ip6')
}

export const MARK_CHAIN = 'mark-for-masquerade'
export const REJECT_CHAIN = 'reject-chain'
/** The chains that reject packets to node ports on loopback addresses, by protocol. The counters have the same names. */
export const LOCALHOST_REJECT_CHAINS: Readonly<Record<Protocol, string>> = ofProtocols('localhost-nodeport-reject-')
export const LOCALHOST_REJECT_COUNTERS: Readonly<Record<Protocol, string>> = ofProtocols('localhost-nodeport-rejected-')
export const SERVICES_CHAIN = 'services'
export const MASQUERADING_CHAIN = 'masquerading'
export const CLUSTER_IPS_CHECK_CHAIN = 'cluster-ips-check'
export const FIREWALL_CHECK_CHAIN = 'firewall-check'
export const SERVICE_ENDPOINTS_CHECK_CHAIN = 'service-endpoints-check'
export const NODE_PORT_ENDPOINTS_CHECK_CHAIN = 'nodeport-endpoints-check'

/** The set of the cluster IPs of all Services. */
export const CLUSTER_IPS_SET = 'cluster-ips'
/** The node addresses that serve node ports. */
export const NODE_PORT_IPS_SET = 'nodeport-ips'
/** The set of the connections of endpoints to themselves. */
export const HAIRPIN_CONNECTIONS_SET = 'hairpin-connections'
export const NO_ENDPOINT_SERVICES_MAP = 'no-endpoint-services'
export const NO_ENDPOINT_NODE_PORTS_MAP = 'no-endpoint-nodeports'
/** The set of the node ports that are rejected on loopback addresses. */
export const LOCALHOST_REJECT_PORTS_MAP = 'localhost-nodeport-reject-ports'
export const FIREWALL_IPS_MAP = 'firewall-ips'
/** The sets in 1.29: the destinations with source ranges, and the pairs of destination and permitted source. */
export const FIREWALL_SET = 'firewall'
export const FIREWALL_ALLOW_SET = 'firewall-allow'
export const SERVICE_IPS_MAP = 'service-ips'
export const SERVICE_NODE_PORTS_MAP = 'service-nodeports'

/** Reports whether a chain or set belongs to a service port. Static names contain no slash. */
export function isServicePortObjectName(name: string): boolean {
  return name.includes('/')
}

/** Reports whether a set contains session-affinity entries of an endpoint. */
export function isAffinitySet(name: string): boolean {
  return name.startsWith('affinity-')
}

function ofProtocols(prefix: string): Readonly<Record<Protocol, string>> {
  return { TCP: `${prefix}tcp`, UDP: `${prefix}udp`, SCTP: `${prefix}sctp` }
}
