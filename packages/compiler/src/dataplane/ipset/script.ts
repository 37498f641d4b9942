import { groupItems } from '../../internal/group-items.js'
import { joinLines } from '../../internal/join-lines.js'
import type { Change } from '../../patch/patch.js'
import type { Resource } from '../../patch/resource.js'
import type { CommandPhase, PhasedCommand } from '../netfilter/tool-command.js'
import type { SubsystemCommandOptions } from '../tool-options.js'
import type { EntryWithSet, SetDefinition } from './ast.js'
import { formatAddLine, formatCreateLine, formatDeleteLine, formatDestroyLine, formatSwapLine } from './print.js'
import { ipsetDefinitionOfResource, isEntryResource } from './resources.js'

/** The temporary set that is filled and then swapped with the existing set. */
const SPARE_NAME = 'kube-rules-swap'

/**
 * Returns the `ipset restore -exist` commands that apply changes of sets and entries.
 *
 * ipset executes its input line by line. A set with a new size is filled under a temporary name and swapped with the
 * old set, so that unchanged entries are never missing. Then the old set is destroyed. The kernel swaps only sets with
 * the same type and family. Any other changed set is destroyed and created again. The `destroy` line fails while a rule
 * matches on the set.
 *
 * If the state of the node is unknown, every set is filled under the temporary name and swapped with the existing set,
 * so that no unexpected entry remains. This fails if the existing set has another type or size, which only a dump can
 * show. If the node may have older sets (`atLeast`), created sets are filled in the same way, because older sets may
 * have the same names.
 */
export function toIpsetCommands(
  changes: readonly Change[],
  { start = 'known' }: Pick<SubsystemCommandOptions, 'start'> = {},
): readonly PhasedCommand[] {
  if (start === 'unknown') return refillSets(sortChanges(changes))
  const { created, replaced, added, deleted, removed } = sortChanges(changes)
  const swapped = replaced.filter(canSwap)
  const refilled = start === 'atLeast' ? created : []
  const isSwapped = nameTest([...refilled, ...swapped.map(({ after }) => after)])
  const isGone = nameTest([...deleted, ...replaced.map(({ after }) => after)])
  return [
    ...runsOf('provide', 'add sets and entries', [
      ...(start === 'atLeast' ? refillLines(created, added) : created.map(formatCreateLine)),
      ...replaced.flatMap((each) =>
        canSwap(each) ? [] : [formatDestroyLine(each.before), formatCreateLine(each.after)],
      ),
      ...added.flatMap(({ set, entry }) => (isSwapped(set) ? [] : [formatAddLine(set, entry)])),
      ...swapped.flatMap(({ after }) =>
        swapLines(
          after,
          added.filter(({ set }) => set.name === after.name),
        ),
      ),
    ]),
    ...runsOf('withdraw', 'remove entries and sets', [
      ...removed.flatMap(({ set, entry }) => (isGone(set) ? [] : [formatDeleteLine(set, entry)])),
      ...deleted.map(formatDestroyLine),
    ]),
  ]
}

function refillSets({ created, added, deleted }: SortedChanges): readonly PhasedCommand[] {
  const removal = runsOf('withdraw', 'remove sets', deleted.map(formatDestroyLine))
  return [
    ...runsOf('provide', 'refill sets', refillLines(created, added)),
    // The removal of a set may fail, because an unknown rule may match on the set.
    ...removal.map(({ phase, command }) => ({ phase, command: { ...command, allowFailure: true } })),
  ]
}

/** Returns the lines that create sets and replace the entries of existing sets. */
function refillLines(created: readonly SetDefinition[], added: readonly EntryWithSet[]): readonly string[] {
  const entries = groupItems(added, ({ set }) => set.name)
  return created.flatMap((set) => [formatCreateLine(set), ...swapLines(set, entries.get(set.name) ?? [])])
}

interface ReplacedSet {
  readonly before: SetDefinition
  readonly after: SetDefinition
}

/** The changes by kind, each in the given order. */
interface SortedChanges {
  readonly created: SetDefinition[]
  readonly replaced: ReplacedSet[]
  readonly deleted: SetDefinition[]
  /** The added entries, including existing entries with changed options. */
  readonly added: EntryWithSet[]
  readonly removed: EntryWithSet[]
}

function sortChanges(changes: readonly Change[]): SortedChanges {
  const sorted: SortedChanges = { created: [], replaced: [], deleted: [], added: [], removed: [] }
  for (const change of changes) {
    if (change.kind === 'create') sortInto(change.resource, sorted.created, sorted.added)
    else if (change.kind === 'delete') sortInto(change.resource, sorted.deleted, sorted.removed)
    else if (change.kind === 'update' && isEntryResource(change.after)) sorted.added.push(change.after.value)
    else if (change.kind === 'update') {
      sorted.replaced.push({
        before: ipsetDefinitionOfResource(change.before),
        after: ipsetDefinitionOfResource(change.after),
      })
    }
  }
  return sorted
}

function sortInto(resource: Resource, sets: SetDefinition[], entries: EntryWithSet[]): void {
  if (isEntryResource(resource)) entries.push(resource.value)
  else sets.push(ipsetDefinitionOfResource(resource))
}

function nameTest(sets: readonly SetDefinition[]): (set: SetDefinition) => boolean {
  const names = new Set(sets.map(({ name }) => name))
  return ({ name }) => names.has(name)
}

function canSwap({ before, after }: ReplacedSet): boolean {
  return before.type === after.type && kindOf(before) === kindOf(after)
}

/**
 * Returns the property that must be equal for a swap, in addition to the set type of the model: the family, or the type
 * name of a set with an unknown type.
 */
function kindOf(set: SetDefinition): string | undefined {
  if (set.type === 'unknown') return set.words[0]
  return set.type === 'bitmap:port' ? undefined : set.family
}

/**
 * Returns the lines that replace a set. First, the lines destroy a temporary set that an earlier run may have left.
 * `-exist` ignores a missing set.
 */
function swapLines(set: SetDefinition, entries: readonly EntryWithSet[]): readonly string[] {
  const spare = { ...set, name: SPARE_NAME }
  return [
    formatDestroyLine(spare),
    formatCreateLine(spare),
    ...entries.map(({ entry }) => formatAddLine(spare, entry)),
    formatSwapLine(spare, set),
    formatDestroyLine(spare),
  ]
}

function runsOf(phase: CommandPhase, purpose: string, lines: readonly string[]): readonly PhasedCommand[] {
  if (lines.length === 0) return []
  const input = joinLines(lines)
  return [{ phase, command: { tool: 'ipset', args: ['restore', '-exist'], input, purpose } }]
}
