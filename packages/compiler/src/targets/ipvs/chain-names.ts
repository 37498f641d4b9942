import type { Features } from '../../model/configuration/features.js'
import { MARK_DROP_CHAIN } from '../shared/kube-chains.js'
import { FORWARD_CHAIN, MARK_MASQ_CHAIN, POSTROUTING_CHAIN } from '../shared/mark.js'

export const SERVICES_CHAIN = 'KUBE-SERVICES'
/** The chain that marks packets to node ports in the nat table, and accepts health checks in the filter table. */
export const NODE_PORT_CHAIN = 'KUBE-NODE-PORT'
/**
 * The chain that checks source ranges in the nat table. In the filter table, the kubelet has a chain with the same
 * name.
 */
export const FIREWALL_CHAIN = 'KUBE-FIREWALL'
export const LOAD_BALANCER_CHAIN = 'KUBE-LOAD-BALANCER'
export const PROXY_FIREWALL_CHAIN = 'KUBE-PROXY-FIREWALL'
export const SOURCE_RANGES_CHAIN = 'KUBE-SOURCE-RANGES-FIREWALL'
export const IPVS_FILTER_CHAIN = 'KUBE-IPVS-FILTER'
export const IPVS_OUT_FILTER_CHAIN = 'KUBE-IPVS-OUT-FILTER'

/** The name of a chain, with the versions that have the chain. */
interface ChainOfVersions {
  readonly name: string
  readonly isIn?: (features: Features) => boolean
  /** Whether only older versions have the chain, and not the newest version. */
  readonly isOld?: boolean
}

/** The chains of the nat table, in print order. */
const NAT_CHAINS: readonly ChainOfVersions[] = [
  { name: SERVICES_CHAIN },
  { name: POSTROUTING_CHAIN },
  { name: FIREWALL_CHAIN, isOld: true, isIn: ({ sourceRangesInNat }) => sourceRangesInNat },
  { name: NODE_PORT_CHAIN },
  { name: LOAD_BALANCER_CHAIN },
  { name: MARK_MASQ_CHAIN },
  { name: MARK_DROP_CHAIN, isOld: true, isIn: ({ markDropCreated }) => markDropCreated },
]

/** The chains of the filter table, in print order. */
const FILTER_CHAINS: readonly ChainOfVersions[] = [
  { name: FORWARD_CHAIN },
  { name: NODE_PORT_CHAIN, isIn: ({ healthChecksAccepted }) => healthChecksAccepted },
  { name: PROXY_FIREWALL_CHAIN, isIn: ({ sourceRangesInNat }) => !sourceRangesInNat },
  { name: SOURCE_RANGES_CHAIN, isIn: ({ sourceRangesInNat }) => !sourceRangesInNat },
  { name: IPVS_FILTER_CHAIN, isIn: ({ accessFilter }) => accessFilter },
  { name: IPVS_OUT_FILTER_CHAIN, isIn: ({ ownPacketsFiltered }) => ownPacketsFiltered },
]

/** Returns the chains of the nat table, in print order. Without `features`, returns the chains of the newest version. */
export function listNatTableChains(features?: Features): readonly string[] {
  return namesIn(NAT_CHAINS, features)
}

/** Returns the chains of the filter table, in print order. Without `features`, returns the chains of the newest version. */
export function listFilterTableChains(features?: Features): readonly string[] {
  return namesIn(FILTER_CHAINS, features)
}

function namesIn(chains: readonly ChainOfVersions[], features: Features | undefined): readonly string[] {
  return chains.filter(({ isIn, isOld }) => (features ? (isIn?.(features) ?? true) : !isOld)).map(({ name }) => name)
}
