import { compareAddresses } from '../dataplane/addresses/compare.js'
import type { ResourceOwnership, StateComparison } from '../dataplane/comparison.js'
import { compareIpset } from '../dataplane/ipset/compare.js'
import { compareIptables } from '../dataplane/iptables/compare/compare-iptables.js'
import { compareIpvs } from '../dataplane/ipvs/compare.js'
import { compareNftables } from '../dataplane/nftables/compare.js'
import type { StateOf, Subsystem } from '../dataplane/node-state.js'
import type { DriftSubjectOf } from '../targets/ownership.js'

/** The functions that compare the expected state of one subsystem with the actual state. */
export interface DriftCheck<State, Item> {
  compare(expected: State, actual: State, ownership: ResourceOwnership<State, Item>): StateComparison
}

export const DRIFT_CHECKS: { readonly [S in Subsystem]: DriftCheck<StateOf<S>, DriftSubjectOf<S>> } = {
  nftables: { compare: compareNftables },
  ipset: { compare: compareIpset },
  ipvs: { compare: compareIpvs },
  addresses: { compare: compareAddresses },
  iptables: { compare: compareIptables },
}
