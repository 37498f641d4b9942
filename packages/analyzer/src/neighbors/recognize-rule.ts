import type { IptablesTable, Neighbor, NeighborSigns } from './neighbor.js'
import { NEIGHBORS } from './neighbors.js'

/** A rule or the policy of a chain, as a step of a trace describes it. */
export interface ForeignRule {
  /** `iptables filter` or `nftables inet firewalld`. */
  readonly table: string
  readonly chain: string
  /** The rule in the format of its tool, or `policy DROP`. */
  readonly text: string
  /** The comment of the rule. */
  readonly comment: string
  /** The chain that the rule jumps to; empty if it does not jump. */
  readonly jumpsTo: string
}

/** Reports whether the text of a step is that of a policy. No rule has such a text, whatever its comment. */
export function isPolicyText(text: string): boolean {
  return text === 'policy DROP' || text === 'policy drop'
}

/** The program that a rule belongs to. */
export interface RecognizedNeighbor {
  readonly neighbor: Neighbor
  /** Whether only an interface, a packet mark, the form of the rule, or other chains in the table suggest the program. */
  readonly isLikely: boolean
}

/**
 * Returns the program that a rule belongs to; undefined if no known program writes such a rule. `chainsOfTable` returns
 * the names of all chains of its table.
 */
export function recognizeRule(
  rule: ForeignRule,
  chainsOfTable: () => readonly string[],
): RecognizedNeighbor | undefined {
  const table = tableOf(rule)
  for (const hasMark of CERTAIN_MARKS) {
    const neighbor = NEIGHBORS.find(({ signs }) => hasMark(signs, rule, table))
    if (neighbor !== undefined) return { neighbor, isLikely: false }
  }
  const likely = NEIGHBORS.find(({ signs }) => isLikely(signs, rule, table, chainsOfTable))
  return likely === undefined ? undefined : { neighbor: likely, isLikely: true }
}

/** Returns the programs with a chain among the given chains of an iptables table. */
export function findNeighborsOfChains(table: string, chains: readonly string[]): readonly Neighbor[] {
  return NEIGHBORS.filter(({ signs }) => hasChain(signs, table, chains))
}

interface TableNames {
  /** The iptables table; empty for a table that iptables does not know. */
  readonly iptables: string
  /** The name of the nftables table; empty for iptables. */
  readonly nftables: string
}

/** Returns the names of a table. iptables with the back end nft writes into nftables tables with its names. */
function tableOf({ table }: ForeignRule): TableNames {
  const [tool, ...words] = table.split(' ')
  const name = words.at(-1) ?? ''
  if (tool === 'iptables') return { iptables: name, nftables: '' }
  return { iptables: /^(?:filter|nat|mangle|raw)$/.test(name) ? name : '', nftables: name }
}

/** The marks that determine the program, with the most specific one first. */
const CERTAIN_MARKS: readonly ((signs: NeighborSigns, rule: ForeignRule, table: TableNames) => boolean)[] = [
  (signs, _, { nftables }) => signs.tables?.test(nftables) === true,
  (signs, { chain, jumpsTo }, { iptables }) => hasChain(signs, iptables, [chain, jumpsTo]),
  (signs, rule) => matchesAny(signs.comments, commentsOf(rule)),
  (signs, rule) => matchesAny(signs.sets, setsOf(rule)),
]

function isLikely(
  signs: NeighborSigns,
  rule: ForeignRule,
  table: TableNames,
  chainsOfTable: () => readonly string[],
): boolean {
  if (matchesAny(signs.interfaces, interfacesOf(rule)) || matchesAny(signs.marks, marksOf(rule))) return true
  if (signs.ownRules?.test(rule.text) === true) return true
  const mayBe = isPolicyText(rule.text)
    ? table.iptables === 'filter' && signs.policies?.includes(rule.chain) === true
    : signs.rules?.test(rule.text) === true
  // Checked last, because a table may have hundreds of thousands of chains.
  return mayBe && hasChain(signs, table.iptables, chainsOfTable())
}

function hasChain({ chains = {} }: NeighborSigns, table: string, names: readonly string[]): boolean {
  return table !== '' && (matchesAny(chains[table as IptablesTable], names) || matchesAny(chains.several, names))
}

function matchesAny(pattern: RegExp | undefined, names: readonly string[]): boolean {
  return pattern !== undefined && names.some((name) => pattern.test(name))
}

/** Returns all comments of a rule. Calico writes two: an identifier and a description. */
function commentsOf({ comment, text }: ForeignRule): readonly string[] {
  return [comment, ...valuesOf(text, / --comment (?:"([^"]*)"|(\S+))/g)]
}

function setsOf({ text }: ForeignRule): readonly string[] {
  return valuesOf(text, / --match-set (\S+)| @(\S+)/g)
}

function interfacesOf({ text }: ForeignRule): readonly string[] {
  return valuesOf(text, / -[io] (\S+)|\b[io]ifname (?:!= )?"([^"]*)"/g)
}

function marksOf({ text }: ForeignRule): readonly string[] {
  return valuesOf(text, / --(?:mark|set-xmark) (\S+)/g)
}

/** Returns the captured text of each match. */
function valuesOf(text: string, pattern: RegExp): readonly string[] {
  return Array.from(text.matchAll(pattern), ([, first, second]) => first ?? second ?? '')
}
