import {
  createEquivalentSources,
  type EquivalentSources,
} from '@kube-rules/compiler/internal/dataplane/netfilter/equivalent-sources'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { type PathState, withPacket } from './path-state.js'

/** A result, with the path state of the sources with this result. */
export interface SourcePartition<T> {
  readonly path: PathState
  readonly matches: T
}

/**
 * Evaluates a function for packets of several sources, and returns one path state per distinct result. `keyOf`
 * identifies a result; undefined means that each source needs its own path state.
 */
export function partitionBySource<T>(
  branch: PathState,
  tell: (path: PathState) => T,
  keyOf: (value: T) => string | undefined,
): readonly SourcePartition<T>[] {
  const { packet } = branch
  const { equivalents, readSet } = packet
  if (equivalents === undefined) return [{ path: branch, matches: tell(branch) }]
  const readsBefore = readSet?.sourceReads
  const matches = tell(branch)
  const isOfSource = readSet?.sourceReads !== readsBefore
  if (equivalents.sources.length === 1) return [{ path: branch, matches }]
  if (!isOfSource && keyOf(matches) !== undefined) return [{ path: branch, matches }]
  const groups = new Map<string, { readonly sources: string[]; readonly value: T }>()
  for (const source of equivalents.sources) {
    const ofSource = source === packet.source ? matches : tell(withPacket(branch, { ...packet, source }))
    const key = keyOf(ofSource) ?? `of ${source}`
    const existing = groups.get(key)
    if (existing === undefined) groups.set(key, { sources: [source], value: ofSource })
    else existing.sources.push(source)
  }
  return Array.from(groups.values(), (group) => ({
    path: withPacket(branch, ofSources(packet, createEquivalentSources(group.sources, equivalents.ids))),
    matches: group.value,
  }))
}

function ofSources(packet: KernelPacket, equivalents: EquivalentSources): KernelPacket {
  return { ...packet, source: elementAt(equivalents.sources, 0), equivalents }
}
