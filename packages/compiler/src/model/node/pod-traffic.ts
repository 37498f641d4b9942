import type { Cidr, IpFamily } from '@kube-rules/types'
import { isInterfaceName, isInterfacePrefix } from '../configuration/detect-local.js'
import type { EffectiveConfiguration } from '../configuration/effective-configuration.js'
import { cidrsOfFamily, clusterCidrParts } from '../configuration/written-addresses.js'
import type { NodeObject } from './node-object.js'

/** The method of local traffic detection. Mirrors the `LocalTrafficDetector` of kube-proxy v1.30. */
export type PodTraffic =
  | { readonly by: 'cidr'; readonly cidr: Cidr }
  | { readonly by: 'interface'; readonly interface: string }
  | { readonly by: 'interfacePrefix'; readonly prefix: string }

/**
 * Returns the local traffic detection for one family; undefined if the configuration provides none. Mirrors
 * `getLocalDetectors` of kube-proxy v1.30: the first network of the family counts.
 */
export function podTrafficOf(
  configuration: EffectiveConfiguration,
  node: Pick<NodeObject, 'podCidrs'>,
  family: IpFamily,
): PodTraffic | undefined {
  const { bridgeInterface, interfaceNamePrefix } = configuration.detectLocal
  switch (configuration.detectLocalMode) {
    case 'ClusterCIDR':
      return byFirst(cidrsOfFamily(clusterCidrParts(configuration.clusterCIDR), family))
    case 'NodeCIDR':
      return byFirst(node.podCidrs.filter((cidr) => cidr.family === family))
    case 'BridgeInterface':
      return isInterfaceName(bridgeInterface) ? { by: 'interface', interface: bridgeInterface } : undefined
    case 'InterfaceNamePrefix':
      return isInterfacePrefix(interfaceNamePrefix) ? { by: 'interfacePrefix', prefix: interfaceNamePrefix } : undefined
    default:
      return undefined
  }
}

function byFirst([cidr]: readonly Cidr[]): PodTraffic | undefined {
  return cidr === undefined ? undefined : { by: 'cidr', cidr }
}
