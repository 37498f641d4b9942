import { applyTransaction } from '../../../analyzer/test/support/apply-transaction.js'
import { parseCommands } from '../../../analyzer/test/support/parse-commands.js'
import type { Element, Table } from '../../src/dataplane/nftables/ast.js'
import { canonicalize } from '../../src/dataplane/nftables/canonical.js'
import type { NftCommand } from '../../src/dataplane/nftables/command.js'
import { NFT_FORMATS } from '../../src/dataplane/nftables/print/nftables-format.js'
import { printRule } from '../../src/dataplane/nftables/print/statements.js'

// An interpreter of `nft -f -` for tables. The kernel suite compares `apply` with the real nft.

/** Applies a transaction to the tables. Throws if nft or the kernel would reject it; then it has no effect. */
export function afterNft(tables: readonly Table[], input: string): readonly Table[] {
  const parsed = parseCommands(input)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message, excerpt }) => `${message}\n${excerpt}`).join('\n'))
  const byTable = new Map<string, NftCommand[]>()
  for (const command of parsed.value) {
    if (command.object === 'ruleset') throw new Error('nobody flushes the rules of others')
    const key = `${command.family} ${command.table}`
    const commands = byTable.get(key)
    if (commands === undefined) byTable.set(key, [command])
    else commands.push(command)
  }
  return [...byTable].reduce((held, [key, commands]) => {
    const at = held.findIndex(({ family, name }) => `${family} ${name}` === key)
    const applied = applyTransaction(held[at], commands)
    if (!applied.ok) throw new Error(`nft refuses it: ${applied.error.message}`)
    const others = held.filter((_, index) => index !== at)
    return applied.table === undefined ? others : [...others, applied.table]
  }, tables)
}

/** Returns rules by chain and elements by set, to compare. */
export function textsOfTables(tables: readonly Table[]) {
  return Object.fromEntries(
    tables.map((table) => {
      const { family, name, comment, chains, sets } = canonicalize(table)
      const ruleTexts = chains.map(({ name: chain, base, rules }) => [
        chain,
        [base === undefined ? '' : JSON.stringify(base), ...rules.map((rule) => printRule(rule, NFT_FORMATS['1.1']))],
      ])
      const setTexts = sets.map(({ name: set, kind, elements, timeout }) => [
        set,
        { kind, timeout, elements: Object.fromEntries(elements.map((each) => [each.key, formatVerdict(each)])) },
      ])
      const texts = { comment, chains: Object.fromEntries(ruleTexts), sets: Object.fromEntries(setTexts) }
      return [`${family} ${name}`, texts]
    }),
  )
}

function formatVerdict({ verdict, comment }: Element): string {
  return JSON.stringify([verdict, comment])
}
