import type { IptablesState, Match, Rule, RuleBlock, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import { hasLazyArray } from '@kube-rules/compiler/internal/internal/lazy-array'
import { memoize } from '@kube-rules/compiler/internal/internal/memo'
import { createStatePartition, type OwnedContent, type PortFilter, type StatePartition } from '../netfilter/parts.js'
import { requiredDestinationOf, splitTableByDestination } from './plain-parts.js'

/**
 * Splits compiled tables into blocks, each with its addresses. The chains of a block belong only to this block. The
 * addresses of a block are the destinations in the rules of shared chains that jump to it. Tables of a dump are split
 * by destination address instead. Undefined if a compiled rule looks up the source of a packet in a set for any
 * destination.
 */
export function splitIptablesByOwner({ tables }: IptablesState, mayBeOfPart?: PortFilter): StatePartition | undefined {
  if (!tables.some(hasLazyArray)) return partsOfPlainTables(tables)
  const contents = tables.flatMap(blockContentsOf)
  if (contents.some(({ matchesSourceInSet }) => matchesSourceInSet)) return undefined
  return createStatePartition(
    tables.map(({ name, policies, jumps }) => ({ name, policies, jumps })),
    contents,
    mayBeOfPart,
  )
}

function partsOfPlainTables(tables: readonly Table[]): StatePartition {
  const split = tables.map(splitTableByDestination)
  return createStatePartition(
    split.map(({ shared }) => shared),
    split.flatMap(({ parts }) => parts),
  )
}

interface BlockContent extends OwnedContent {
  readonly matchesSourceInSet: boolean
}

/**
 * Returns the content of each block of a table. If the table is not compiled, the blocks have no destinations, because
 * any block may write to any chain.
 */
function blockContentsOf(table: Table): readonly BlockContent[] {
  const isCompiled = hasLazyArray(table)
  return table.blocks.map((block) => {
    const { destinations, ports, matchesSourceInSet } = memoize(block, findFacts)
    return {
      owners: [block.owner],
      value: () => ({ table: table.name, chains: block.chains, rules: getBlockRules(block) }),
      source: block,
      matchesSourceInSet,
      destinations: isCompiled ? destinations : undefined,
      ports,
      names: block.chains,
    }
  })
}

interface BlockFacts {
  /**
   * The addresses in the rules of shared chains that jump to the block. Undefined if one of these rules matches neither
   * an individual address nor an individual port.
   */
  readonly destinations: readonly string[] | undefined
  /** The ports in those of these rules that match no individual address. */
  readonly ports: readonly number[] | undefined
  /** Whether a rule looks up the source of a packet in a set. */
  readonly matchesSourceInSet: boolean
}

function findFacts(block: RuleBlock): BlockFacts {
  const rules = getBlockRules(block)
  const own = new Set(block.chains)
  const entries = rules.filter(({ chain }) => !own.has(chain))
  const named = entries.flatMap((rule) => requiredDestinationOf(rule) ?? [])
  const ports = entries.flatMap((rule) =>
    requiredDestinationOf(rule) === undefined ? (requiredPortOf(rule) ?? []) : [],
  )
  return {
    destinations: block.owner === '' || named.length + ports.length < entries.length ? undefined : compactList(named),
    ports: ports.length === 0 ? undefined : ports,
    matchesSourceInSet: rules.some(({ matches }) => matches.some(isOfSource)),
  }
}

/** Returns the destination port that a rule requires; undefined if the rule matches several ports or any port. */
function requiredPortOf({ matches }: Pick<Rule, 'matches'>): number | undefined {
  const match = matches.find((each) => each.kind === 'destinationPort' && !each.negated && each.first === each.last)
  return match?.kind === 'destinationPort' ? match.first : undefined
}

function isOfSource(match: Match): boolean {
  return match.kind === 'set' && match.directions[0] === 'src'
}
