import { isDeepEqual } from '../../internal/plain-data.js'
import type { Change } from '../../patch/patch.js'
import type { CommandPhase, PhasedCommand } from '../netfilter/tool-command.js'
import type { SubsystemCommandOptions } from '../tool-options.js'
import type { Chain } from './ast.js'
import type { CommandTable, NftCommand } from './command.js'
import { printCommands } from './print/print-commands.js'
import { formatTableId, type NftablesResourceValue, nftablesResourceValueOf } from './resources.js'

/**
 * Returns the `nft -f -` commands that apply the changes. Each command is one transaction, so a table never contains a
 * mix of old and new rules.
 *
 * A chain is written as a whole. Unreferenced chains are flushed, and deleted by a later command, because before Linux
 * 6.2 the kernel notices too late that a chain has become unreferenced.
 *
 * If the state of the node is unknown, one transaction replaces whole tables. The old content of the tables is lost,
 * including the clients in sets. Each `delete table` follows an `add table`, because the table may be missing.
 */
export function toNftCommands(
  changes: readonly Change[],
  { start = 'known' }: Partial<SubsystemCommandOptions> = {},
): readonly PhasedCommand[] {
  const sorted = sortChanges(changes)
  if (start === 'unknown') return replaceTables(sorted)
  const gone = new Set(
    sorted.flatMap(({ before, after }) => (before?.kind === 'table' && !after ? [idOf(before)] : [])),
  )
  const isGone = ({ before, after }: ValueChange) =>
    after === undefined && before !== undefined && gone.has(idOf(before))
  const staying = sorted.filter((change) => !isGone(change))
  const removed = [...staying, ...sorted.filter((change) => isGone(change) && change.before?.kind === 'table')]
  return [
    ...runOf('switch', 'write tables', transaction(staying)),
    ...runOf('withdraw', 'delete unreferenced chains', withdrawal(removed)),
  ]
}

/** Replaces whole tables. The old content of a table is deleted with the table. */
function replaceTables(changes: readonly ValueChange[]): readonly PhasedCommand[] {
  const tables = changes.flatMap(({ before, after }) => [before, after].flatMap((value) => value ?? []))
  const places = new Map(tables.map((value) => [idOf(value), inTable(value)]))
  const removals = Array.from(places.values()).flatMap((here): readonly NftCommand[] => [
    { ...here, verb: 'add', object: 'table' },
    { ...here, verb: 'delete', object: 'table' },
  ])
  const added = changes.flatMap(({ after }) => (after === undefined ? [] : [{ after }]))
  const purpose = added.length > 0 ? 'replace tables' : 'remove tables'
  return runOf('switch', purpose, transaction(added, removals))
}

function idOf({ table }: NftablesResourceValue): string {
  return formatTableId(table)
}

/** The values of a resource before and after the change. One of the two may be missing. */
interface ValueChange {
  readonly before?: NftablesResourceValue | undefined
  readonly after?: NftablesResourceValue | undefined
}

function sortChanges(changes: readonly Change[]): readonly ValueChange[] {
  return changes.flatMap((change): readonly ValueChange[] => {
    switch (change.kind) {
      case 'create':
        return [{ after: nftablesResourceValueOf(change.resource) }]
      case 'delete':
        return [{ before: nftablesResourceValueOf(change.resource) }]
      case 'update':
        return [{ before: nftablesResourceValueOf(change.before), after: nftablesResourceValueOf(change.after) }]
      default:
        return []
    }
  })
}

/**
 * Yields all commands, excluding deletions of chains, sets and tables. Definitions come first, then rules, then
 * elements, which refer to chains and sets. Flushes of chains come last. The commands of a large cluster are printed
 * one by one, so they do not need memory at the same time.
 */
function* transaction(
  changes: readonly ValueChange[],
  removals: readonly NftCommand[] = [],
): Generator<NftCommand, void> {
  yield* removals
  for (const change of changes) yield* definitions(change)
  for (const { after } of changes) if (after?.kind === 'chain') yield* rulesOf(after)
  for (const change of changes) yield* removedElement(change)
  for (const change of changes) yield* addedElement(change)
  for (const { before, after } of changes) {
    if (after === undefined && before?.kind === 'chain') yield flushChain(inTable(before), before.value)
  }
}

function definitions({ before, after }: ValueChange): readonly NftCommand[] {
  if (after === undefined) return []
  const here = inTable(after)
  switch (after.kind) {
    case 'table': {
      const { comment, flags } = after.value
      return [
        { ...here, verb: 'add', object: 'table', ...(comment !== undefined && { comment }), ...(flags && { flags }) },
      ]
    }
    case 'chain':
      return chainDefinition(here, before?.kind === 'chain' ? before.value : undefined, after.value)
    case 'set':
      return [{ ...here, verb: 'add', object: 'set', set: after.value }]
    case 'object':
      return [{ ...here, verb: 'add', object: 'named', definition: after.value }]
    case 'element':
      return []
  }
}

function chainDefinition(here: CommandTable, before: Chain | undefined, chain: Chain): readonly NftCommand[] {
  const add: NftCommand = { ...here, verb: 'add', object: 'chain', chain }
  const flush = flushChain(here, chain)
  if (before === undefined) return [add]
  if (isDeepEqual(before.base, chain.base)) return [flush]
  return [flush, { ...here, verb: 'delete', object: 'chain', name: chain.name }, add]
}

function flushChain(here: CommandTable, { name }: Chain): NftCommand {
  return { ...here, verb: 'flush', object: 'chain', name }
}

function rulesOf(after: NftablesResourceValue & { readonly kind: 'chain' }): readonly NftCommand[] {
  const { name: chain, rules } = after.value
  return rules.map((rule): NftCommand => ({ ...inTable(after), verb: 'add', object: 'rule', chain, rule }))
}

/**
 * Returns the command that removes an element. The element is also removed if only its value changed, because the
 * kernel accepts only one verdict per key.
 */
function removedElement({ before }: ValueChange): readonly NftCommand[] {
  if (before?.kind !== 'element') return []
  const { set, element } = before.value
  return [{ ...inTable(before), verb: 'delete', object: 'element', set, elements: [{ key: element.key }] }]
}

function addedElement({ after }: ValueChange): readonly NftCommand[] {
  if (after?.kind !== 'element') return []
  const { set, element } = after.value
  return [{ ...inTable(after), verb: 'add', object: 'element', set, elements: [element] }]
}

function withdrawal(changes: readonly ValueChange[]): readonly NftCommand[] {
  return changes.flatMap(({ before, after }) => (before !== undefined && after === undefined ? deletion(before) : []))
}

function deletion(before: NftablesResourceValue): readonly NftCommand[] {
  const here = inTable(before)
  switch (before.kind) {
    case 'table':
      return [{ ...here, verb: 'delete', object: 'table' }]
    case 'chain':
      return [{ ...here, verb: 'delete', object: 'chain', name: before.value.name }]
    case 'set':
      return [{ ...here, verb: 'delete', object: 'set', kind: before.value.kind, name: before.value.name }]
    case 'object':
      return [{ ...here, verb: 'delete', object: 'named', type: objectType(before.value), name: before.value.name }]
    case 'element':
      return []
  }
}

function objectType(object: (NftablesResourceValue & { readonly kind: 'object' })['value']): string {
  return object.kind === 'counter' ? 'counter' : object.type
}

function inTable({ table }: NftablesResourceValue): CommandTable {
  return { family: table.family, table: table.name }
}

function runOf(phase: CommandPhase, purpose: string, commands: Iterable<NftCommand>): readonly PhasedCommand[] {
  const input = printCommands(commands)
  return input === '' ? [] : [{ phase, command: { tool: 'nft', args: ['-f', '-'], input, purpose } }]
}
