import { hash8 } from '../../internal/hash.js'
import { exceedsUtf8Length, truncateUtf8 } from '../../internal/utf8.js'
import type { ServicePortId } from '../../model/services/service-port.js'
import type { EndpointPoolName } from '../../plan/plan.js'

/** The names of the chains of one service port. The plan determines which of these chains exist. */
export interface ServicePortChains {
  /** The chain that balances connections over the endpoints of the whole cluster. */
  readonly cluster: string
  /** The chain that balances connections over the endpoints on this node. */
  readonly local: string
  /** The chain that handles packets to external destinations. */
  readonly external: string
  /** The chain that checks the sources of packets to load-balancer IPs. */
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

/**
 * The names of the chain and the set of an endpoint. They are used if the endpoint has session affinity or a separate
 * chain.
 */
export interface EndpointNames {
  readonly chain: string
  /** The name of the set that contains the session-affinity entries of the endpoint. */
  readonly affinitySet: string
}

/**
 * Returns the names of the chain and the set of an endpoint. The names contain no colons. Mirrors
 * `servicePortEndpointChainNameBase` of kube-proxy v1.30.
 */
export function endpointNamesOf(
  id: ServicePortId,
  { ip, port }: { readonly ip: string; readonly port: number },
): EndpointNames {
  const base = hashed(`${servicePortPath(id)}__${ip.replaceAll(':', '.')}/${port}`)
  return { chain: `endpoint-${base}`, affinitySet: `affinity-${base}` }
}

/** Returns the name path of a service port: `default/web/tcp/http`. If the port has no name, the path ends with a slash. */
function servicePortPath({ namespace, name, protocol, portName }: ServicePortId): string {
  return `${namespace}/${name}/${protocol.toLowerCase()}/${portName}`
}

/** The maximum length of a name without its prefix. In the kernel, a whole name may have up to 256 bytes. */
const LONGEST = 240
const CUT = '...'

/** Puts the hash of a name before the name, so that truncated names are unique. */
function hashed(path: string): string {
  const name = `${hash8(path)}-${path}`
  return exceedsUtf8Length(name, LONGEST) ? truncateUtf8(name, LONGEST - CUT.length) + CUT : name
}

/** Returns the name of the chain that balances connections over the endpoints of a pool. */
export function policyChainNameOf(chains: ServicePortChains, pool: EndpointPoolName): string {
  return pool === 'local' ? chains.local : chains.cluster
}
