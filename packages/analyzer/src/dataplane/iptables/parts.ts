import type { Block, IptablesState, Match, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { blockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { isOfList } from '@kube-rules/compiler/internal/internal/array-of-list'
import { compact } from '@kube-rules/compiler/internal/internal/compact'
import { memo } from '@kube-rules/compiler/internal/internal/memo'
import { withoutHostPrefix } from '@kube-rules/types'
import { partsOfReadSet, type StatePart, type StateParts } from '../netfilter/parts.js'

/**
 * Returns the blocks of compiled tables by address. Each block has exclusive chains; its addresses are those of the
 * rules in shared chains that jump to them. Undefined if a set lookup uses the source of a packet for every
 * destination, and for tables that are not compiled.
 */
export function partsOfTables({ tables }: IptablesState): StateParts | undefined {
  if (!tables.some(isOfList)) return undefined
  const readSet = tables.flatMap(readSetInTable)
  if (readSet.some(({ matchesSourceInSet }) => matchesSourceInSet)) return undefined
  return partsOfReadSet(
    tables.map(({ name, policies, jumps }) => ({ name, policies, jumps })),
    readSet,
  )
}

interface ReadSetBlock extends StatePart {
  readonly matchesSourceInSet: boolean
}

/** Returns the blocks of a table. In a table that is not compiled, any block may write to any chain. */
function readSetInTable(table: Table): readonly ReadSetBlock[] {
  const isCompiled = isOfList(table)
  return table.blocks.map((block) => {
    const { destinations, matchesSourceInSet } = memo(block, findFacts)
    return {
      owner: block.owner,
      value: () => ({ table: table.name, chains: block.chains, rules: blockRules(block) }),
      madeOf: block,
      matchesSourceInSet,
      destinations: isCompiled ? destinations : undefined,
      names: block.chains,
    }
  })
}

interface BlockFacts {
  /**
   * The addresses in the rules of shared chains that jump to the block; undefined if one of these rules has no single
   * address.
   */
  readonly destinations: readonly string[] | undefined
  /** Whether a rule looks up the source of a packet in a set. */
  readonly matchesSourceInSet: boolean
}

function findFacts(block: Block): BlockFacts {
  const rules = blockRules(block)
  const own = new Set(block.chains)
  const places = rules.filter(({ chain }) => !own.has(chain)).map(addressTaken)
  const named = places.flatMap((address) => address ?? [])
  return {
    destinations: block.owner === '' || named.length < places.length ? undefined : compact(named),
    matchesSourceInSet: rules.some(({ matches }) => matches.some(isOfSource)),
  }
}

function isOfSource(match: Match): boolean {
  return match.kind === 'set' && match.directions[0] === 'src'
}

function addressTaken({ matches }: Rule): string | undefined {
  for (const match of matches) {
    // The destination of a packet is the address of its virtual server.
    if (match.kind === 'ipvs') return match.address
    if (match.kind !== 'destination' || match.negated) continue
    const address = withoutHostPrefix(match.address)
    return address.includes('/') ? undefined : address
  }
  return undefined
}
