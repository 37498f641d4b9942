import type { IpFamily } from '@kube-rules/types'
import type { SetDefinition } from '../../dataplane/ipset/ast.js'
import type { PartCounts } from '../mode-lowering.js'
import { countBlocks } from '../shared/count-blocks.js'
import type { ServiceEntries } from './service-entries.js'
import { MAX_ENTRIES, SET_NAMES, type SetName, setDefinitions, setsOfMask } from './sets.js'

/**
 * Beside rules: how many service ports have something in a set, and how many entries they have in it. What several of them
 * claim is counted for each.
 */
export function countParts(parts: readonly ServiceEntries[]): PartCounts {
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

/** The sets that have members, but for that of bound addresses, on which no rule depends. */
export function filledSets(counts: PartCounts): readonly SetName[] {
  return SET_NAMES.filter((name) => (counts[partsIn(name)] ?? 0) > 0)
}

/** Whether a set may have more entries than it takes. */
export function mayOverflow(counts: PartCounts, family: IpFamily): boolean {
  return setDefinitions(family).some(({ name }) => (counts[entriesIn(name)] ?? 0) > MAX_ENTRIES)
}

function partsIn(set: SetName): string {
  return `parts in ${set}`
}

function entriesIn(kernelName: string): string {
  return `entries in ${kernelName}`
}
