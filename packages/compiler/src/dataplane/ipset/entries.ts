import { parseCidr, withoutHostPrefix } from '@kube-rules/types/internal/cidr'
import { parseAddress } from '../netfilter/parse-address.js'
import { canonicalizeProtocol } from '../netfilter/protocols.js'
import type { Entry, EntryKind, SetType } from './ast.js'

/** The protocols with port numbers in ipset. */
const PORT_PROTOCOLS: ReadonlySet<string> = new Set(['tcp', 'udp', 'sctp', 'udplite'])

/** Returns the kind of entries in a set of this type. */
function entryKindOf(type: SetType): EntryKind {
  return type === 'bitmap:port' ? 'port' : (type.slice('hash:'.length) as EntryKind)
}

/** Formats the entry as one word, without its options: `10.0.0.1,tcp:80,10.0.0.2`. The entry is not validated. */
export function formatEntry(entry: Entry): string {
  switch (entry.kind) {
    case 'ip':
      return entry.address
    case 'ip,port':
      return `${entry.address},${entry.protocol}:${entry.port}`
    case 'ip,port,ip':
      return `${entry.address},${entry.protocol}:${entry.port},${entry.secondAddress}`
    case 'ip,port,net':
      return `${entry.address},${entry.protocol}:${entry.port},${entry.network}`
    case 'port':
      return String(entry.port)
    case 'unknown':
      return entry.text
  }
}

/**
 * Parses an entry of a set with type `type` and preserves the notation of the entry. Returns an unknown entry if ipset
 * would reject the text, or would have to resolve a name or expand a range.
 */
export function parseEntry(type: SetType, text: string): Entry {
  return readEntry(type, text) ?? { kind: 'unknown', text }
}

/**
 * Reports whether `parseEntry` would parse the printed form of an entry into an entry of the same kind. Checks the
 * fields instead of printing and parsing, because a state can have very many entries.
 */
export function isParseableEntry(type: SetType, entry: Entry): boolean {
  if (entry.kind === 'unknown' || entry.kind !== entryKindOf(type)) return false
  switch (entry.kind) {
    case 'ip':
      return isAddress(withoutHostPrefix(entry.address))
    case 'ip,port':
      return isAddress(entry.address) && isPort(entry)
    case 'ip,port,ip':
      return isAddress(entry.address) && isPort(entry) && isAddress(entry.secondAddress)
    case 'ip,port,net':
      return isAddress(entry.address) && isPort(entry) && isNetwork(entry.network)
    case 'port':
      return isPortNumber(entry.port)
  }
}

function isPort({ protocol, port }: { readonly protocol: string; readonly port: number }): boolean {
  return isPortNumber(port) && isPortProtocol(protocol)
}

function isPortNumber(port: number): boolean {
  return Number.isInteger(port) && port >= 0 && port <= 65535
}

function isPortProtocol(protocol: string): boolean {
  return !protocol.startsWith('0') && PORT_PROTOCOLS.has(canonicalizeProtocol(protocol.toLowerCase()))
}

function readEntry(type: SetType, text: string): Entry | undefined {
  if (type === 'hash:ip') return readIpEntry(text)
  if (type === 'bitmap:port') return readPortEntry(text)
  const [address = '', portText = '', second, ...rest] = text.split(',', 4)
  const port = readPort(portText)
  if (port === undefined || !isAddress(address) || rest.length > 0) return undefined
  if (second === undefined) return type === 'hash:ip,port' ? { kind: 'ip,port', address, ...port } : undefined
  if (type === 'hash:ip,port,ip' && isAddress(second)) {
    return { kind: 'ip,port,ip', address, ...port, secondAddress: second }
  }
  if (type === 'hash:ip,port,net' && isNetwork(second)) {
    return { kind: 'ip,port,net', address, ...port, network: second }
  }
  return undefined
}

function readIpEntry(text: string): Entry | undefined {
  const address = withoutHostPrefix(text)
  return isAddress(address) ? { kind: 'ip', address } : undefined
}

function readPortEntry(text: string): Entry | undefined {
  const port = readPort(text)
  return port === undefined ? undefined : { kind: 'port', port: port.port }
}

/** Parses `tcp:80`, `6:80` or `80`. A port without a protocol means tcp in ipset. */
function readPort(text: string): { readonly protocol: string; readonly port: number } | undefined {
  const match = /^(?:([a-z]+|[1-9]\d*):)?(0|[1-9]\d{0,4})$/i.exec(text)
  if (match === null || Number(match[2]) > 65535) return undefined
  const protocol = (match[1] ?? 'tcp').toLowerCase()
  return isPortProtocol(protocol) ? { protocol, port: Number(match[2]) } : undefined
}

function isAddress(text: string): boolean {
  return parseAddress(text) !== undefined
}

function isNetwork(text: string): boolean {
  const [address = '', prefix] = text.split('/', 2)
  if (!isAddress(address)) return false
  return prefix === undefined || (/^(?:0|[1-9]\d*)$/.test(prefix) && parseCidr(text) !== undefined)
}

/**
 * Converts the entry to the notation of ipset output: canonical addresses, protocol names, masked networks, and no
 * `/32` or `/128`.
 */
export function canonicalizeEntry(entry: Entry): Entry {
  switch (entry.kind) {
    case 'ip':
      return { ...entry, address: canonicalizeAddress(entry.address) }
    case 'ip,port':
      return { ...entry, ...canonicalizeAddressAndProtocol(entry) }
    case 'ip,port,ip':
      return {
        ...entry,
        ...canonicalizeAddressAndProtocol(entry),
        secondAddress: canonicalizeAddress(entry.secondAddress),
      }
    case 'ip,port,net':
      return { ...entry, ...canonicalizeAddressAndProtocol(entry), network: canonicalizeNetwork(entry.network) }
    case 'port':
    case 'unknown':
      return entry
  }
}

function canonicalizeAddressAndProtocol(entry: { readonly address: string; readonly protocol: string }): {
  readonly address: string
  readonly protocol: string
} {
  return { address: canonicalizeAddress(entry.address), protocol: canonicalizeProtocol(entry.protocol) }
}

function canonicalizeAddress(text: string): string {
  return parseAddress(text) ?? text
}

function canonicalizeNetwork(text: string): string {
  const cidr = isNetwork(text) ? parseCidr(text) : undefined
  if (cidr === undefined) return canonicalizeAddress(text)
  return withoutHostPrefix(cidr.text)
}
