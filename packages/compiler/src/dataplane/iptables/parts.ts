import { isOfList } from '../../internal/array-of-list.js'
import { type Asking, partsOfAsked, type StateParts } from '../netfilter/parts.js'
import type { IptablesState, Table } from './ast.js'
import { factsOf } from './block-facts.js'
import { rulesIn } from './lazy-block.js'

/**
 * The blocks of compiled tables, each with its chains for itself, at the addresses at which rules in chains of others lead there.
 * Undefined where a set is asked for the source of a packet, whatever it is for, and for tables that are not compiled.
 */
export function partsOfTables({ tables }: IptablesState): StateParts | undefined {
  if (!tables.some(isOfList)) return undefined
  const asked = tables.flatMap(askedInTable)
  if (asked.some(({ asksSetForSource }) => asksSetForSource)) return undefined
  return partsOfAsked(
    tables.map(({ name, policies, jumps }) => ({ name, policies, jumps })),
    asked,
  )
}

interface AskedBlock extends Asking {
  readonly asksSetForSource: boolean
}

/** Of a table that is not compiled anybody may write to any chain. */
function askedInTable(table: Table): readonly AskedBlock[] {
  const isCompiled = isOfList(table)
  return table.blocks.map((block) => {
    const { places, within, isAnywhere, asksSetForSource } = factsOf(block)
    return {
      owner: block.owner,
      value: () => ({ table: table.name, chains: block.chains, rules: rulesIn(block) }),
      madeOf: block,
      asksSetForSource,
      places: isAnywhere || within.length > 0 || !isCompiled ? undefined : places,
      names: block.chains,
    }
  })
}
