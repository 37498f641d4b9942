import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { BUILT_IN_CHAINS, TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'

/** Targets that one table alone takes. */
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

/** Where chains of the same name are in several tables, the one that is meant most. */
const USUAL: Readonly<Record<string, TableName>> = {
  PREROUTING: 'nat',
  POSTROUTING: 'nat',
  INPUT: 'filter',
  FORWARD: 'filter',
}

export type TableHint = (chain: string, led?: string) => string | undefined

/**
 * The table that a rule tells by itself: by a target that one table alone takes, by asking for new connections from a chain
 * where filters do so, or by the names of its own chain and of the one it leads to. Undefined where it tells none.
 */
export function tableOfRule(chain: string, words: readonly string[], hint: TableHint): TableName | undefined {
  return tableOfNames(chain, words, hint) ?? usualTable(chain)
}

/** The same, undefined also for a built-in chain that is mostly meant in one table. */
export function tableOfNames(chain: string, words: readonly string[], hint: TableHint): TableName | undefined {
  const led = targetOf(words)
  const certain = TARGETS[led]
  if (certain !== undefined && Object.hasOwn(TARGETS, led)) return certain
  const asksForState = words.includes('--ctstate') || words.includes('--state')
  if (chain === 'OUTPUT' && asksForState) return 'filter'
  const own = tableName(hint(chain, led))
  if (own !== undefined) return own
  return tableName(hint(led))
}

/** What a rule jumps or goes to; empty for nothing. */
function targetOf(words: readonly string[]): string {
  const at = words.findIndex((word) => word === '-j' || word === '-g')
  return at < 0 ? '' : (words[at + 1] ?? '')
}

/** The table that a chain of this name is in, as its name tells. */
export function tableOfName(chain: string, hint: TableHint): TableName | undefined {
  return tableName(hint(chain)) ?? usualTable(chain)
}

/** Whether a table can have the rule at all: others have no such target, or no such built-in chain. */
export function mayBeIn(table: TableName, chain: string, words: readonly string[]): boolean {
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
