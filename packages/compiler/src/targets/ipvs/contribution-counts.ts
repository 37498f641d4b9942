import type { SetDefinition } from '../../dataplane/ipset/ast.js'
import type { PlanHeader } from '../../plan/plan.js'
import type { ContributionCounts } from '../mode-lowering.js'
import { countBlocks } from '../shared/count-blocks.js'
import type { IpvsContribution } from './ipvs-contribution.js'
import { listIpsetDefinitions, MAX_ENTRIES, SET_NAMES, type SetName, setsOfMask } from './sets.js'

/**
 * Counts, for each set, the service ports with entries in the set, and these entries. Also counts rules. An entry that
 * several service ports claim counts once for each of these service ports.
 */
export function countContributions(parts: readonly IpvsContribution[]): ContributionCounts {
  const filling = new Map<number, number>()
  const entries = new Map<SetDefinition, number>()
  for (const part of parts) {
    filling.set(part.filledSets, (filling.get(part.filledSets) ?? 0) + 1)
    for (const { set } of part.entries) entries.set(set, (entries.get(set) ?? 0) + 1)
  }
  const counts: Record<string, number> = {}
  for (const [mask, count] of filling) {
    for (const name of setsOfMask(mask)) counts[partsIn(name)] = (counts[partsIn(name)] ?? 0) + count
  }
  for (const [{ name }, count] of entries) counts[entriesIn(name)] = count
  return { ...countBlocks(parts.map(({ filter }) => filter)), ...counts }
}

/** Returns the non-empty sets, excluding the set of bound addresses, because no rule matches this set. */
export function findNonEmptySets(counts: ContributionCounts): readonly SetName[] {
  return SET_NAMES.filter((name) => (counts[partsIn(name)] ?? 0) > 0)
}

/** Reports whether some set may need more entries than its maximum size. */
export function mayExceedMaxEntries(counts: ContributionCounts, { family, kernel }: PlanHeader): boolean {
  return listIpsetDefinitions(family, kernel.features).some(({ name }) => (counts[entriesIn(name)] ?? 0) > MAX_ENTRIES)
}

function partsIn(set: SetName): string {
  return `parts in ${set}`
}

function entriesIn(kernelName: string): string {
  return `entries in ${kernelName}`
}
