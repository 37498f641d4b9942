import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { BUILT_IN_CHAINS, TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import type { PastedBlock } from './pasted-block.js'

export type TableLookup = (chain: string, jumpTarget?: string) => string | undefined

interface RulesByTable {
  /** The table of each rule, by index. */
  readonly rules: readonly TableName[]
  readonly chains: readonly TableName[]
  /** The assumed tables, which no line names. */
  readonly assumed: readonly TableName[]
}

/**
 * Determines the table of each rule from a heading. Without a conclusive heading, the table follows from the rule
 * itself, from rules of the same chain, or from the preceding rule, in this order.
 */
export function inferTables(block: PastedBlock, hint: TableLookup): RulesByTable {
  const { kind, table: stated, declared } = block
  const isSure = isSureOfTable(block)
  const inferred = block.rules.map(({ chain, words, afterGap }) => {
    if (stated === undefined || afterGap || !canContainRule(stated, chain, words))
      return inferTableOfRule(chain, words, hint)
    return isSure && (kind !== 'save' || declared.has(chain))
      ? stated
      : (inferTableFromNames(chain, words, hint) ?? stated)
  })
  const byChain = new Map<string, TableName>()
  block.rules.forEach(({ chain }, index) => {
    const table = inferred[index]
    if (table !== undefined && !byChain.has(chain)) byChain.set(chain, table)
  })
  const fallback = inferred.find((table) => table !== undefined) ?? (block.kind === 'listing' ? 'filter' : 'nat')
  let before: TableName = fallback
  const rules = block.rules.map(({ chain }, index) => {
    before = inferred[index] ?? byChain.get(chain) ?? before
    return before
  })
  const chains = block.chains.map(({ name, afterGap }) => {
    if (stated !== undefined && !afterGap && canContainRule(stated, name, [])) {
      return isSure ? stated : (inferTableFromNames(name, [], hint) ?? stated)
    }
    return byChain.get(name) ?? inferTableFromChain(name, hint) ?? fallback
  })
  return { rules, chains, assumed: [...rules, ...chains].filter((table) => table !== stated) }
}

/**
 * Reports whether the `*TABLE` line of a block applies to everything below it. `iptables-save` prints built-in chains
 * first. If they are missing, the output may come from a search, and the lines below may belong to another table.
 */
function isSureOfTable({ kind, table, declared }: PastedBlock): boolean {
  return kind !== 'save' || table === undefined || BUILT_IN_CHAINS[table].some((chain) => declared.has(chain))
}

/** Targets that are valid in only one table. */
const TARGETS: Readonly<Record<string, TableName>> = {
  DNAT: 'nat',
  SNAT: 'nat',
  MASQUERADE: 'nat',
  REDIRECT: 'nat',
  NETMAP: 'nat',
  REJECT: 'filter',
  NOTRACK: 'raw',
  CT: 'raw',
  TPROXY: 'mangle',
  TCPMSS: 'mangle',
  CHECKSUM: 'mangle',
  TOS: 'mangle',
  DSCP: 'mangle',
}

/** The assumed table of a built-in chain that exists in several tables. */
const USUAL: Readonly<Record<string, TableName>> = {
  PREROUTING: 'nat',
  POSTROUTING: 'nat',
  INPUT: 'filter',
  FORWARD: 'filter',
}

/**
 * Determines the table of a rule from a target that is valid in only one table, from a connection state match in the
 * OUTPUT chain, or from the names of the rule's chain and of the chain that the rule jumps to. Undefined if the table
 * is ambiguous.
 */
export function inferTableOfRule(chain: string, words: readonly string[], hint: TableLookup): TableName | undefined {
  return inferTableFromNames(chain, words, hint) ?? usualTable(chain)
}

/** Determines the table like `inferTableOfRule`, but without the assumed table of a built-in chain. */
function inferTableFromNames(chain: string, words: readonly string[], hint: TableLookup): TableName | undefined {
  const jumpTarget = targetOf(words)
  const certain = TARGETS[jumpTarget]
  if (certain !== undefined && Object.hasOwn(TARGETS, jumpTarget)) return certain
  const asksForState = words.includes('--ctstate') || words.includes('--state')
  if (chain === 'OUTPUT' && asksForState) return 'filter'
  const own = tableName(hint(chain, jumpTarget))
  if (own !== undefined) return own
  return tableName(hint(jumpTarget))
}

/** Returns the target of a rule; empty for a rule without a target. */
function targetOf(words: readonly string[]): string {
  const at = words.findIndex((word) => word === '-j' || word === '-g')
  return at < 0 ? '' : (words[at + 1] ?? '')
}

/** Determines the table of a chain from its name. */
export function inferTableFromChain(chain: string, hint: TableLookup): TableName | undefined {
  return tableName(hint(chain)) ?? usualTable(chain)
}

/**
 * Reports whether a table can contain a rule, because the target and the built-in chain of the rule are valid in this
 * table.
 */
export function canContainRule(table: TableName, chain: string, words: readonly string[]): boolean {
  const target = targetOf(words)
  const only = Object.hasOwn(TARGETS, target) ? TARGETS[target] : undefined
  if (only !== undefined && only !== table && !(target === 'CT' || table === 'security')) return false
  const isBuiltIn = TABLE_NAMES.some((name) => BUILT_IN_CHAINS[name].includes(chain))
  return !isBuiltIn || BUILT_IN_CHAINS[table].includes(chain)
}

function usualTable(chain: string): TableName | undefined {
  return Object.hasOwn(USUAL, chain) ? USUAL[chain] : undefined
}

function tableName(text: string | undefined): TableName | undefined {
  return TABLE_NAMES.find((name) => name === text)
}
