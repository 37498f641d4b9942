/** The columns of the rows of a listing. */
export interface ListingColumns {
  readonly numbers: boolean
  readonly counters: boolean
}

/** A row of `iptables -L`, column by column. */
export interface ListingRow {
  /** The target; undefined for a rule that only counts. */
  readonly target?: string | undefined
  readonly protocol: string
  /** `--`, `-f`, or nothing. */
  readonly options: string
  /** The interface; undefined if the listing does not show it. */
  readonly inInterface?: string | undefined
  readonly outInterface?: string | undefined
  readonly source: string
  readonly destination: string
  readonly rest: string
}

/**
 * Parses the heading of the rows:
 * `num   pkts bytes target     prot opt in     out     source               destination`.
 */
export function readListingColumns(line: string): ListingColumns | undefined {
  const match = /^(num\s+)?(pkts\s+bytes\s+)?target\s+prot\s+opt\b/.exec(line)
  return match === null ? undefined : { numbers: match[1] !== undefined, counters: match[2] !== undefined }
}

export interface ListedChain {
  readonly chain: string
  readonly policy?: 'ACCEPT' | 'DROP' | undefined
}

/** Parses `Chain INPUT (policy ACCEPT 0 packets, 0 bytes)` or `Chain KUBE-SERVICES (2 references)`. */
export function readChainHeading(line: string): ListedChain | undefined {
  const match = /^Chain\s+([!#-~]+)(?:\s+\((?:policy\s+(ACCEPT|DROP)\b|\d+\s+reference)?.*)?$/.exec(line)
  const chain = match?.[1]
  if (chain === undefined || (match?.[0] === `Chain ${chain}` && !/^[A-Z]/.test(chain))) return undefined
  const policy = match?.[2]
  return { chain, policy: policy === 'ACCEPT' || policy === 'DROP' ? policy : undefined }
}

const PROTOCOL =
  '!?(?:all|tcp|udp|udplite|sctp|dccp|icmp|icmpv6|ipv6-icmp|esp|ah|gre|ipencap|ipv4|ipv6|ospf|vrrp|igmp|pim|\\d{1,3})'
const OPTIONS = '(?:--|-f|!f)(?=\\s)'
const ADDRESS = '!?\\s?[\\w.:/+-]+'

const INTERFACE = '(?:\\*|any|!?[\\w.+@:-]+)'

function rowPattern(interfaces: string): RegExp {
  return new RegExp(
    String.raw`^(?:(?<target>[^\s/*]+)\s+)??(?<protocol>${PROTOCOL})(?:\s+(?<options>${OPTIONS})|\s)\s*${interfaces}(?<source>${ADDRESS})\s+(?<destination>${ADDRESS})(?:\s*(?=\[goto\])|\s+|$)(?<rest>.*)$`,
    's',
  )
}

const WITHOUT_INTERFACES = rowPattern('')
const WITH_INTERFACES = rowPattern(String.raw`(?<in>${INTERFACE})\s+(?<out>${INTERFACE})\s+`)

/**
 * Parses a row of a listing. `columns` are the columns in the heading. If `columns` is absent, they are derived from
 * the row. Undefined if the line is not a row.
 */
export function readListingRow(line: string, columns?: ListingColumns | undefined): ListingRow | undefined {
  const { numbers, counters } = columns ?? columnsOfRow(line)
  const leading = new RegExp(`^(?:\\d+[KMGTP]?\\s+){${(numbers ? 1 : 0) + (counters ? 2 : 0)}}`).exec(line)?.[0]
  if (leading === undefined) return undefined
  const groups = (counters ? WITH_INTERFACES : WITHOUT_INTERFACES).exec(line.slice(leading.length))?.groups
  if (groups === undefined || !mayBeAddress(groups.source) || !mayBeAddress(groups.destination)) return undefined
  const { target, protocol = '', options = '', in: inInterface, out: outInterface, rest = '' } = groups
  const [source, destination] = [squeeze(groups.source), squeeze(groups.destination)]
  return { target, protocol, options, inInterface, outInterface, source, destination, rest: rest.trim() }
}

/**
 * Derives the columns from the leading numbers of a row. One number is the row number. Two numbers are counters. Three
 * numbers are the row number and the counters.
 */
function columnsOfRow(line: string): ListingColumns {
  const row = line.replace(/^(?:\d+[KMGTP]?\s+)*/, '')
  const leading = line.slice(0, line.length - row.length)
  // If the options follow the numbers, the last number is the protocol.
  const isProtocol = /^(?:--|-f|!f)\s/.test(row)
  const count = leading.split(/\s+/).length - (isProtocol ? 2 : 1)
  return { numbers: count === 1 || count >= 3, counters: count >= 2 }
}

function squeeze(text = ''): string {
  return text.replace(/\s/g, '')
}

/** Reports whether a word may be an address, a network, `anywhere` or a host name. */
function mayBeAddress(text = ''): boolean {
  return /[.:]|^!?\s?(?:anywhere|default|localhost|[\w-]*\d[\w-]*|[a-z][\w-]+)/.test(text)
}
