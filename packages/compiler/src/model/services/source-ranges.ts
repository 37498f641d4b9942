import { type Cidr, type IpFamily, parseCidr } from '@kube-rules/types'
import { compact } from '../../internal/compact.js'
import type { Features } from '../configuration/features.js'
import { addWarning, type DiagnosticCollector, describe } from '../reading/diagnostic-collector.js'

/** Reads source ranges, masked and with surrounding blanks trimmed. Invalid CIDRs are left out with a warning. */
export function readSourceRanges(
  findings: DiagnosticCollector,
  path: string,
  items: readonly unknown[],
): readonly Cidr[] {
  const ranges: Cidr[] = []
  items.forEach((item, index) => {
    const range = typeof item === 'string' ? parseCidr(item.trim()) : undefined
    if (range !== undefined) ranges.push(range)
    else addWarning(findings, 'addressIgnored', `${path}[${index}]`, `${describe(item)} is not a CIDR`, 'a CIDR')
  })
  return compact(ranges)
}

const ANYONE: readonly Cidr[] = Object.freeze([])

/**
 * Returns the effective ranges of one family, in the order of the Service; empty if every source is accepted. Mirrors
 * `newBaseServiceInfo` of kube-proxy v1.30; in newer versions, a zero CIDR disables the restriction.
 */
export function effectiveSourceRanges(ranges: readonly Cidr[], family: IpFamily, features: Features): readonly Cidr[] {
  if (ranges.length === 0) return ANYONE
  const own = ranges.filter((range) => range.family === family)
  const acceptsAll = features.zeroSourceRangeAcceptsAll && own.some((range) => range.prefixLength === 0)
  return acceptsAll ? ANYONE : own
}
