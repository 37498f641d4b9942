import type { Cidr, IpFamily } from '@kube-rules/types'
import { compactList } from '../../internal/compact-list.js'
import { parseConfiguredCidr } from '../configuration/configured-addresses.js'
import type { Features } from '../configuration/features.js'
import { addWarning, type DiagnosticCollector, describeValue } from '../reading/diagnostic-collector.js'

/**
 * Reads source ranges. The ranges are masked (from 1.30 on), and surrounding spaces are removed (from 1.20 on). Invalid
 * CIDRs are left out with a warning.
 */
export function readSourceRanges(
  findings: DiagnosticCollector,
  path: string,
  items: readonly unknown[],
  { sourceRangesTrimmed, networksAsWritten }: Features,
): readonly Cidr[] {
  const ranges: Cidr[] = []
  items.forEach((item, index) => {
    const written = typeof item === 'string' ? (sourceRangesTrimmed ? item.trim() : item) : ''
    const range = parseConfiguredCidr(written, networksAsWritten)
    if (range !== undefined) ranges.push(range)
    else addWarning(findings, 'addressIgnored', `${path}[${index}]`, `${describeValue(item)} is not a CIDR`, 'a CIDR')
  })
  return compactList(ranges)
}

const ANYONE: readonly Cidr[] = Object.freeze([])

/**
 * Returns the effective source ranges of one family, in the order of the Service. An empty list means that every source
 * is accepted. With the feature `zeroSourceRangeAcceptsAll`, the list is empty if it would contain a zero CIDR. Mirrors
 * `newBaseServiceInfo` of kube-proxy v1.30.
 */
export function effectiveSourceRangesOf(
  ranges: readonly Cidr[],
  family: IpFamily,
  features: Features,
): readonly Cidr[] {
  if (ranges.length === 0) return ANYONE
  const own = ranges.filter((range) => range.family === family)
  const acceptsAll = features.zeroSourceRangeAcceptsAll && own.some((range) => range.prefixLength === 0)
  return acceptsAll ? ANYONE : own
}
