import type { Cidr, IpFamily } from '@kube-rules/types'
import { parseCidrsOfFamily, splitClusterCidr } from '../configuration/configured-addresses.js'
import { isInterfaceName, isInterfacePrefix } from '../configuration/detect-local.js'
import type { EffectiveConfiguration } from '../configuration/effective-configuration.js'
import type { ParsedNode } from './parsed-node.js'

/** The method of local traffic detection. Mirrors the `LocalTrafficDetector` of kube-proxy v1.30. */
export type LocalTrafficDetection =
  | { readonly kind: 'cidr'; readonly cidr: Cidr }
  | { readonly kind: 'interface'; readonly interface: string }
  | { readonly kind: 'interfacePrefix'; readonly prefix: string }

/**
 * Returns the local traffic detection for one family; undefined if the configuration does not enable detection for the
 * family. Mirrors `getLocalDetectors` of kube-proxy v1.30: only the first network of the family is used.
 */
export function createLocalTrafficDetection(
  configuration: EffectiveConfiguration,
  node: Pick<ParsedNode, 'podCidrs'>,
  family: IpFamily,
  networksAsWritten = false,
): LocalTrafficDetection | undefined {
  const { bridgeInterface, interfaceNamePrefix } = configuration.detectLocal
  switch (configuration.detectLocalMode) {
    case 'ClusterCIDR':
      return byFirst(parseCidrsOfFamily(splitClusterCidr(configuration.clusterCIDR), family, networksAsWritten))
    case 'NodeCIDR':
      return byFirst(node.podCidrs.filter((cidr) => cidr.family === family))
    case 'BridgeInterface':
      return isInterfaceName(bridgeInterface) ? { kind: 'interface', interface: bridgeInterface } : undefined
    case 'InterfaceNamePrefix':
      return isInterfacePrefix(interfaceNamePrefix)
        ? { kind: 'interfacePrefix', prefix: interfaceNamePrefix }
        : undefined
    default:
      return undefined
  }
}

function byFirst([cidr]: readonly Cidr[]): LocalTrafficDetection | undefined {
  return cidr === undefined ? undefined : { kind: 'cidr', cidr }
}
