import type { IptablesState, Match, Rule, Table } from '../../dataplane/iptables/ast.js'
import { jumpDestination } from '../../dataplane/iptables/chains.js'
import { rulesIn } from '../../dataplane/iptables/lazy-block.js'
import { chainId } from '../../dataplane/iptables/resources.js'
import { type Fragment, type Known, knownIn } from '../../dataplane/netfilter/fragment.js'
import { MARK_MASQ_CHAIN, POSTROUTING_CHAIN } from './mark.js'
import { comment, TO_LOCAL } from './match.js'

/** What people read behind a rule that nobody gave. */
const TAKEN = comment('not given: taken to be as kube-proxy makes it')

const SERVICES_CHAIN = 'KUBE-SERVICES'
const NODE_PORTS_CHAIN = 'KUBE-NODEPORTS'

/** The mark of a cluster that has not chosen another. */
const MARK = 0x4000

/**
 * The nat table of a fragment with what leads to its chains and marks packets, where that is missing: without it no chain
 * of a service port that somebody gave could be reached. Whoever asks is told that not all was given.
 */
export function fillInChains(state: IptablesState, fragment: Fragment | undefined): IptablesState {
  const known = knownIn(fragment)
  const tables = state.tables.map((table) => (table.name === 'nat' ? fillInNat(table, known) : table))
  return { ...state, tables }
}

function fillInNat(table: Table, known: Known): Table {
  const rules = [...table.jumps, ...table.blocks.flatMap(rulesIn)]
  const declared = new Set(table.blocks.flatMap(({ chains }) => chains))
  const given = new Set(rules.map(({ chain }) => chain))
  const led = new Set(rules.flatMap((rule) => jumpDestination(rule) ?? []))
  const lacks = (chain: string) => !known.isWhole('iptables', 'nat', chainId('nat', chain))
  const isMissing = (chain: string) => !given.has(chain) && lacks(chain)
  const mayLead = (from: string, to: string) =>
    lacks(from) && !rules.some((rule) => rule.chain === from && jumpDestination(rule) === to)
  const serves = given.has(SERVICES_CHAIN) || given.has(NODE_PORTS_CHAIN)
  const filled = [
    ...(isMissing(MARK_MASQ_CHAIN) && led.has(MARK_MASQ_CHAIN) ? [markRule()] : []),
    ...(isMissing(POSTROUTING_CHAIN) ? [masqueradeRule()] : []),
    ...(given.has(NODE_PORTS_CHAIN) && mayLead(SERVICES_CHAIN, NODE_PORTS_CHAIN)
      ? [jump(SERVICES_CHAIN, NODE_PORTS_CHAIN, [TO_LOCAL])]
      : []),
  ]
  const jumps = [
    ...(mayLead('POSTROUTING', POSTROUTING_CHAIN) ? [jump('POSTROUTING', POSTROUTING_CHAIN)] : []),
    ...['PREROUTING', 'OUTPUT']
      .filter((chain) => serves && mayLead(chain, SERVICES_CHAIN))
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

function markRule(): Rule {
  return { chain: MARK_MASQ_CHAIN, matches: [TAKEN], verdict: { kind: 'mark', operation: 'or', value: MARK } }
}

function masqueradeRule(): Rule {
  const marked: Match = { kind: 'mark', value: MARK, mask: MARK, negated: false }
  return { chain: POSTROUTING_CHAIN, matches: [TAKEN, marked], verdict: { kind: 'masquerade', randomFully: false } }
}

function jump(from: string, to: string, matches: readonly Match[] = []): Rule {
  return { chain: from, matches: [TAKEN, ...matches], verdict: { kind: 'jump', chain: to } }
}
