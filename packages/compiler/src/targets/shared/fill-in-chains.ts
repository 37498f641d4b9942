import type { IptablesState, Match, Rule, Table } from '../../dataplane/iptables/ast.js'
import { jumpDestination } from '../../dataplane/iptables/chains.js'
import { rulesIn } from '../../dataplane/iptables/lazy-block.js'
import { chainId } from '../../dataplane/iptables/resources.js'
import { type Fragment, type Known, knownIn } from '../../dataplane/netfilter/fragment.js'
import { MARK_MASQ_CHAIN, POSTROUTING_CHAIN } from './mark.js'
import { comment } from './match.js'

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
  const rules = table.blocks.flatMap(rulesIn)
  const given = new Set([...table.blocks.flatMap(({ chains }) => chains), ...rules.map(({ chain }) => chain)])
  const led = new Set([...table.jumps, ...rules].flatMap((rule) => jumpDestination(rule) ?? []))
  const isMissing = (chain: string) => !given.has(chain) && !known.isWhole('iptables', 'nat', chainId('nat', chain))
  const isPartOf = (chain: string) => given.has(chain) && !known.isWhole('iptables', 'nat', chainId('nat', chain))
  const leadsTo = (from: string, to: string) =>
    [...table.jumps, ...rules].some((rule) => rule.chain === from && jumpDestination(rule) === to)
  const mayLead = (from: string, to: string) =>
    !known.isWhole('iptables', 'nat', chainId('nat', from)) && !leadsTo(from, to)
  const filledChains: string[] = []
  const filledRules: Rule[] = []
  const jumps: Rule[] = [...table.jumps]
  if (isMissing(MARK_MASQ_CHAIN) && led.has(MARK_MASQ_CHAIN)) {
    filledChains.push(MARK_MASQ_CHAIN)
    filledRules.push({
      chain: MARK_MASQ_CHAIN,
      matches: [TAKEN],
      verdict: { kind: 'mark', operation: 'or', value: MARK },
    })
  }
  if (isMissing(POSTROUTING_CHAIN)) {
    filledChains.push(POSTROUTING_CHAIN)
    filledRules.push(masqueradeRule())
  }
  if (mayLead('POSTROUTING', POSTROUTING_CHAIN)) jumps.push(jump('POSTROUTING', POSTROUTING_CHAIN))
  if (given.has(SERVICES_CHAIN)) {
    for (const chain of ['PREROUTING', 'OUTPUT'])
      if (mayLead(chain, SERVICES_CHAIN)) jumps.push(jump(chain, SERVICES_CHAIN))
    if (isPartOf(SERVICES_CHAIN) && given.has(NODE_PORTS_CHAIN) && !leadsTo(SERVICES_CHAIN, NODE_PORTS_CHAIN)) {
      filledRules.push(
        jump(SERVICES_CHAIN, NODE_PORTS_CHAIN, [
          { kind: 'addrtype', side: 'destination', type: 'LOCAL', negated: false },
        ]),
      )
    }
  }
  if (filledRules.length === 0 && jumps.length === table.jumps.length) return table
  return { ...table, jumps, blocks: [...table.blocks, { owner: '', chains: filledChains, rules: filledRules }] }
}

function masqueradeRule(): Rule {
  const marked: Match = { kind: 'mark', value: MARK, mask: MARK, negated: false }
  return { chain: POSTROUTING_CHAIN, matches: [TAKEN, marked], verdict: { kind: 'masquerade', randomFully: false } }
}

function jump(from: string, to: string, matches: readonly Match[] = []): Rule {
  return { chain: from, matches: [TAKEN, ...matches], verdict: { kind: 'jump', chain: to } }
}
