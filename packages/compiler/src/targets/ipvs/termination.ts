import type { TerminationRequest } from '../../dataplane/ipvs/graceful-termination.js'
import type { Features } from '../../model/configuration/features.js'

/** The procedure of a version of kube-proxy to remove unexpected virtual servers and real servers. */
export interface RemovalBehavior extends Pick<TerminationRequest, 'deletedAtOnce' | 'emptiedFirst' | 'weightsReset'> {
  /**
   * Whether an address of `kube-ipvs0` is unbound only when a virtual server at this address is deleted, even if other
   * virtual servers at this address remain. Therefore the address of a preserved virtual server stays bound.
   */
  readonly addressesOutliveServices: boolean
}

/** Returns the removal procedure of the kube-proxy version with these features. */
export function selectRemovalBehavior(features: Features): RemovalBehavior {
  return {
    deletedAtOnce: [
      ...(features.udpServersDeletedAtOnce ? (['UDP'] as const) : []),
      ...(features.sctpServersDeletedAtOnce ? (['SCTP'] as const) : []),
    ],
    weightsReset: features.weightsReset,
    emptiedFirst: features.serversEmptiedFirst,
    addressesOutliveServices: !features.unusedAddressesUnbound,
  }
}
