import { applyTransaction } from '../../../analyzer/test/support/apply-transaction.js'
import { parseCommands } from '../../../analyzer/test/support/parse-commands.js'
import type { Element, SetDefinition, Table } from '../../src/dataplane/nftables/ast.js'
import { canonicalize } from '../../src/dataplane/nftables/canonical.js'
import type { NftCommand } from '../../src/dataplane/nftables/command.js'
import { toListedForm } from '../../src/dataplane/nftables/listed-form.js'
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
    const applied = applyTransaction(...withListedKeys(held[at], commands))
    if (!applied.ok) throw new Error(`nft refuses it: ${applied.error.message}`)
    const others = held.filter((_, index) => index !== at)
    return applied.table === undefined ? others : [...others, applied.table]
  }, tables)
}

/**
 * Replaces the keys of elements as the kernel does. It stores a network as an interval: `192.168.0.9/16` and
 * `192.168.0.0/16` are one key.
 */
function withListedKeys(
  table: Table | undefined,
  commands: readonly NftCommand[],
): readonly [Table | undefined, readonly NftCommand[]] {
  const added = commands.flatMap((command) => ('set' in command && command.object === 'set' ? [command.set] : []))
  const sets = new Map([...(table?.sets ?? []), ...added].map((set) => [set.name, set]))
  const listed = (name: string, elements: readonly Element[]) => {
    const set = sets.get(name)
    return set === undefined ? elements : elements.map((element) => listedElement(set, element))
  }
  return [
    table && { ...table, sets: table.sets.map((set) => ({ ...set, elements: listed(set.name, set.elements) })) },
    commands.map((command) =>
      command.object === 'element' ? { ...command, elements: listed(command.set, command.elements) } : command,
    ),
  ]
}

function listedElement(set: SetDefinition, element: Element): Element {
  const table: Table = { family: 'ip', name: '', chains: [], sets: [{ ...set, elements: [element] }], objects: [] }
  const key = toListedForm(table, '1.1').sets[0]?.elements[0]?.key
  return key === undefined ? element : { ...element, key }
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
