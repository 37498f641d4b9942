import type { NamedSet } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { Elements } from '../../../program/elements.js'
import { isNever, negate } from '../../../program/literals.js'
import type { Field } from '../../../program/program.js'
import { type KeyPart, type MapLookup, typesOfKey } from './clause.js'
import type { PacketScope } from './comparison.js'
import { matchKey } from './lower-comparison.js'
import { lowerElements } from './lower-elements.js'

/** A lookup of packet fields in a set or map. */
export interface Lookup {
  readonly fields: readonly Field[]
  readonly elements: () => Elements | undefined
}

/** Returns the sets and maps of a table. */
export interface SetLookup {
  readonly find: (name: string) => NamedSet | undefined
  /** Returns the elements of a set for a key with this name, and computes them only once. */
  readonly elementsOf: (set: NamedSet, key: string, compute: () => Elements) => Elements
}

export function createSetLookup(sets: readonly NamedSet[]): SetLookup {
  const byName = createLazyGetter(() => new Map(sets.map((set) => [set.name, set])))
  const known = new Map<NamedSet, Map<string, Elements>>()
  return {
    find: (name) => byName().get(name),
    elementsOf: (set, key, compute) => {
      const byKey = known.get(set) ?? new Map<string, Elements>()
      known.set(set, byKey)
      const existing = byKey.get(key)
      if (existing !== undefined) return existing
      const elements = compute()
      byKey.set(key, elements)
      return elements
    },
  }
}

/** Lowers the lookup of a key in a set or map. */
export function lowerLookup({ key, map }: MapLookup, scope: PacketScope, sets: SetLookup): Lookup {
  const fields = key.filter((part) => !isConstant(part)).map(fieldOf)
  const create = (set: Pick<NamedSet, 'name' | 'elements'>) => elementsForKey(set, key, scope)
  if (map.kind === 'anonymous') {
    return { fields, elements: createLazyGetter(() => create({ name: '', elements: map.elements })) }
  }
  const signature = [scope.family, scope.stage, ...key.map(nameOfPart)].join(' . ')
  return {
    fields,
    elements: () => {
      const set = sets.find(map.set)
      return set && sets.elementsOf(set, signature, () => create(set))
    },
  }
}

function nameOfPart(part: KeyPart): string {
  return part.kind === 'selector' ? part.row.selector : 'generated'
}

/** Reports whether all first packets have the same value. */
function isConstant(part: KeyPart): boolean {
  if (part.kind === 'generated') return false
  const { meaning } = part.row
  return meaning.kind === 'family' || (meaning.kind === 'known' && meaning.knownBits === undefined)
}

/** Returns the field of a packet that is the value of a part. */
export function fieldOf(part: KeyPart): Field {
  if (part.kind === 'generated') return 'unknown'
  const { meaning } = part.row
  if (meaning.kind === 'field') return meaning.field
  return meaning.kind === 'interface' && meaning.direction === 'in' ? 'inInterface' : 'unknown'
}

/** Indexes the elements that match the constant parts of a key, without these parts. */
function elementsForKey(
  set: Pick<NamedSet, 'name' | 'elements'>,
  key: readonly KeyPart[],
  scope: PacketScope,
): Elements {
  const types = typesOfKey(key)
  if (!key.some(isConstant)) return lowerElements(set, types, scope.family)
  const isKept = key.map((part) => !isConstant(part))
  const constants = key.filter(isConstant)
  const keep = <Item>(items: readonly Item[], kept: boolean) => items.filter((_, at) => isKept[at] === kept)
  const elements = set.elements.flatMap((element) => {
    const parts = key.length === 1 ? [element.key] : splitConcatenation(element.key)
    const matches = matchKey(constants, keep(parts, false).join(' . '), scope)
    return isNever(negate(matches)) ? [{ key: keep(parts, true).join(' . '), value: element }] : []
  })
  return lowerElements({ ...set, elements }, keep(types, true), scope.family)
}
