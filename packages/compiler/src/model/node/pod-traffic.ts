import type { Cidr, IpFamily } from '@kube-rules/types'
import { isInterfaceName, isInterfacePrefix } from '../configuration/detect-local.js'
import type { EffectiveConfiguration } from '../configuration/effective-configuration.js'
import { cidrsOfFamily, clusterCidrParts } from '../configuration/written-addresses.js'
import type { NodeObject } from './node-object.js'

/** By what traffic of this node's pods is known. Mirrors the `LocalTrafficDetector` of kube-proxy v1.30. */
export type PodTraffic =
  | { readonly by: 'cidr'; readonly cidr: Cidr }
  | { readonly by: 'interface'; readonly interface: string }
  | { readonly by: 'interfacePrefix'; readonly prefix: string }

/**
 * How traffic of this node's pods is told from other traffic of one family; undefined where the configuration gives
 * no way to. Mirrors `getLocalDetectors` of kube-proxy v1.30: the first network of the family counts.
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
