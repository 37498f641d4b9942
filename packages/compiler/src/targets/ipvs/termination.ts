import type { TerminationRequest } from '../../dataplane/ipvs/graceful-termination.js'
import type { Features } from '../../model/configuration/features.js'

/** How kube-proxy of a version removes virtual and real servers that are no longer expected. */
export interface RemovalRules extends Pick<TerminationRequest, 'deletedAtOnce' | 'emptiedFirst' | 'weightsReset'> {
  /** Whether an address of `kube-ipvs0` stays as long as a virtual server has it. */
  readonly addressesOutliveServices: boolean
}

/** Returns how kube-proxy with these features removes virtual and real servers. */
export function removalWith(features: Features): RemovalRules {
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
