import type { IptablesState, Table } from '../../dataplane/iptables/ast.js'
import { jumpDestinations } from '../../dataplane/iptables/chains.js'
import { checkBlock, type StructureProblem } from '../../dataplane/iptables/check.js'
import { invariant } from '../../internal/invariant.js'
import type { Target } from '../target.js'
import { lower } from './lower.js'

/** Mode `iptables`. It can say everything a plan asks for. */
export const iptablesTarget: Target<IptablesState> = {
  limitations: [],
  limitationsOf: () => [],
  validate: () => [],
  lower,
  check,
  count,
}

function check(state: IptablesState): void {
  const problems = state.tables.flatMap(checkTable)
  invariant(problems.length === 0, `rules the kernel would refuse: ${JSON.stringify(problems)}`)
}

/** Service ports write to their own chains and to those of the fixed part; so each block can be looked at by itself. */
function checkTable(table: Table): readonly StructureProblem[] {
  const fixed = table.blocks.filter(({ owner }) => owner === '').flatMap(({ chains }) => chains)
  const outer = new Set([...fixed, ...jumpDestinations(table.jumps)])
  return table.blocks.flatMap((block) => checkBlock(block, table.name, outer))
}

function count({ tables }: IptablesState): { readonly chains: number; readonly rules: number } {
  const blocks = tables.flatMap((table) => table.blocks)
  const chains = blocks.reduce((total, block) => total + block.chains.length, 0)
  const rules = blocks.reduce((total, block) => total + block.rules.length, 0)
  return { chains, rules: rules + tables.reduce((total, { jumps }) => total + jumps.length, 0) }
}
