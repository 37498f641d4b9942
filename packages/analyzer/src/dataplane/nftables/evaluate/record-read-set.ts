import type { HookPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import { portReadSetOf } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import { recordSourceRead } from '@kube-rules/compiler/internal/dataplane/netfilter/read-set'
import type { Selector } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import { evaluateSelector, isPayloadField } from './selector-value.js'
import type { SetIndex } from './set-index.js'

/** Records in the read set that packet fields are compared with keys. */
export function recordMatchedKeys(
  selectors: readonly Selector[],
  keys: readonly string[],
  { packet }: HookPacket,
): void {
  if (packet.readSet === undefined) return
  for (const [place, note] of notedPlaces(selectors, packet)) {
    for (const key of keys) note(selectors.length === 1 ? key : (splitConcatenation(key)[place] ?? ''))
  }
}

/**
 * Records a set lookup in the read set of the packet. A key component is recorded only if the packet matches the key in
 * all other components.
 */
export function recordSetLookup(selectors: readonly Selector[], set: SetIndex, passage: HookPacket): void {
  if (passage.packet.readSet === undefined) return
  for (const [place, note] of notedPlaces(selectors, passage.packet)) {
    const values = selectors.map((selector) => evaluateSelector(selector, passage))
    const others = values.flatMap((value, index) =>
      index === place ? [] : typeof value === 'object' ? value.text : [],
    )
    const isKnown = others.length === values.length - 1
    const beside = set.partsBeside(place)
    const parts = isKnown ? (beside.get(others.join(' . ')) ?? []) : [...beside.values()].flat()
    for (const part of parts) note(part)
    for (const { key } of set.intervals) note(splitConcatenation(key)[place] ?? '')
  }
}

type Note = (part: string) => void

/**
 * Returns the positions of the key components to record: the source and, if the key contains no destination address,
 * the destination port. Each position has a function that records a component.
 */
function notedPlaces(
  selectors: readonly Selector[],
  packet: HookPacket['packet'],
): readonly (readonly [place: number, note: Note])[] {
  const hasDestination = selectors.some((selector) => isPayloadField(selector, 'daddr'))
  return selectors.flatMap((selector, place): readonly (readonly [number, Note])[] => {
    if (isPayloadField(selector, 'saddr')) return [[place, (part) => recordSourceRead(packet.readSet, part)]]
    const readSet = portReadSetOf(packet)
    const isNoted = isPayloadField(selector, 'dport') && !hasDestination && readSet !== undefined
    return isNoted ? [[place, (part) => readSet.ports.add(part)]] : []
  })
}
