import type { IpFamily } from '@kube-rules/types'
import type { PrintOptions } from '../language.js'
import { type LineOrigin, NO_ORIGIN } from '../netfilter/line-origin.js'
import type { IptablesState, Table } from './ast.js'
import { type OwnedRule, ownedChainsOf } from './chains.js'
import { printRule } from './print/print.js'
import { chainId } from './resources.js'

/** What each line says that `print` has printed of a state: a table, a chain or a rule. */
export function originsOfLines(
  lines: readonly string[],
  { tables, family }: IptablesState,
  { spelling }: PrintOptions,
): readonly LineOrigin[] {
  const byName = new Map<string, Table>(tables.map((table) => [table.name, table]))
  let originOf: (line: string) => LineOrigin = () => NO_ORIGIN
  return lines.map((line) => {
    const table = line.startsWith('*') ? byName.get(line.slice(1)) : undefined
    if (table === undefined) return originOf(line)
    originOf = originsIn(table, { isSave: spelling === 'save', family })
    return NO_ORIGIN
  })
}

interface Printing {
  readonly isSave: boolean
  readonly family: IpFamily
}

/** The rules of a chain stand in its order, whatever stands between them; only `save` has the jumps. */
function originsIn(table: Table, { isSave, family }: Printing): (line: string) => LineOrigin {
  const jumps = new Set(isSave ? [] : table.jumps)
  const chains = ownedChainsOf(table)
  const rules = new Map<string, Iterator<OwnedRule>>(
    Array.from(chains, ([name, all]) => [name, all.filter(({ rule }) => !jumps.has(rule)).values()]),
  )
  const owners = new Map(table.blocks.flatMap(({ chains, owner }) => chains.map((chain) => [chain, owner] as const)))
  return (line) => {
    const [, sign, chain] = /^(:|-A )(\S+)/.exec(line) ?? []
    if (chain === undefined) return NO_ORIGIN
    const place = chainId(table.name, chain)
    if (sign === ':') return { owner: owners.get(chain) ?? '', place }
    const { rule, owner } = rules.get(chain)?.next().value ?? { owner: '' }
    return { owner, place, ...(rule && { rules: () => [{ place, text: printRule(rule, 'save', family) }] }) }
  }
}
