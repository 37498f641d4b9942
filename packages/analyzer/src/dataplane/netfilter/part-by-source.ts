import { type Alike, alikeSources } from '@kube-rules/compiler/internal/dataplane/netfilter/alike'
import { type Branch, withPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'

/** A result, with the path state of the sources with this result. */
export interface ToldOf<T> {
  readonly way: Branch
  readonly told: T
}

/**
 * Evaluates a function for packets of several sources, and returns one path state per distinct result. `keyOf`
 * identifies a result; undefined means that each source needs its own path state.
 */
export function partBySource<T>(
  branch: Branch,
  tell: (way: Branch) => T,
  keyOf: (told: T) => string | undefined,
): readonly ToldOf<T>[] {
  const { packet } = branch
  const { alike, asked } = packet
  if (alike === undefined) return [{ way: branch, told: tell(branch) }]
  const readsBefore = asked?.sourceReads
  const told = tell(branch)
  const isOfSource = asked?.sourceReads !== readsBefore
  if (alike.sources.length === 1) return [{ way: branch, told }]
  if (!isOfSource && keyOf(told) !== undefined) return [{ way: branch, told }]
  const groups = new Map<string, { readonly sources: string[]; readonly told: T }>()
  for (const source of alike.sources) {
    const ofSource = source === packet.source ? told : tell(withPacket(branch, { ...packet, source }))
    const key = keyOf(ofSource) ?? `of ${source}`
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { sources: [source], told: ofSource })
    else known.sources.push(source)
  }
  return Array.from(groups.values(), (group) => ({
    way: withPacket(branch, ofSources(packet, alikeSources(group.sources, alike.ids))),
    told: group.told,
  }))
}

function ofSources(packet: KernelPacket, alike: Alike): KernelPacket {
  return { ...packet, source: alike.sources[0] as string, alike }
}
