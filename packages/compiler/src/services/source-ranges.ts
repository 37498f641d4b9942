import type { Cidr, IpFamily } from '@kube-rules/types'
import type { Features } from '../configuration/features.js'

const ANYONE: readonly Cidr[] = Object.freeze([])

/**
 * The ranges that restrict one family, in the Service's order; empty where every source is accepted.
 * Mirrors `newBaseServiceInfo` of kube-proxy v1.30; newer versions let a zero CIDR switch the restriction off.
 */
export function effectiveSourceRanges(ranges: readonly Cidr[], family: IpFamily, features: Features): readonly Cidr[] {
  if (ranges.length === 0) return ANYONE
  const own = ranges.filter((range) => range.family === family)
  const acceptsAll = features.zeroSourceRangeAcceptsAll && own.some((range) => range.prefixLength === 0)
  return acceptsAll ? ANYONE : own
}
