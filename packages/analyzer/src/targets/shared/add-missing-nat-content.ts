import type { IptablesState, Match, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { jumpTargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import {
  type CoverageQueries,
  createCoverageQueries,
  type StateCoverage,
} from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { SERVICES_CHAIN } from '@kube-rules/compiler/internal/targets/iptables/chain-names'
import { MARK_DROP_CHAIN } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { MARK_MASQ_CHAIN, POSTROUTING_CHAIN } from '@kube-rules/compiler/internal/targets/shared/mark'
import { TO_LOCAL_MATCH } from '@kube-rules/compiler/internal/targets/shared/match'
import { DROP_MARK } from './add-missing-drop-rules.js'
import { ASSUMED_COMMENT } from './assumed-rule.js'
import { inferEndpointChains } from './infer-endpoint-chains.js'
import { inferServiceJumps } from './infer-service-jumps.js'

const NODE_PORTS_CHAIN = 'KUBE-NODEPORTS'

/** The masquerade mark that kube-proxy uses by default. */
const MARK = 0x4000

/**
 * Completes the nat table of a fragment of a dump. Adds the missing jumps to the chains in the fragment, and the
 * missing rules for the masquerade mark. Without these rules, the chains of service ports would be unreachable. The
 * caller reports that the fragment is partial.
 */
export function addMissingNatChains(state: IptablesState, fragment: StateCoverage | undefined): IptablesState {
  const coverage = createCoverageQueries(fragment)
  const tables = state.tables.map((table) => (table.name === 'nat' ? fillInNat(table, coverage) : table))
  return { ...state, tables }
}

/**
 * Completes the nat table of a fragment with missing jumps to existing chains. Jumps that kube-proxy appends follow the
 * existing rules. All other jumps precede the existing rules.
 */
export function addMissingNatJumps(
  state: IptablesState,
  fragment: StateCoverage | undefined,
  jumps: readonly Rule[],
): IptablesState {
  const known = createCoverageQueries(fragment)
  const tables = state.tables.map((table) => (table.name === 'nat' ? withJumps(table, known, jumps) : table))
  return { ...state, tables }
}

function withJumps(table: Table, known: CoverageQueries, jumps: readonly Rule[]): Table {
  const { chainsWithRules, mayJump } = gapsOf(table, known)
  const missing = jumps.filter((rule) => {
    const to = jumpTargetOf(rule)
    return to !== undefined && chainsWithRules.has(to) && mayJump(rule.chain, to)
  })
  if (missing.length === 0) return table
  const before = missing.filter(({ appended }) => appended !== true).map(taken)
  const behind = missing.filter(({ appended }) => appended === true).map(taken)
  return { ...table, jumps: [...before, ...table.jumps, ...behind] }
}

/**
 * Returns the chains with rules and the jump targets of a nat table, and functions that report whether a chain or a
 * jump may be missing in the dump.
 */
function gapsOf(table: Table, known: CoverageQueries) {
  const rules = [...table.jumps, ...table.blocks.flatMap(getBlockRules)]
  const mayBeIncomplete = (chain: string) => !known.isComplete('iptables', 'nat', formatChainId('nat', chain))
  return {
    chainsWithRules: new Set(rules.map(({ chain }) => chain)),
    jumpTargets: new Set(rules.flatMap((rule) => jumpTargetOf(rule) ?? [])),
    mayBeIncomplete,
    mayJump: (from: string, to: string) =>
      mayBeIncomplete(from) && !rules.some((rule) => rule.chain === from && jumpTargetOf(rule) === to),
  }
}

function fillInNat(table: Table, known: CoverageQueries): Table {
  const { chainsWithRules, jumpTargets, mayBeIncomplete, mayJump } = gapsOf(table, known)
  const declared = new Set(table.blocks.flatMap(({ chains }) => chains))
  const isMissing = (chain: string) => !chainsWithRules.has(chain) && mayBeIncomplete(chain)
  const rules = table.blocks.flatMap(getBlockRules)
  const serviceJumps = mayBeIncomplete(SERVICES_CHAIN) ? inferServiceJumps(rules) : []
  const serves = chainsWithRules.has(SERVICES_CHAIN) || chainsWithRules.has(NODE_PORTS_CHAIN) || serviceJumps.length > 0
  const endpointRules = inferEndpointChains(rules, isMissing)
  const marks = jumpTargets.has(MARK_MASQ_CHAIN) || endpointRules.length > 0
  const filled = [
    ...(isMissing(MARK_MASQ_CHAIN) && marks ? [markRule(MARK_MASQ_CHAIN, MARK)] : []),
    ...(isMissing(MARK_DROP_CHAIN) && jumpTargets.has(MARK_DROP_CHAIN) ? [markRule(MARK_DROP_CHAIN, DROP_MARK)] : []),
    ...(isMissing(POSTROUTING_CHAIN) ? [masqueradeRule()] : []),
    ...serviceJumps,
    ...(chainsWithRules.has(NODE_PORTS_CHAIN) && mayJump(SERVICES_CHAIN, NODE_PORTS_CHAIN)
      ? [jump(SERVICES_CHAIN, NODE_PORTS_CHAIN, [TO_LOCAL_MATCH])]
      : []),
    ...lastRulesOfExternalChains(table, mayBeIncomplete),
    ...endpointRules,
  ]
  const jumps = [
    ...(mayJump('POSTROUTING', POSTROUTING_CHAIN) ? [jump('POSTROUTING', POSTROUTING_CHAIN)] : []),
    ...['PREROUTING', 'OUTPUT']
      .filter((chain) => serves && mayJump(chain, SERVICES_CHAIN))
      .map((chain) => jump(chain, SERVICES_CHAIN)),
  ]
  const chains = [...new Set(filled.map(({ chain }) => chain))].filter((chain) => !declared.has(chain))
  if (filled.length + jumps.length === 0) return table
  return {
    ...table,
    jumps: [...table.jumps, ...jumps],
    blocks: [...table.blocks, { owner: '', chains, rules: filled }],
  }
}

const EXTERNAL_PREFIX = 'KUBE-EXT-'

/**
 * Returns the last rule of each KUBE-EXT chain if the fragment does not contain this rule. It is the only rule of the
 * chain without a comment, so a search for the name of a Service does not find it. With external traffic policy Local,
 * the last rule jumps to the endpoints on the node (KUBE-SVL). With policy Cluster, the other rules masquerade all
 * packets, and the last rule jumps to all endpoints (KUBE-SVC).
 */
function lastRulesOfExternalChains({ blocks }: Table, lacks: (chain: string) => boolean): readonly Rule[] {
  const rules = blocks.flatMap(getBlockRules)
  const existingChains = new Set(rules.map(({ chain }) => chain))
  const own = [...existingChains].filter((chain) => chain.startsWith(EXTERNAL_PREFIX) && lacks(chain))
  return own.flatMap((chain): readonly Rule[] => {
    const hash = chain.slice(EXTERNAL_PREFIX.length)
    const bare = rules.filter((rule) => rule.chain === chain && rule.matches.every(({ kind }) => kind === 'comment'))
    const targets = bare.map(jumpTargetOf)
    const [local, cluster] = [`KUBE-SVL-${hash}`, `KUBE-SVC-${hash}`]
    if (targets.some((to) => to === local || to === cluster)) return []
    if (existingChains.has(local)) return [jump(chain, local)]
    return targets.includes(MARK_MASQ_CHAIN) && existingChains.has(cluster) ? [jump(chain, cluster)] : []
  })
}

function markRule(chain: string, value: number): Rule {
  return { chain, matches: [ASSUMED_COMMENT], target: { kind: 'mark', operation: 'or', value } }
}

function masqueradeRule(): Rule {
  const marked: Match = { kind: 'mark', value: MARK, mask: MARK, negated: false }
  return {
    chain: POSTROUTING_CHAIN,
    matches: [ASSUMED_COMMENT, marked],
    target: { kind: 'masquerade', randomFully: false },
  }
}

function taken({ matches, ...rule }: Rule): Rule {
  return { ...rule, matches: [ASSUMED_COMMENT, ...matches.filter(({ kind }) => kind !== 'comment')] }
}

function jump(from: string, to: string, matches: readonly Match[] = []): Rule {
  return { chain: from, matches: [ASSUMED_COMMENT, ...matches], target: { kind: 'jump', chain: to } }
}
