import type { IpFamily } from '@kube-rules/types'
import type { Resources } from '../patch/resource.js'
import { assembleAddresses, isAddressId, resourcesOf as resourcesOfAddresses } from './addresses/resources.js'
import { assembleIpset, isIpsetId, resourcesOf as resourcesOfIpset } from './ipset/resources.js'
import { assembleIptables, isChainId, resourcesOf as resourcesOfIptables } from './iptables/resources.js'
import { assembleIpvs, isIpvsId, resourcesOf as resourcesOfIpvs } from './ipvs/resources.js'
import { assembleNftables, isNftablesId, resourcesOf as resourcesOfNftables } from './nftables/resources.js'
import type { StateOf, Subsystem } from './node-state.js'

/** The conversion between states and resources of a subsystem. */
export interface ResourceConversion<State> {
  /** Reports whether the id of a resource belongs to this subsystem. */
  owns(id: string): boolean
  /** Lists the resources of a state. */
  resources(state: State): Resources
  /**
   * Builds a state from resources. Inverse of `resources`, except for metadata that resources do not carry, such as
   * owners.
   */
  assemble(resources: Resources, family: IpFamily): State
}

export const RESOURCE_CONVERSIONS: { readonly [S in Subsystem]: ResourceConversion<StateOf<S>> } = {
  nftables: { owns: isNftablesId, resources: resourcesOfNftables, assemble: assembleNftables },
  ipset: { owns: isIpsetId, resources: resourcesOfIpset, assemble: assembleIpset },
  ipvs: { owns: isIpvsId, resources: resourcesOfIpvs, assemble: assembleIpvs },
  addresses: { owns: isAddressId, resources: resourcesOfAddresses, assemble: assembleAddresses },
  iptables: { owns: isChainId, resources: resourcesOfIptables, assemble: assembleIptables },
}
