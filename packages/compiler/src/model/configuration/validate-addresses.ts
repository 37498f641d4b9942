import { parseCidr } from '@kube-rules/types/internal/cidr'
import { parseIp } from '@kube-rules/types/internal/ip'
import { splitHostPort } from './configured-addresses.js'
import type { Features } from './features.js'
import type { PortRange } from './settings.js'
import { checkCidr } from './validate-proxy-modes.js'
import { createViolations, type FieldPath, type Violation } from './violation.js'

const EXAMPLE = '10.100.0.0/16,fde4:8dba:82e1::/48'
const ONLY_ONE = 'only one CIDR allowed (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)'

export function checkBindAddress(address: string): readonly Violation[] {
  if (parseIp(address) !== undefined) return []
  const problem = 'not a valid textual representation of an IP address'
  return createViolations({ path: 'bindAddress', field: 'BindAddress' }, address, problem)
}

/** Mirrors `validateHostPort`. */
export function checkHostPort(place: FieldPath, address: string): readonly Violation[] {
  const parts = splitHostPort(address)
  if (parts === undefined) return createViolations(place, address, 'must be IP:port')
  const { host, port } = parts
  return [
    ...(parseIp(host) === undefined ? createViolations(place, host, 'must be a valid IP') : []),
    ...(isPort(port) ? [] : createViolations(place, port, 'must be a valid port')),
  ]
}

/**
 * Checks that `clusterCIDR` is one network. If kube-proxy serves both families, two networks, one of each family, are
 * also valid.
 */
export function checkClusterCidr(clusterCIDR: string, { singleStack }: Features): readonly Violation[] {
  if (clusterCIDR === '') return []
  const parts = clusterCIDR.split(',')
  const problem = singleStack && parts.length > 1 ? ONLY_ONE : clusterCidrProblem(parts)
  return problem === undefined
    ? []
    : createViolations({ path: 'clusterCIDR', field: 'ClusterCIDR' }, clusterCIDR, problem)
}

function clusterCidrProblem(parts: readonly string[]): string | undefined {
  if (parts.length > 2) return `only one CIDR allowed or a valid DualStack CIDR (e.g. ${EXAMPLE})`
  const families = parts.map((part) => parseCidr(part)?.family)
  if (parts.length === 1) {
    return families[0] === undefined
      ? 'must be a valid CIDR block (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)'
      : undefined
  }
  const dual = families.includes('IPv4') && families.includes('IPv6')
  return dual ? undefined : `must be a valid DualStack CIDR (e.g. ${EXAMPLE})`
}

/** Checks that `portRange` is a port, `first-last`, `first+more`, or empty. Mirrors `ParsePortRange`. */
export function checkPortRange(portRange: string): readonly Violation[] {
  const range = portRange.trim()
  if (range === '' || isPortRange(range)) return []
  return createViolations(
    { path: 'portRange', field: 'PortRange' },
    portRange,
    'must be a valid port range (e.g. 300-2000)',
  )
}

function isPortRange(range: string): boolean {
  return parsePortRange(range) !== undefined
}

/** Parses a port range: `begin-end`, `base+offset` or an individual port. Returns undefined for any other text. */
export function parsePortRange(range: string): PortRange | undefined {
  const [, first, sign, second] = /^(\d+)(?:([-+])(\d+))?$/.exec(range.trim()) ?? []
  if (first === undefined) return undefined
  const low = Number(first)
  const high = sign === '+' ? low + Number(second) : Number(second ?? first)
  return low <= high && high <= 65535 ? { first: low, last: high } : undefined
}

/** The keywords that may replace networks in the node-port addresses. */
const WORDS: readonly string[] = ['primary', 'localhost', 'all']

/**
 * Checks that every item is a network. From v1.31 on, the list may also be the keyword `primary` alone. From v1.37 on,
 * each item may also be a keyword.
 */
export function checkNodePortAddresses(addresses: readonly string[], features: Features): readonly Violation[] {
  if (!features.nodePortAddressWords) return checkNetworksOrPrimary(addresses, features)
  return addresses.flatMap((address, index) =>
    WORDS.includes(address) ? [] : checkCidr(nodePortPlace(index), address),
  )
}

/**
 * Checks that `addresses` contains only networks, or only the keyword `primary`. If it contains `primary` and other
 * items, the items after `primary` are not checked.
 */
function checkNetworksOrPrimary(addresses: readonly string[], features: Features): readonly Violation[] {
  const violations: Violation[] = []
  for (const [index, address] of addresses.entries()) {
    const place = nodePortPlace(index)
    if (address !== 'primary' || !features.primaryNodePortAddresses) violations.push(...checkCidr(place, address))
    else if (addresses.length > 1) {
      return [...violations, ...createViolations(place, address, "can't use both 'primary' and CIDRs")]
    }
  }
  return violations
}

function nodePortPlace(index: number): FieldPath {
  return { path: `nodePortAddresses[${index}]`, field: `NodePortAddresses[${index}]` }
}

function isPort(text: string): boolean {
  return /^\+?\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65535
}
