import { isAffinitySet } from '@kube-rules/compiler/internal/targets/nftables/static-names'
import { isEndpointChain } from '@kube-rules/compiler/internal/targets/shared/kube-chains'

/**
 * Reports whether a list of clients belongs to an endpoint (iptables and nftables modes) or to a virtual server
 * (`10.96.0.1:80`, ipvs mode). Firewalls have lists of clients too.
 */
export function isAffinityList(name: string): boolean {
  return isEndpointChain(name) || isAffinitySet(name) || name.includes(':')
}
