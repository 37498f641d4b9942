import type { Entry, IpSet, IpsetState } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { canonicalizeEntry } from '@kube-rules/compiler/internal/dataplane/ipset/entries'
import type { CoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { formatIpsetId } from '@kube-rules/compiler/internal/dataplane/netfilter/format-ipset-id'
import { createLazyGetter, memoize } from '@kube-rules/compiler/internal/internal/memo'
import { familyOf } from '@kube-rules/types/internal/ip'
import { parseAddressRange } from '../../program/address-range.js'
import { type Component, type Element, type Elements, joinKey, type RangeElement } from '../../program/elements.js'
import type { LoweringContext } from '../../program/lowering-context.js'
import type { Condition, Field } from '../../program/program.js'

/** Returns the function that lowers lookups in sets. A lookup in a set that the state does not contain is unknown. */
export function lowerIpset(
  state: IpsetState | undefined,
  coverage: CoverageQueries | undefined,
): LoweringContext['lookUpSet'] {
  if (state === undefined) return () => ({ kind: 'unknown' })
  const byName = createLazyGetter(() => memoize(state, setsByName))
  return (name, directions): Condition => {
    const set = byName().get(name)
    if (set === undefined || set.type === 'unknown') return { kind: 'unknown' }
    // A partly dumped set may have further entries.
    const isWhole = coverage?.isComplete('ipset', formatIpsetId(name)) !== false
    const elements = () => (isWhole ? set.elements() : { ...set.elements(), isPartlyUnknown: true })
    return { kind: 'lookup', fields: fieldsOf(set.type, directions), elements }
  }
}

interface LoweredSet {
  readonly type: IpSet['type']
  readonly elements: () => Elements
}

function setsByName({ sets }: IpsetState): ReadonlyMap<string, LoweredSet> {
  return new Map(sets.map((set) => [set.name, { type: set.type, elements: createLazyGetter(() => lowerEntries(set)) }]))
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

function lowerEntries({ name, entries }: IpSet): Elements {
  const exact = new Map<string, Element>()
  const ranges: RangeElement[] = []
  let isPartlyUnknown = false
  for (const entry of entries) {
    const components = isReadable(entry) ? componentsOf(canonicalizeEntry(entry)) : undefined
    if (components === undefined) isPartlyUnknown = true
    else addElement(components, exact, ranges)
  }
  return { name, exact, ranges, isPartlyUnknown }
}

/** Reports whether an entry can be compared. Exceptions (`nomatch`) cannot. */
function isReadable(entry: Entry): boolean {
  return entry.kind !== 'unknown' && !entry.options?.includes('nomatch')
}

function addElement(components: readonly Component[], exact: Map<string, Element>, ranges: RangeElement[]): void {
  const key = joinKey(components.map(({ text }) => text))
  if (components.some(({ kind }) => kind === 'numbers')) ranges.push({ key, components })
  else exact.set(key, { key })
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
