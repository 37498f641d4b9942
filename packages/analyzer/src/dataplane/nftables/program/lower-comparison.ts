import { canonicalizeProtocol } from '@kube-rules/compiler/internal/dataplane/netfilter/protocols'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import { allOf, anyOf, NEVER, negateLiteralIf, UNKNOWN } from '../../../program/literals.js'
import type { Literal } from '../../../program/program.js'
import type { KeyPart } from './clause.js'
import { compareAddress } from './compare-address.js'
import { compareAddressType } from './compare-address-type.js'
import { compareGenerated } from './compare-generated.js'
import { compareKnownNumber, compareMark, compareState, compareStatus } from './compare-number.js'
import { comparePort } from './compare-port.js'
import type { Comparison, PacketScope, ValueComparison } from './comparison.js'
import type { PacketField, SelectorMeaning } from './selector-row.js'

/** Lowers a comparison with the keys of a rule, without what the selectors need. */
export function lowerComparison(left: readonly KeyPart[], comparison: Comparison, scope: PacketScope): Literal {
  const [only, ...others] = left
  if (only !== undefined && others.length === 0) return comparePart(only, comparison, scope)
  const { operator, keys } = comparison
  if (operator !== '==' && operator !== '!=') return UNKNOWN
  return negateLiteralIf(operator === '!=', anyOf(keys.map((key) => matchKey(left, key, scope))))
}

/** Returns the literal that the parts have the values of a key. */
export function matchKey(left: readonly KeyPart[], key: string, scope: PacketScope): Literal {
  const parts = left.length === 1 ? [key] : splitConcatenation(key)
  if (parts.length !== left.length) return UNKNOWN
  return allOf(left.map((part, at) => comparePart(part, { operator: '==', keys: parts.slice(at, at + 1) }, scope)))
}

function comparePart(part: KeyPart, comparison: Comparison, scope: PacketScope): Literal {
  const { operator, keys } = comparison
  const isOfBits = operator === 'any' || operator === 'none'
  const isOrder = operator !== '==' && operator !== '!='
  const compared = isOfBits || (isOrder && keys.length > 1) ? undefined : { ...comparison, operator }
  if (part.kind === 'generated') return compared === undefined ? UNKNOWN : compareGenerated(part, compared)
  const { meaning, type } = part.row
  if (meaning.kind !== 'field') return compareOther(meaning, type, comparison, scope)
  return compared === undefined ? UNKNOWN : compareField(meaning.field, compared, scope)
}

/** Compares a value that is not a field of the packet. */
function compareOther(
  meaning: Exclude<SelectorMeaning, { readonly kind: 'field' }>,
  type: string,
  comparison: Comparison,
  scope: PacketScope,
): Literal {
  switch (meaning.kind) {
    case 'absent':
      return NEVER
    case 'unknown':
      return UNKNOWN
    case 'interface':
      return compareNames(comparison, (name) => interfaceLiteral(meaning.direction, name))
    case 'addressType':
      return compareNames(comparison, (name) => compareAddressType(meaning, name, scope))
    case 'state':
      return compareState(comparison, scope)
    case 'status':
      return compareStatus(comparison)
    case 'known':
      return compareKnownNumber(meaning, type, comparison)
    case 'family':
      return compareKnownNumber({ value: meaning.numbers[scope.family] }, type, comparison)
  }
}

function compareField(field: PacketField, comparison: ValueComparison, scope: PacketScope): Literal {
  switch (field) {
    case 'source':
    case 'destination':
    case 'originalDestination':
      return compareAddress(field, comparison, scope)
    case 'sourcePort':
      return comparePort('source', comparison)
    case 'destinationPort':
      return comparePort('destination', comparison)
    case 'originalDestinationPort':
      return comparePort('originalDestination', comparison)
    case 'protocol':
      return compareNames(comparison, (name) => ({ kind: 'protocol', protocols: [canonicalizeProtocol(name)] }))
    case 'mark':
      return compareMark('packet', comparison)
    case 'connectionMark':
      return compareMark('connection', comparison)
  }
}

/** Compares a value with names. */
function compareNames({ mask, operator, keys }: Comparison, toLiteral: (name: string) => Literal): Literal {
  if (mask !== undefined || (operator !== '==' && operator !== '!=')) return UNKNOWN
  return negateLiteralIf(operator === '!=', anyOf(keys.map(toLiteral)))
}

/** Prefixes of interface names end with `*` in nft and with `+` in literals. The interface with the index 1 is `lo`. */
function interfaceLiteral(direction: 'in' | 'out', key: string): Literal {
  if (key === '1') return { kind: 'interface', direction, name: 'lo' }
  if (!/^[!-)+-~]+\*?$/.test(key) || /^\d+$|["+]/.test(key)) return UNKNOWN
  return { kind: 'interface', direction, name: key.endsWith('*') ? `${key.slice(0, -1)}+` : key }
}
