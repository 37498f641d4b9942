import { hash8 } from '../../internal/hash.js'
import { truncateUtf8, utf8Length } from '../../internal/utf8.js'
import type { ServicePortId } from '../../model/services/service-port.js'
import type { PoolName } from '../../plan/plan.js'

/** The chains of one service port; which of them exist is the plan's business. */
export interface ServicePortChains {
  /** One of the endpoints of the whole cluster. */
  readonly cluster: string
  /** One of the endpoints on this node. */
  readonly local: string
  /** What comes to external destinations. */
  readonly external: string
  /** Which sources may come to load-balancer IPs. */
  readonly firewall: string
}

/** Mirrors `servicePortChainNameBase` of the nftables proxier of kube-proxy v1.30. */
export function servicePortChains(id: ServicePortId): ServicePortChains {
  const base = hashed(servicePortPath(id))
  return {
    cluster: `service-${base}`,
    local: `local-${base}`,
    external: `external-${base}`,
    firewall: `firewall-${base}`,
  }
}

/** What an endpoint has with session affinity, and in all cases where endpoints have chains of their own. */
export interface EndpointNames {
  readonly chain: string
  /** The set of clients that were sent there. */
  readonly affinitySet: string
}

/** Mirrors `servicePortEndpointChainNameBase` of kube-proxy v1.30: names have no colons. */
export function endpointNames(
  id: ServicePortId,
  { ip, port }: { readonly ip: string; readonly port: number },
): EndpointNames {
  const base = hashed(`${servicePortPath(id)}__${ip.replaceAll(':', '.')}/${port}`)
  return { chain: `endpoint-${base}`, affinitySet: `affinity-${base}` }
}

/** `default/web/tcp/http`; the slash stays where the port has no name. */
function servicePortPath({ namespace, name, protocol, portName }: ServicePortId): string {
  return `${namespace}/${name}/${protocol.toLowerCase()}/${portName}`
}

/** What the kernel takes for a name is 256 bytes; the longest of the prefixes needs some of them. */
const LONGEST = 240
const CUT = '...'

/** The name behind a hash of it, which tells it from others where it is cut. */
function hashed(path: string): string {
  const name = `${hash8(path)}-${path}`
  return utf8Length(name) <= LONGEST ? name : truncateUtf8(name, LONGEST - CUT.length) + CUT
}

/** The chain that balances over a pool. */
export function poolChain(chains: ServicePortChains, pool: PoolName): string {
  return pool === 'local' ? chains.local : chains.cluster
}
