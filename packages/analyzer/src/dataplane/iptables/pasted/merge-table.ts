import type { ChainPolicy, Rule, Table, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { BUILT_IN_CHAINS, isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import { formatChainId } from '@kube-rules/compiler/internal/dataplane/iptables/resources'
import { appendAll } from '@kube-rules/compiler/internal/internal/append-all'
import type { IpFamily } from '@kube-rules/types'
import { createPasteNote, type PastedLine, type PasteNote } from '../../netfilter/pasted.js'

/** A chain as defined by one block. */
export interface ChainFragment {
  readonly name: string
  readonly policy?: ChainPolicy['policy'] | undefined
  readonly rules: readonly Rule[]
  readonly isWhole: boolean
  readonly isPartial: boolean
  readonly at: PastedLine
}

/** The content of one table in one block. */
export interface TableFragment {
  readonly family: IpFamily
  readonly name: TableName
  readonly chains: readonly ChainFragment[]
  /** Whether the block contains all chains of the table. */
  readonly isWhole: boolean
  /** Whether the command printed every table. */
  readonly isOfAll: boolean
}

export interface MergedTable {
  readonly table: Table
  readonly completeChains: readonly string[]
  readonly truncatedChains: readonly string[]
}

/** Merges the content of one table from several blocks. */
export function mergeTable(
  name: TableName,
  fragments: readonly TableFragment[],
  notes: PasteNote[],
  family: IpFamily,
): MergedTable {
  const chains = new Map<string, ChainFragment>()
  for (const chain of fragments.flatMap((table) => table.chains)) {
    const existing = chains.get(chain.name)
    const policy = existing?.policy ?? chain.policy
    const merged = existing === undefined ? chain : mergeChain(name, existing, chain, notes, family)
    chains.set(chain.name, { ...merged, ...(policy !== undefined && { policy }) })
  }
  const all = [...chains.values()]
  const own = all.filter((chain) => !isBuiltInChain(name, chain.name))
  const builtIn = BUILT_IN_CHAINS[name].flatMap((each) => chains.get(each) ?? [])
  const policies = builtIn.flatMap(({ name: chain, policy }): readonly ChainPolicy[] =>
    policy === 'DROP' ? [{ chain, policy }] : [],
  )
  return {
    table: {
      name,
      ...(policies.length > 0 && { policies }),
      jumps: builtIn.flatMap(({ rules }) => rules),
      blocks:
        own.length === 0
          ? []
          : [{ owner: '', chains: own.map((chain) => chain.name), rules: own.flatMap(({ rules }) => rules) }],
    },
    completeChains: all.filter(({ isWhole }) => isWhole).map((chain) => formatChainId(name, chain.name)),
    truncatedChains: all.filter(({ isPartial }) => isPartial).map((chain) => formatChainId(name, chain.name)),
  }
}

/**
 * Merges two copies of a chain. A complete copy replaces an incomplete copy. If both copies are complete, the first
 * copy is used.
 */
function mergeChain(
  table: TableName,
  first: ChainFragment,
  other: ChainFragment,
  notes: PasteNote[],
  family: IpFamily,
): ChainFragment {
  const print = (rule: Rule) => printRule(rule, 'restore', family)
  const texts = ({ rules }: ChainFragment) => rules.map(print).join('\n')
  if (first.isWhole && other.isWhole) {
    if (texts(first) === texts(other)) return first.isPartial ? other : first
    // A copy that shows interfaces has precedence over a copy with the same number of rules that does not.
    if (first.isPartial && !other.isPartial && first.rules.length === other.rules.length) return other
    if (!(other.isPartial && first.rules.length === other.rules.length)) {
      notes.push(
        createPasteNote(
          other.at,
          'duplicateChain',
          `chain ${formatChainId(table, first.name)} is given twice with different rules: the first one is used`,
        ),
      )
    }
    return first
  }
  if (first.isWhole || other.isWhole) return first.isWhole ? first : other
  const rules = mergeRules(first.rules, other.rules, print)
  return { ...first, rules, isPartial: first.isPartial || other.isPartial }
}

/**
 * Merges two selections of a list into one list without duplicates, in an order compatible with both selections.
 * Between two common items, the items of the first selection precede the items of the second selection.
 */
export function mergeRules<T>(first: readonly T[], other: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const places = new Map(first.map((item, index) => [keyOf(item), index]))
  const merged: T[] = []
  let waiting: T[] = []
  let next = 0
  for (const item of other) {
    const at = places.get(keyOf(item))
    if (at === undefined) waiting.push(item)
    else if (at >= next) {
      appendAll(merged, first.slice(next, at))
      appendAll(merged, waiting)
      merged.push(item)
      waiting = []
      next = at + 1
    }
  }
  return [...merged, ...first.slice(next), ...waiting]
}
