import type { Entry, IpSet, IpsetState } from '@kube-rules/compiler/internal/dataplane/ipset/ast'
import { canonicalizeEntry, formatEntry } from '@kube-rules/compiler/internal/dataplane/ipset/entries'
import type {
  EvaluationContext,
  SetDirection,
} from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import { type KernelPacket, portReadSetOf } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import {
  type MatchedDestination,
  recordPortSet,
  recordSourceRead,
} from '@kube-rules/compiler/internal/dataplane/netfilter/read-set'
import { type Ternary, toTernary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import { createLazyGetter, memoize } from '@kube-rules/compiler/internal/internal/memo'
import { cidrContains, parseCidr } from '@kube-rules/types/internal/cidr'

/** Creates the function that evaluates set lookups. The result is unknown for a set that the state does not contain. */
export function createSetLookup(state: IpsetState): EvaluationContext['inSet'] {
  // The index is lazy, because a test whether an address is local does not need it.
  const byName = createLazyGetter(() => memoize(state, setsByName))
  return (name, directions, packet) => {
    const set = byName().get(name)
    if (set === undefined || set.type === 'unknown') return 'unknown'
    return holds(set, directions, packet)
  }
}

function setsByName({ sets }: IpsetState): ReadonlyMap<string, IndexedSet> {
  return new Map(sets.map((set) => [set.name, indexOf(set)]))
}

interface IndexedSet {
  readonly type: IpSet['type']
  readonly texts: ReadonlySet<string>
  /** The ports of a `bitmap:port` set. */
  readonly ports: ReadonlySet<number>
  /** The third components of entries, by the first two components. */
  readonly lasts: ReadonlyMap<string, readonly string[]>
  /** The third components of all entries. */
  readonly allLasts: ReadonlySet<string>
  /** Whether some entries cannot be parsed, or are exceptions (`nomatch`). */
  readonly isPartlyUnknown: boolean
}

function indexOf({ type, entries }: IpSet): IndexedSet {
  const lasts = new Map<string, string[]>()
  const allLasts = new Set<string>()
  const readable = entries.filter(isReadable).map(canonicalizeEntry)
  for (const entry of readable) {
    if (entry.kind !== 'ip,port,net' && entry.kind !== 'ip,port,ip') continue
    const last = entry.kind === 'ip,port,net' ? entry.network : entry.secondAddress
    allLasts.add(last)
    addToGroup(lasts, `${entry.address},${entry.protocol}:${entry.port}`, last)
  }
  return {
    type,
    texts: new Set(readable.map(formatEntry)),
    ports: new Set(readable.flatMap((entry) => (entry.kind === 'port' ? entry.port : []))),
    lasts,
    allLasts,
    isPartlyUnknown: readable.length < entries.length,
  }
}

function isReadable(entry: Entry): boolean {
  return entry.kind !== 'unknown' && !entry.options?.includes('nomatch')
}

function holds(set: IndexedSet, directions: readonly SetDirection[], packet: KernelPacket): Ternary {
  const result =
    set.type === 'bitmap:port' ? findPort(set, directions[0], packet) : findAddress(set, directions, packet)
  return result === 'no' && set.isPartlyUnknown ? 'unknown' : result
}

type Direction = SetDirection | undefined

function findPort({ ports }: IndexedSet, direction: Direction, packet: KernelPacket): Ternary {
  const port = portOf(direction, packet)
  if (direction === 'dst') recordPortSet(portReadSetOf(packet), ports)
  return port === undefined ? 'unknown' : toTernary(ports.has(port))
}

function findAddress(
  { type, texts, lasts, allLasts }: IndexedSet,
  [first, second, third]: readonly Direction[],
  packet: KernelPacket,
): Ternary {
  const address = addressOf(first, packet)
  if (first === 'src') noteEntries(texts, second, packet)
  if (type === 'hash:ip') return toTernary(texts.has(address))
  const port = portOf(second, packet)
  if (port === undefined) return 'unknown'
  const { readSet } = packet
  const last = addressOf(third, packet)
  // Fast path: KUBE-LOOP-BACK has an entry for each endpoint, but few packets come from an endpoint.
  if (type === 'hash:ip,port,ip' && readSet === undefined && !allLasts.has(last)) return 'no'
  const head = `${address},${packet.protocol}:${port}`
  if (type === 'hash:ip,port') return toTernary(texts.has(head))
  if (third === 'src' && readSet !== undefined)
    for (const network of lasts.get(head) ?? []) recordSourceRead(readSet, network)
  if (type === 'hash:ip,port,ip') return toTernary(texts.has(`${head},${last}`))
  return toTernary(isInAny(lasts.get(head) ?? [], last))
}

function isInAny(networks: readonly string[], address: string): boolean {
  return networks.some((network) => isIn(network, address))
}

/**
 * Records what a set lookup reads: the first component of each entry as a source address and, if the lookup also
 * compares the destination port, the port of each entry.
 */
function noteEntries(texts: ReadonlySet<string>, second: Direction, packet: KernelPacket): void {
  const { readSet } = packet
  if (readSet === undefined) return
  const ports = second === 'dst' ? portReadSetOf(packet)?.ports : undefined
  for (const text of texts) {
    const [address = '', service = ''] = text.split(',')
    recordSourceRead(readSet, address)
    ports?.add(service.slice(service.indexOf(':') + 1))
  }
}

function isIn(network: string, address: string): boolean {
  const cidr = parseCidr(network)
  return cidr === undefined ? network === address : cidrContains(cidr, address)
}

function addressOf(direction: Direction, { source, destination }: KernelPacket): string {
  return direction === 'src' ? source : destination
}

function portOf(direction: Direction, { sourcePort, destinationPort }: KernelPacket): number | undefined {
  return direction === 'src' ? sourcePort : destinationPort
}

/** Yields the first address of each entry, with the port of the entry if it has one. A rule may match on both. */
export function* destinationsOfEntries({ sets }: IpsetState): Iterable<MatchedDestination> {
  for (const { entries } of sets) {
    for (const entry of entries) {
      if (!('address' in entry)) continue
      yield { address: entry.address, port: 'port' in entry ? String(entry.port) : undefined }
    }
  }
}
