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
  /** Converts a state to normal form; states have equal normal forms if they are equivalent for the kernel. */
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

/** kube-proxy jumps to this chain of nat until 1.24, and relies on the kubelet to create it (until 1.19, or 1.14). */
const OF_KUBELET = 'KUBE-MARK-DROP'

/** Adds the chain of the kubelet that the rules need, as on a node: else no tool accepts the jumps to it. */
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

/** The normal form of what a state has of a subsystem. */
export function normalForm(name: Subsystem, own: unknown): unknown {
  return formOf(name).canonical(own)
}

/** Why the tools or the kernel would refuse what a state has of a subsystem. */
export function refusalsIn(name: Subsystem, state: NodeState): readonly Diagnostic[] {
  return formOf(name).check(state[name])
}
