import type { Diagnostic } from '@kube-rules/types'
import { canonicalizeState as canonicalIptables } from '../../../analyzer/test/support/canonical-state.js'
import { checkState } from '../../../analyzer/test/support/check-iptables.js'
import { checkIpvs } from '../../../analyzer/test/support/check-ipvs.js'
import { checkNftables } from '../../../analyzer/test/support/check-nftables.js'
import { canonicalize as canonicalIpset } from '../../src/dataplane/ipset/canonical.js'
import type { IptablesState, Table } from '../../src/dataplane/iptables/ast.js'
import { formatChainId } from '../../src/dataplane/iptables/resources.js'
import { canonicalize as canonicalIpvs } from '../../src/dataplane/ipvs/canonical.js'
import { canonicalizeState as canonicalNftables } from '../../src/dataplane/nftables/compare.js'
import type { NodeState, StateOf, Subsystem } from '../../src/dataplane/node-state.js'
import { checkAddresses } from './check-addresses.js'
import { checkIpset } from './check-ipset.js'

interface Form<State> {
  /** Converts a state to normal form. Two states that are equivalent for the kernel have the same normal form. */
  canonical(state: State): State
  /** Reports why the tools or the kernel would reject a state. */
  check(state: State): readonly Diagnostic[]
}

const FORMS: { readonly [S in Subsystem]: Form<StateOf<S>> } = {
  nftables: { canonical: canonicalNftables, check: ({ tables }) => tables.flatMap(checkNftables) },
  ipset: { canonical: canonicalIpset, check: checkIpset },
  ipvs: { canonical: canonicalIpvs, check: checkIpvs },
  addresses: {
    canonical: ({ addresses }) => ({ addresses: [...new Set(addresses)].sort() }),
    check: checkAddresses,
  },
  iptables: {
    canonical: canonicalIptables,
    check: (state) =>
      checkState(withChainsOfKubelet(state)).map(({ table, chain, message }) => ({
        severity: 'error',
        code: 'structure',
        object: { kind: 'chain', name: formatChainId(table, chain) },
        message,
      })),
  },
}

/**
 * A chain in the table nat that the kubelet fills. kube-proxy jumps to it until 1.24, but creates it only from 1.20 on
 * in iptables mode and from 1.15 on in ipvs mode.
 */
const OF_KUBELET = 'KUBE-MARK-DROP'

/** Adds the chain that the kubelet creates on a node. Without the chain the tools reject the jumps to it. */
export function withChainsOfKubelet(state: IptablesState): IptablesState {
  const tables = state.tables.map((table): Table => {
    const chains = table.blocks.flatMap((block) => block.chains)
    const isNeeded = table.name === 'nat' && !chains.includes(OF_KUBELET)
    return isNeeded ? { ...table, blocks: [...table.blocks, { owner: '', chains: [OF_KUBELET], rules: [] }] } : table
  })
  return { ...state, tables }
}

function formOf(name: Subsystem): Form<unknown> {
  return FORMS[name]
}

/** Converts a subsystem's part of a state to normal form. */
export function normalForm(name: Subsystem, own: unknown): unknown {
  return formOf(name).canonical(own)
}

/** Reports why the tools or the kernel would reject a subsystem's part of a state. */
export function refusalsIn(name: Subsystem, state: NodeState): readonly Diagnostic[] {
  return formOf(name).check(state[name])
}
