import { createCoverageQueries, type StateCoverage } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { Chain, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { formatTableId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { isKubeProxyTable } from '@kube-rules/compiler/internal/targets/nftables/static-names'
import type { IpFamily } from '@kube-rules/types'
import { parseNftables } from '../../dataplane/nftables/parse/parse.js'
import { ASSUMED_RULE_COMMENT } from '../shared/assumed-rule.js'

/**
 * Completes the kube-proxy table of a fragment. Adds the missing chains that look up the existing maps, the jumps to
 * these chains, and the mark rules. The caller reports that the fragment is partial.
 */
export function addMissingNftablesContent(
  state: NftablesState,
  fragment: StateCoverage | undefined,
  family: IpFamily,
): NftablesState {
  const coverage = createCoverageQueries(fragment)
  const tables = state.tables.map((table) => {
    const isAll = coverage.isComplete('nftables', formatTableId(table))
    return isAll || !isKubeProxyTable(table) ? table : withFixedChains(table, family)
  })
  return { ...state, tables }
}

function withFixedChains(table: Table, family: IpFamily): Table {
  const existingChains = new Set(table.chains.map(({ name }) => name))
  const missing = staticChains(table, family).filter(({ name }) => !existingChains.has(name))
  return { ...table, chains: [...table.chains, ...missing] }
}

/** Returns the static chains that look up the maps of the table, such as `services`. */
function staticChains(table: Table, family: IpFamily): readonly Chain[] {
  const address = family === 'IPv4' ? 'ip' : 'ip6'
  const has = (name: string) => table.sets.some((set) => set.name === name)
  const lookups = [
    ...(has('service-ips') ? [`${address} daddr . meta l4proto . th dport vmap @service-ips`] : []),
    ...(has('service-nodeports') ? ['fib daddr type local meta l4proto . th dport vmap @service-nodeports'] : []),
  ]
  const text = [
    `table ${address} kube-proxy {`,
    'chain nat-prerouting { type nat hook prerouting priority dstnat; policy accept; jump services; }',
    'chain nat-output { type nat hook output priority dstnat; policy accept; jump services; }',
    'chain nat-postrouting { type nat hook postrouting priority srcnat; policy accept; jump masquerading; }',
    `chain services { ${lookups.join('; ')}; }`,
    'chain mark-for-masquerade { meta mark set meta mark | 0x00004000; }',
    'chain masquerading { meta mark & 0x00004000 == 0x00000000 return; masquerade; }',
    '}',
  ].join('\n')
  const parsed = parseNftables(text.replaceAll('; ', '\n').replaceAll('{ ', '{\n'))
  const chains = parsed.ok ? (parsed.value[0]?.chains ?? []) : []
  return chains.map((chain) => ({
    ...chain,
    rules: chain.rules.map((rule) => ({ ...rule, comment: ASSUMED_RULE_COMMENT })),
  }))
}
