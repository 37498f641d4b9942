import type { Cidr, IpFamily } from '@kube-rules/types'
import { parseMappedCidr } from '@kube-rules/types/internal/cidr'
import { compactList } from '../../internal/compact-list.js'
import { parseConfiguredCidr } from '../configuration/configured-addresses.js'
import type { Features } from '../configuration/features.js'
import { addWarning, type DiagnosticCollector, describeValue } from '../reading/diagnostic-collector.js'

/** A network of clients that may reach the load-balancer IPs of a Service. */
export interface SourceRange {
  readonly network: Cidr
  /** Whether the Service contains the network as an IPv4-mapped IPv6 network. */
  readonly isMapped: boolean
}

/** Go's `strings.TrimSpace` removes this control character, and `trim` does not. */
const NEXT_LINE = '\x85'

/**
 * Reads source ranges. The ranges are masked (from 1.30 on), and surrounding spaces are removed (from 1.20 on). An
 * IPv4-mapped range is always masked. Invalid CIDRs are left out with a warning.
 */
export function readSourceRanges(
  collector: DiagnosticCollector,
  path: string,
  items: readonly unknown[],
  { sourceRangesTrimmed, networksAsWritten }: Features,
): readonly SourceRange[] {
  const ranges: SourceRange[] = []
  items.forEach((item, index) => {
    const text = typeof item === 'string' ? item : ''
    const written = sourceRangesTrimmed ? text.replaceAll(NEXT_LINE, ' ').trim() : text
    const range = parseSourceRange(written, networksAsWritten)
    if (range !== undefined) ranges.push(range)
    else addWarning(collector, 'addressIgnored', `${path}[${index}]`, `${describeValue(item)} is not a CIDR`, 'a CIDR')
  })
  return compactList(ranges)
}

function parseSourceRange(written: string, keepsText: boolean): SourceRange | undefined {
  const network = parseConfiguredCidr(written, keepsText)
  if (network !== undefined) return { network, isMapped: false }
  const mapped = parseMappedCidr(written)
  return mapped && { network: mapped, isMapped: true }
}

const ANYONE: readonly Cidr[] = Object.freeze([])

/**
 * Returns the effective source ranges of one family, in the order of the Service. An empty list means that every source
 * is accepted. With the feature `zeroNetworksMatchAll`, the list is empty if it would contain a zero CIDR; a mapped
 * range is never a zero CIDR. Mirrors `newBaseServiceInfo` of kube-proxy v1.30.
 */
export function effectiveSourceRangesOf(
  ranges: readonly SourceRange[],
  family: IpFamily,
  features: Features,
): readonly Cidr[] {
  if (ranges.length === 0) return ANYONE
  const own = ranges.filter(({ network }) => network.family === family)
  const acceptsAll = own.some(({ network, isMapped }) => network.prefixLength === 0 && !isMapped)
  return features.zeroNetworksMatchAll && acceptsAll ? ANYONE : own.map(({ network }) => network)
}
