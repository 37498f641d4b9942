import type { IptablesState, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { jumpTargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import { createCoverageQueries, type StateCoverage } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { LOCALNET_FIREWALL_CHAIN, MARK_DROP_CHAIN } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { ASSUMED_COMMENT } from './assumed-rule.js'

/** The mark of packets to drop that the kubelet uses by default. */
export const DROP_MARK = 0x8000

/**
 * Completes the filter table of a fragment with the rule of the kubelet that drops the packets of KUBE-MARK-DROP, if a
 * rule of the nat table jumps to this chain. Without it, a search for the name of a Service would show a mark without
 * effect. Adds the table if the fragment does not have it.
 */
export function addMissingDropRules(state: IptablesState, fragment: StateCoverage | undefined): IptablesState {
  const { isComplete } = createCoverageQueries(fragment)
  const { tables } = state
  const filter = tables.find(({ name }) => name === 'filter')
  const marks = tables.some(
    (table) => table.name === 'nat' && rulesOf(table).some((rule) => jumpTargetOf(rule) === MARK_DROP_CHAIN),
  )
  const mayBeIncomplete = (chain: string) => !isComplete('iptables', 'filter', formatChainId('filter', chain))
  if (!marks || !mayBeIncomplete(LOCALNET_FIREWALL_CHAIN)) return state
  const rules = filter === undefined ? [] : rulesOf(filter)
  if (rules.some(({ chain }) => chain === LOCALNET_FIREWALL_CHAIN)) return state
  const jumps = ['INPUT', 'OUTPUT']
    .filter((chain) => mayBeIncomplete(chain) && !rules.some((rule) => isJumpToFirewall(rule, chain)))
    .map(jumpToFirewall)
  const { jumps: own, blocks, ...rest }: Table = filter ?? { name: 'filter', jumps: [], blocks: [] }
  const isDeclared = blocks.some(({ chains }) => chains.includes(LOCALNET_FIREWALL_CHAIN))
  const block = { owner: '', chains: isDeclared ? [] : [LOCALNET_FIREWALL_CHAIN], rules: [DROP_RULE] }
  const filled = { ...rest, jumps: [...jumps, ...own], blocks: [...blocks, block] }
  return {
    ...state,
    tables: filter === undefined ? [...tables, filled] : tables.map((table) => (table === filter ? filled : table)),
  }
}

function rulesOf({ jumps, blocks }: Table): readonly Rule[] {
  return [...jumps, ...blocks.flatMap(getBlockRules)]
}

function isJumpToFirewall(rule: Rule, chain: string): boolean {
  return rule.chain === chain && jumpTargetOf(rule) === LOCALNET_FIREWALL_CHAIN
}

function jumpToFirewall(chain: string): Rule {
  return { chain, matches: [ASSUMED_COMMENT], target: { kind: 'jump', chain: LOCALNET_FIREWALL_CHAIN } }
}

const DROP_RULE: Rule = {
  chain: LOCALNET_FIREWALL_CHAIN,
  matches: [ASSUMED_COMMENT, { kind: 'mark', value: DROP_MARK, mask: DROP_MARK, negated: false }],
  target: { kind: 'drop' },
}
