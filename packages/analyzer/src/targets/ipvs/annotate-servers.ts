import type { AddressState } from '@kube-rules/compiler/internal/dataplane/addresses/ast'
import { findServerOwners } from '@kube-rules/compiler/internal/dataplane/ipvs/claims'
import { formatVirtualServerId } from '@kube-rules/compiler/internal/dataplane/ipvs/resources'
import { type NodeState, SUBSYSTEMS } from '@kube-rules/compiler/internal/dataplane/node-state'
import { kernelSetNameOf } from '@kube-rules/compiler/internal/targets/ipvs/sets'

/**
 * Adds the addresses of `kube-ipvs0` if they were not dumped. Also adds owners to the virtual servers that are
 * expected.
 */
export function annotateServerOwners(actual: NodeState, expected?: NodeState): NodeState {
  return withOwners(actual.addresses === undefined ? withAddressesOfSets(actual) : actual, expected)
}

/**
 * Adds the addresses of `kube-ipvs0` that the sets show. The set may be incomplete, so further addresses may be bound.
 */
function withAddressesOfSets(actual: NodeState): NodeState {
  const addresses = addressesOfSets(actual)
  if (addresses === undefined) return actual
  const { coverage = { complete: SUBSYSTEMS.filter((name) => name !== 'addresses') } } = actual
  return { ...actual, addresses, coverage }
}

/** Returns the addresses of `kube-ipvs0`, read from the KUBE-IPVS-IPS set, which contains the same addresses. */
function addressesOfSets({ family, ipset }: NodeState): AddressState | undefined {
  const bound = ipset?.sets.find(({ name }) => name === kernelSetNameOf('KUBE-IPVS-IPS', family))
  return bound && { addresses: bound.entries.flatMap((entry) => (entry.kind === 'ip' ? entry.address : [])).sort() }
}

/**
 * Annotates virtual servers with owners. A dumped virtual server does not show its owner, so it gets the owner of the
 * same server in the expected state.
 */
function withOwners(actual: NodeState, expected: NodeState | undefined): NodeState {
  if (actual.ipvs === undefined || expected?.ipvs === undefined) return actual
  const owners = findServerOwners(expected.ipvs)
  const contributions = actual.ipvs.virtualServers.map((server) => ({
    owner: owners.get(formatVirtualServerId(server)) ?? '',
    virtualServers: [server],
    fallbackServers: [],
  }))
  return { ...actual, ipvs: { ...actual.ipvs, contributions } }
}
