import type { Change } from '../../patch/patch.js'
import type { Resource } from '../../patch/resource.js'
import type { Phase, PhasedCommand } from '../netfilter/tool-command.js'
import type { SubsystemCommandOptions } from '../tool-options.js'
import type { EntryValue, SetDefinition } from './ast.js'
import { addLine, createLine, delLine, destroyLine, swapLine } from './print.js'
import { isEntry, setDefinition } from './resources.js'

/** Temporary set that is filled and then swapped with the live set. */
const SPARE_NAME = 'kube-rules-swap'

/**
 * The runs of `ipset restore -exist` that carry out the changes of sets and entries.
 *
 * ipset applies line by line. A set with other sizes is filled beside the old one and swapped with it, so that at no
 * moment it lacks entries that stay; the old entries go with it. The kernel swaps only sets of one type and family: any
 * other set is destroyed and made anew, which fails while a rule matches it.
 *
 * Where nothing is known of the start, every set is filled beside the one that is there and swapped with it, so that no entry stays
 * that nobody wants. That fails for a set of another type or size, of which only a dump tells.
 */
export function toIpsetCommands(
  changes: readonly Change[],
  { start = 'known' }: Pick<SubsystemCommandOptions, 'start'> = {},
): readonly PhasedCommand[] {
  if (start === 'unknown') return refillSets(sortChanges(changes))
  const { created, replaced, added, deleted, removed } = sortChanges(changes)
  const swapped = replaced.filter(canSwap)
  const isSwapped = nameTest(swapped.map(({ after }) => after))
  const isGone = nameTest([...deleted, ...replaced.map(({ after }) => after)])
  return [
    ...runsOf('provide', 'add sets and entries', [
      ...created.map(createLine),
      ...replaced.flatMap((each) => (canSwap(each) ? [] : [destroyLine(each.before), createLine(each.after)])),
      ...added.flatMap(({ set, entry }) => (isSwapped(set) ? [] : [addLine(set, entry)])),
      ...swapped.flatMap(({ after }) =>
        swapLines(
          after,
          added.filter(({ set }) => set.name === after.name),
        ),
      ),
    ]),
    ...runsOf('withdraw', 'remove entries and sets', [
      ...removed.flatMap(({ set, entry }) => (isGone(set) ? [] : [delLine(set, entry)])),
      ...deleted.map(destroyLine),
    ]),
  ]
}

function refillSets({ created, added, deleted }: SortedChanges): readonly PhasedCommand[] {
  const entries = new Map<string, EntryValue[]>()
  for (const each of added) {
    const known = entries.get(each.set.name)
    if (known === undefined) entries.set(each.set.name, [each])
    else known.push(each)
  }
  const removal = runsOf('withdraw', 'remove sets', deleted.map(destroyLine))
  return [
    ...runsOf(
      'provide',
      'fill sets anew',
      created.flatMap((set) => [createLine(set), ...swapLines(set, entries.get(set.name) ?? [])]),
    ),
    // A rule that nobody knows of may match one of them.
    ...removal.map(({ phase, command }) => ({ phase, command: { ...command, allowFailure: true } })),
  ]
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
  /** Added entries, including existing ones with changed options. */
  readonly added: EntryValue[]
  readonly removed: EntryValue[]
}

function sortChanges(changes: readonly Change[]): SortedChanges {
  const sorted: SortedChanges = { created: [], replaced: [], deleted: [], added: [], removed: [] }
  for (const change of changes) {
    if (change.kind === 'create') sortInto(change.resource, sorted.created, sorted.added)
    else if (change.kind === 'delete') sortInto(change.resource, sorted.deleted, sorted.removed)
    else if (change.kind === 'update' && isEntry(change.after)) sorted.added.push(change.after.value)
    else if (change.kind === 'update') {
      sorted.replaced.push({ before: setDefinition(change.before), after: setDefinition(change.after) })
    }
  }
  return sorted
}

function sortInto(resource: Resource, sets: SetDefinition[], entries: EntryValue[]): void {
  if (isEntry(resource)) entries.push(resource.value)
  else sets.push(setDefinition(resource))
}

function nameTest(sets: readonly SetDefinition[]): (set: SetDefinition) => boolean {
  const names = new Set(sets.map(({ name }) => name))
  return ({ name }) => names.has(name)
}

function canSwap({ before, after }: ReplacedSet): boolean {
  return before.type === after.type && kindOf(before) === kindOf(after)
}

/** Returns the property that must be equal in addition to the type: the family, or the type by name. */
function kindOf(set: SetDefinition): string | undefined {
  if (set.type === 'unknown') return set.words[0]
  return set.type === 'bitmap:port' ? undefined : set.family
}

/**
 * Returns the lines that replace a set. A temporary set of an earlier run is destroyed first; `-exist` ignores a
 * missing one.
 */
function swapLines(set: SetDefinition, entries: readonly EntryValue[]): readonly string[] {
  const spare = { ...set, name: SPARE_NAME }
  return [
    destroyLine(spare),
    createLine(spare),
    ...entries.map(({ entry }) => addLine(spare, entry)),
    swapLine(spare, set),
    destroyLine(spare),
  ]
}

function runsOf(phase: Phase, purpose: string, lines: readonly string[]): readonly PhasedCommand[] {
  if (lines.length === 0) return []
  const input = lines.map((line) => `${line}\n`).join('')
  return [{ phase, command: { tool: 'ipset', args: ['restore', '-exist'], input, purpose } }]
}
