import type { IptablesState, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { jumpTargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import { createCoverageQueries, type StateCoverage } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { EXTERNAL_SERVICES_CHAIN, SERVICES_CHAIN } from '@kube-rules/compiler/internal/targets/iptables/chain-names'
import { FORWARD_CHAIN } from '@kube-rules/compiler/internal/targets/shared/mark'
import { createCommentMatch } from '@kube-rules/compiler/internal/targets/shared/match'
import { ASSUMED_COMMENT, ASSUMED_RULE_COMMENT } from './assumed-rule.js'

/**
 * Completes the filter table of a fragment with the rules of KUBE-FORWARD, which are the same on every node. The caller
 * reports that the chain is incomplete.
 */
export function addMissingForwardRules(state: IptablesState, fragment: StateCoverage | undefined): IptablesState {
  return addAssumedFilterChains(state, fragment, (chain) => (chain === FORWARD_CHAIN ? FORWARD_RULES : undefined))
}

/**
 * Completes the filter table of a fragment with the missing jumps to the chains that reject packets to Services without
 * endpoints. Without these jumps, `iptables -L KUBE-SERVICES` would show rules that no packet reaches.
 */
export function addMissingFilterJumps(state: IptablesState, fragment: StateCoverage | undefined): IptablesState {
  const { isComplete } = createCoverageQueries(fragment)
  const tables = state.tables.map((table) => {
    if (table.name !== 'filter') return table
    const rules = [...table.jumps, ...table.blocks.flatMap(getBlockRules)]
    const missing = JUMPS.filter(
      ([from, to]) =>
        rules.some(({ chain }) => chain === to) &&
        !rules.some((rule) => rule.chain === from && jumpTargetOf(rule) === to) &&
        !isComplete('iptables', 'filter', formatChainId('filter', from)),
    )
    return missing.length === 0 ? table : { ...table, jumps: [...missing.map(assumedJump), ...table.jumps] }
  })
  return { ...state, tables }
}

/** The jumps for new connections. The chain of external addresses is newer, and a fragment with its rules has it. */
const JUMPS: readonly (readonly [string, string])[] = [
  ['FORWARD', SERVICES_CHAIN],
  ['OUTPUT', SERVICES_CHAIN],
  ['INPUT', EXTERNAL_SERVICES_CHAIN],
  ['FORWARD', EXTERNAL_SERVICES_CHAIN],
]

function assumedJump([chain, to]: readonly [string, string]): Rule {
  return {
    chain,
    matches: [ASSUMED_COMMENT, { kind: 'conntrack', states: ['NEW'], negated: false }],
    target: { kind: 'jump', chain: to },
  }
}

/** The masquerade mark that kube-proxy uses by default. */
const MARK = 0x4000

/** The rules of KUBE-FORWARD in all versions, for packets with the default mark and for existing connections. */
const FORWARD_RULES: readonly Rule[] = [
  {
    chain: FORWARD_CHAIN,
    matches: [{ kind: 'mark', value: MARK, mask: MARK, negated: false }],
    target: { kind: 'accept' },
  },
  {
    chain: FORWARD_CHAIN,
    matches: [{ kind: 'conntrack', states: ['RELATED', 'ESTABLISHED'], negated: false }],
    target: { kind: 'accept' },
  },
]

/**
 * Completes the filter table of a fragment with the chains that its rules jump to. `rulesOf` returns the rules of such a
 * chain; undefined if they are unknown.
 */
export function addAssumedFilterChains(
  state: IptablesState,
  fragment: StateCoverage | undefined,
  rulesOf: (chain: string) => readonly Rule[] | undefined,
): IptablesState {
  const { isComplete } = createCoverageQueries(fragment)
  const tables = state.tables.map((table) => {
    if (table.name !== 'filter') return table
    const all = [...table.jumps, ...table.blocks.flatMap(getBlockRules)]
    const shown = new Set(all.map(({ chain }) => chain))
    const missing = new Set(all.flatMap((rule) => jumpTargetOf(rule) ?? []))
    const assumed = [...missing].filter((chain) => {
      const id = formatChainId('filter', chain)
      return !shown.has(chain) && !isComplete('iptables', 'filter', id)
    })
    return withRules(
      table,
      assumed.flatMap((chain) => assumedRules(chain, rulesOf(chain))),
    )
  })
  return { ...state, tables }
}

/** Returns the rules of a chain with the comment of an assumption. An empty chain gets a rule without effect. */
function assumedRules(chain: string, rules: readonly Rule[] | undefined): readonly Rule[] {
  if (rules === undefined) return []
  const comment = createCommentMatch(ASSUMED_RULE_COMMENT)
  if (rules.length === 0) return [{ chain, matches: [comment], target: { kind: 'return' } }]
  return rules.map((rule) => ({
    ...rule,
    matches: [comment, ...rule.matches.filter(({ kind }) => kind !== 'comment')],
  }))
}

function withRules(table: Table, rules: readonly Rule[]): Table {
  if (rules.length === 0) return table
  const declared = new Set(table.blocks.flatMap(({ chains }) => chains))
  const chains = [...new Set(rules.map(({ chain }) => chain))].filter((chain) => !declared.has(chain))
  return { ...table, blocks: [...table.blocks, { owner: '', chains, rules }] }
}
