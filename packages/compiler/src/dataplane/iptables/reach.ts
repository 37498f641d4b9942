import { type Lead, LOCAL, type Reach, type ReachOf, reachOfLeads, TO_LOCAL, uniteReaches } from '../netfilter/reach.js'
import type { Block, Rule, Table } from './ast.js'
import { reachTaken, targetOf } from './block-facts.js'
import { BUILT_IN_CHAINS } from './built-in-chains.js'
import { rulesIn } from './lazy-block.js'

/**
 * Which packets come to the chains of a table that are there for all, by the rules of `ofAll` and the jumps from built-in chains.
 * Nothing is said of the chains that are `entered` otherwise.
 */
export function reachOfChains(table: Table, ofAll: readonly Block[], entered: ReadonlySet<string>): ReachOf {
  const leads = [...table.jumps, ...ofAll.flatMap(rulesIn)].flatMap(leadOf)
  const roots = new Map<string, Reach | undefined>([[LOCAL, TO_LOCAL]])
  // To INPUT comes what is for the node.
  for (const chain of BUILT_IN_CHAINS[table.name]) roots.set(chain, chain === 'INPUT' ? TO_LOCAL : undefined)
  for (const chain of entered) roots.set(chain, undefined)
  return reachOfLeads(leads, roots)
}

function leadOf(rule: Rule): readonly Lead[] {
  const to = targetOf(rule.verdict)
  return to === undefined ? [] : [{ from: rule.chain, to, takes: reachTaken(rule) }]
}

/** Which packets those rules look up in a set. */
export function reachOfSets(table: Table, ofAll: readonly Block[], reachOf: ReachOf): ReachOf {
  const rules = [...table.jumps, ...ofAll.flatMap(rulesIn)]
  return (name) => {
    const asking = rules.filter(({ matches }) => matches.some((match) => match.kind === 'set' && match.name === name))
    return uniteReaches(asking.map((rule) => reachTaken(rule) ?? reachOf(rule.chain)))
  }
}
