import { hash8 } from '../../internal/hash.js'
import { truncateUtf8, utf8Length } from '../../internal/utf8.js'
import type { ServicePortId } from '../../model/services/service-port.js'
import type { PoolName } from '../../plan/plan.js'

/** The chains of one service port; the plan determines which of them exist. */
export interface ServicePortChains {
  /** Balances over the endpoints of the whole cluster. */
  readonly cluster: string
  /** Balances over the endpoints on this node. */
  readonly local: string
  /** Handles packets to external destinations. */
  readonly external: string
  /** Checks the sources of packets to load-balancer IPs. */
  readonly firewall: string
}

/**
 * Returns the chains of a service port. Mirrors `servicePortChainNameBase` of the nftables proxier of kube-proxy v1.30.
 */
export function servicePortChainsOf(id: ServicePortId): ServicePortChains {
  const base = hashed(servicePortPath(id))
  return {
    cluster: `service-${base}`,
    local: `local-${base}`,
    external: `external-${base}`,
    firewall: `firewall-${base}`,
  }
}

/** The names of an endpoint, if it has session affinity or a separate chain. */
export interface EndpointNames {
  readonly chain: string
  /** The set of its session-affinity entries. */
  readonly affinitySet: string
}

/**
 * Returns the names of an endpoint. Mirrors `servicePortEndpointChainNameBase` of kube-proxy v1.30: names contain no
 * colons.
 */
export function endpointNamesOf(
  id: ServicePortId,
  { ip, port }: { readonly ip: string; readonly port: number },
): EndpointNames {
  const base = hashed(`${servicePortPath(id)}__${ip.replaceAll(':', '.')}/${port}`)
  return { chain: `endpoint-${base}`, affinitySet: `affinity-${base}` }
}

/** Returns `default/web/tcp/http`; the last slash remains if the port has no name. */
function servicePortPath({ namespace, name, protocol, portName }: ServicePortId): string {
  return `${namespace}/${name}/${protocol.toLowerCase()}/${portName}`
}

/** The maximum length of a name without its prefix. The limit of the kernel for the whole name is 256 bytes. */
const LONGEST = 240
const CUT = '...'

/** Prefixes a name with its hash, which makes truncated names unique. */
function hashed(path: string): string {
  const name = `${hash8(path)}-${path}`
  return utf8Length(name) <= LONGEST ? name : truncateUtf8(name, LONGEST - CUT.length) + CUT
}

/** Returns the chain that balances over a pool. */
export function poolChainName(chains: ServicePortChains, pool: PoolName): string {
  return pool === 'local' ? chains.local : chains.cluster
}
