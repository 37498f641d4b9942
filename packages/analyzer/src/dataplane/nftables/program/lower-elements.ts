import type { Element as MapElement, NamedSet } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { isIntervalKey } from '@kube-rules/compiler/internal/dataplane/nftables/keys/intervals'
import {
  canonicalizeKeyComponent,
  splitConcatenation,
} from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import type { IpFamily } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'
import type { Component, Element, Elements, RangeElement } from '../../../program/elements.js'
import { toDefaultNotation } from '../parse/component-notations.js'
import { readOperand } from './compare-address.js'
import { parseNumberRange } from './numbers.js'

/** The elements of a set or map, or of the part of it for some keys. */
interface ElementSource extends Pick<NamedSet, 'name' | 'flags' | 'timeout'> {
  readonly elements: readonly Element[]
}

/** The lifetime of elements without a timeout, in seconds. */
const FOR_EVER = Number.MAX_SAFE_INTEGER / 1000

/** Indexes the elements of a set or map with keys of these types. */
export function lowerElements(
  { name, elements, flags = [], timeout }: ElementSource,
  types: readonly string[],
  family: IpFamily,
): Elements {
  const exact = new Map<string, Element>()
  const ranges: RangeElement[] = []
  const canonicalize = keyCanonicalizer(types)
  for (const element of elements) {
    const key = canonicalize(element.key)
    if (key !== undefined) exact.set(key, element)
    else
      ranges.push({
        key: element.key,
        value: mapElementOf(element),
        components: componentsOfKey(element.key, types, family),
      })
  }
  const clientSeconds = timeout === undefined ? FOR_EVER : timeout / 1000
  return {
    name,
    exact,
    ranges,
    isPartlyUnknown: false,
    ...(flags.includes('dynamic') && { clientSeconds }),
  }
}

/** Returns the element of the map, with its verdict or data. */
export function mapElementOf(element: Element): MapElement {
  return (element.value ?? element) as MapElement
}

/** Returns a function that returns the canonical form of a key of individual values. Undefined for any other key. */
function keyCanonicalizer(types: readonly string[]): (key: string) => string | undefined {
  const isOfAddressesAndPorts = types.every(
    (type) => type === 'ipv4_addr' || type === 'inet_service' || type === 'inet_proto',
  )
  return (key) => {
    // Most keys consist of IPv4 addresses, names of protocols and, at the end, ports.
    if (isOfAddressesAndPorts && /^[\d.a-z ]+$/.test(key) && !/(?:^| )\d+ /.test(key)) return key
    const parts = splitConcatenation(key).map((part, at) => canonicalPart(part, types[at]))
    return parts.every((part) => part !== undefined) ? parts.join(' . ') : undefined
  }
}

function canonicalPart(part: string, type = ''): string | undefined {
  if (type === 'ifname' || type === 'iface_index') return part.endsWith('*') ? undefined : part
  const word = canonicalizeKeyComponent(toDefaultNotation(part, type), type)
  if (isIntervalKey(word)) return undefined
  return word.includes(':') ? (parseIp(word)?.text ?? word) : word
}

function componentsOfKey(key: string, types: readonly string[], family: IpFamily): readonly Component[] {
  return splitConcatenation(key).map((part, at) => componentOf(part, types[at], family))
}

function componentOf(part: string, type = '', family: IpFamily): Component {
  const exact = canonicalPart(part, type)
  if (exact !== undefined) return { kind: 'text', text: exact }
  switch (type) {
    case 'ipv4_addr':
    case 'ipv6_addr':
    case 'ip_addr': {
      const operand = readOperand(part, family)
      if (operand === undefined) return { kind: 'unknown', text: part }
      const { text, range } = operand
      return range === undefined ? { kind: 'text', text } : { kind: 'numbers', ...range, text: part }
    }
    case 'ifname':
    case 'iface_index':
      return { kind: 'interface', text: `${part.slice(0, -1)}+` }
    case 'inet_service':
    case 'mark':
    case 'integer': {
      const range = parseNumberRange(part, type)
      if (range === undefined) return { kind: 'unknown', text: part }
      return { kind: 'numbers', first: BigInt(range.first), last: BigInt(range.last), text: part }
    }
    default:
      return { kind: 'unknown', text: part }
  }
}
