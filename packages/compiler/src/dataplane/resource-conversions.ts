import type { IpFamily } from '@kube-rules/types'
import type { Resources } from '../patch/resource.js'
import { assembleAddresses, isAddressId, resourcesOf as resourcesOfAddresses } from './addresses/resources.js'
import { assembleIpset, isIpsetId, resourcesOf as resourcesOfIpset } from './ipset/resources.js'
import { assembleIptables, isChainId, resourcesOf as resourcesOfIptables } from './iptables/resources.js'
import { assembleIpvs, isIpvsId, resourcesOf as resourcesOfIpvs } from './ipvs/resources.js'
import { assembleNftables, isNftablesId, resourcesOf as resourcesOfNftables } from './nftables/resources.js'
import type { StateOf, Subsystem } from './node-state.js'

/** The functions that convert states of a subsystem to resources. */
export interface SubsystemResources<State> {
  /** Reports whether the id of a resource belongs to this subsystem. */
  owns(id: string): boolean
  /** Lists the resources of a state. */
  resources(state: State): Resources
}

export const SUBSYSTEM_RESOURCES: { readonly [S in Subsystem]: SubsystemResources<StateOf<S>> } = {
  nftables: { owns: isNftablesId, resources: resourcesOfNftables },
  ipset: { owns: isIpsetId, resources: resourcesOfIpset },
  ipvs: { owns: isIpvsId, resources: resourcesOfIpvs },
  addresses: { owns: isAddressId, resources: resourcesOfAddresses },
  iptables: { owns: isChainId, resources: resourcesOfIptables },
}

/**
 * Builds a state from resources. This function is the inverse of `resources`, except for metadata that resources do not
 * contain, such as owners.
 */
type AssembleState<State> = (resources: Resources, family: IpFamily) => State

export const STATE_ASSEMBLERS: { readonly [S in Subsystem]: AssembleState<StateOf<S>> } = {
  nftables: assembleNftables,
  ipset: assembleIpset,
  ipvs: assembleIpvs,
  addresses: assembleAddresses,
  iptables: assembleIptables,
}
