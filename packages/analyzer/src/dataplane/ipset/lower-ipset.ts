import type { Entry, IpSet, IpsetState, UnknownSet } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { canonicalizeEntry } from '@kube-rules/compiler/internal/dataplane/ipset/entries'
import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { formatIpsetId } from '@kube-rules/compiler/internal/dataplane/netfilter/format-ipset-id'
import { createLazyGetter, memoize } from '@kube-rules/compiler/internal/internal/memo'
import type { IpFamily } from '@kube-rules/types'
import { familyOf } from '@kube-rules/types/internal/ip'
import { parseAddressRange } from '../../program/address-range.js'
import { type Component, type Element, type Elements, joinKey, type RangeElement } from '../../program/elements.js'
import { anyOf, NEVER, UNKNOWN } from '../../program/literals.js'
import type { Field } from '../../program/program.js'
import type { StateContext } from '../../program/state-context.js'
import { componentsOfForeignEntry, type ForeignSet, fieldsOfForeignSet, readForeignSet } from './foreign-set.js'

type LookUpSet = StateContext['lookUpSet']

/** Returns the function that lowers lookups in sets. A lookup in a set that the state does not contain is unknown. */
export function lowerIpset(
  state: IpsetState | undefined,
  family: IpFamily,
  coverage: CoverageQueries | undefined,
): LookUpSet {
  if (state === undefined) return () => UNKNOWN
  const byName = createLazyGetter(() => memoize(state, setsByName))
  const lookUpSet: LookUpSet = (name, directions) => {
    const set = byName().get(name)
    // A partly dumped set may have further entries.
    const isWhole = coverage?.isComplete('ipset', formatIpsetId(name)) !== false
    if (set === undefined || (set.needsAll && !isWhole)) return UNKNOWN
    if (set.family !== undefined && set.family !== family) return NEVER
    if (set.members !== undefined) return anyOf(set.members.map((member) => lookUpSet(member, directions)))
    const fields = set.fieldsOf(directions)
    // The kernel compares nothing if a rule has too few directions.
    if (fields === undefined) return NEVER
    const elements = () => (isWhole ? set.elements() : { ...set.elements(), isPartlyUnknown: true })
    return { kind: 'lookup', fields, elements }
  }
  return lookUpSet
}

interface LoweredSet {
  /** The family of packets that may match; absent if both may. */
  readonly family?: IpFamily | undefined
  /** Whether a hidden entry may be an exception from the others, or another set. */
  readonly needsAll: boolean
  /** The sets that contain an element of this set; absent if it contains entries itself. */
  readonly members?: readonly string[] | undefined
  readonly fieldsOf: (directions: readonly ('src' | 'dst')[]) => readonly Field[] | undefined
  readonly elements: () => Elements
}

function setsByName({ sets }: IpsetState): ReadonlyMap<string, LoweredSet> {
  return new Map(
    sets.flatMap((set) => {
      const lowered = lowerSet(set)
      return lowered === undefined ? [] : [[set.name, lowered]]
    }),
  )
}

function lowerSet(set: IpSet): LoweredSet | undefined {
  if (set.type !== 'unknown') {
    const { type } = set
    const lower = type === 'hash:ip' && set.options?.includes('netmask') ? undefined : componentsOf
    return {
      needsAll: false,
      fieldsOf: (directions) => fieldsOf(type, directions),
      elements: createLazyGetter(() => lowerEntries(set, (entry) => lower?.(canonicalizeEntry(entry)))),
    }
  }
  if (set.words[0] === 'list:set') return lowerList(set)
  const foreign = readForeignSet(set)
  return foreign && lowerForeignSet(set, foreign)
}

/** Lowers a set of sets. Its entries are their names. */
function lowerList({ name, entries }: UnknownSet): LoweredSet {
  const members = entries.map((entry) => (entry.kind === 'unknown' ? entry.text : ''))
  const elements = () => ({ name, exact: new Map(), ranges: [], isPartlyUnknown: true })
  return { needsAll: true, members, fieldsOf: () => undefined, elements }
}

function lowerForeignSet(set: UnknownSet, foreign: ForeignSet): LoweredSet {
  const { family, parts } = foreign
  const readComponents = (entry: Entry) =>
    entry.kind === 'unknown' && !entry.options?.includes('wildcard')
      ? componentsOfForeignEntry(foreign, entry.text)
      : undefined
  return {
    family: family && (family === 'inet' ? 'IPv4' : 'IPv6'),
    needsAll: parts.includes('net'),
    fieldsOf: (directions) => fieldsOfForeignSet(foreign, directions),
    elements: createLazyGetter(() => lowerEntries(set, readComponents)),
  }
}

/** Returns the fields of a packet that a lookup in a set of this type compares. */
function fieldsOf(
  type: Exclude<IpSet['type'], 'unknown'>,
  [first, second, third]: readonly ('src' | 'dst')[],
): readonly Field[] {
  const address = (direction: 'src' | 'dst' | undefined): Field => (direction === 'src' ? 'source' : 'destination')
  const port = (direction: 'src' | 'dst' | undefined): Field => (direction === 'src' ? 'sourcePort' : 'destinationPort')
  switch (type) {
    case 'bitmap:port':
      return [port(first)]
    case 'hash:ip':
      return [address(first)]
    case 'hash:ip,port':
      return [address(first), 'protocol', port(second)]
    case 'hash:ip,port,ip':
    case 'hash:ip,port,net':
      return [address(first), 'protocol', port(second), address(third)]
  }
}

/** Lowers the entries of a set. If an exception cannot be read, no element is certain. */
function lowerEntries(
  { name, entries }: IpSet,
  readComponents: (entry: Entry) => readonly Component[] | undefined,
): Elements {
  const exact = new Map<string, Element>()
  const ranges: RangeElement[] = []
  let isPartlyUnknown = false
  let hasExceptions = false
  for (const entry of entries) {
    const components = readComponents(entry)
    const isException = entry.options?.includes('nomatch')
    if (isException) hasExceptions = true
    if (components !== undefined) addElement(components, isException, exact, ranges)
    else if (isException) return { name, exact: new Map(), ranges: [], isPartlyUnknown: true }
    else isPartlyUnknown = true
  }
  // The kernel looks for the smallest network.
  if (hasExceptions) ranges.sort((a, b) => compareSizes(sizesOf(a), sizesOf(b)))
  return { name, exact, ranges, isPartlyUnknown }
}

function addElement(
  components: readonly Component[],
  isException: boolean | undefined,
  exact: Map<string, Element>,
  ranges: RangeElement[],
): void {
  const key = joinKey(components.map(({ text }) => text))
  const element = isException ? { key, isException } : { key }
  if (components.some(({ kind }) => kind === 'numbers')) ranges.push({ ...element, components })
  else exact.set(key, element)
}

function sizesOf({ components }: RangeElement): readonly bigint[] {
  return components.map((each) => (each.kind === 'numbers' ? each.last - each.first : 0n))
}

function compareSizes(a: readonly bigint[], b: readonly bigint[]): number {
  const at = a.findIndex((size, index) => size !== b[index])
  const [size, other] = [a[at], b[at]]
  return size === undefined || other === undefined ? 0 : size < other ? -1 : 1
}

function componentsOf(entry: Entry): readonly Component[] | undefined {
  switch (entry.kind) {
    case 'ip':
      return [text(entry.address)]
    case 'port':
      return [text(String(entry.port))]
    case 'ip,port':
      return servicePortOf(entry)
    case 'ip,port,ip':
      return [...servicePortOf(entry), text(entry.secondAddress)]
    case 'ip,port,net':
      return [...servicePortOf(entry), networkOf(entry.network)]
    case 'unknown':
      return undefined
  }
}

function servicePortOf(
  entry: Extract<Entry, { readonly port: number; readonly protocol: string }>,
): readonly Component[] {
  return [text(entry.address), text(entry.protocol), text(String(entry.port))]
}

function text(value: string): Component {
  return { kind: 'text', text: value }
}

function networkOf(network: string): Component {
  if (!network.includes('/')) return text(network)
  const range = parseAddressRange(network, familyOf(network))
  return range === undefined ? { kind: 'unknown', text: network } : { kind: 'numbers', text: network, ...range }
}
