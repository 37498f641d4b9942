import { type IptablesState, type Rule, rulesIn, type Table } from '../dataplane/iptables/ast.js'
import type { ResourcePair } from '../diff/diff.js'
import { attributeRules } from '../targets/iptables/attribute-rules.js'
import type { Finding } from './finding.js'

/** Two tables of one name. */
export interface TablePair {
  readonly wanted: Table
  readonly live: Table
  readonly family: IptablesState['family']
  /** Asked for only where something is not as it should be. */
  readonly owners: () => LiveOwners
}

/** The service ports of what a node holds, as `attributeRules` tells them. */
interface LiveOwners {
  readonly chains: ReadonlyMap<string, string>
  readonly rules: ReadonlyMap<Rule, string>
}

export function liveOwners(live: IptablesState): LiveOwners {
  const blocks = attributeRules(live).tables.flatMap((table) => table.blocks)
  return {
    chains: new Map(blocks.flatMap(({ owner, chains }) => chains.map((chain) => [chain, owner] as const))),
    rules: new Map(blocks.flatMap((block) => rulesIn(block).map((rule) => [rule, block.owner] as const))),
  }
}

/** What is wrong with one chain, and the chain as it is and as it should be. */
export interface ChainComparison {
  readonly findings: readonly Finding[]
  readonly pairs: readonly ResourcePair[]
}

export const AS_WANTED: ChainComparison = { findings: [], pairs: [] }
