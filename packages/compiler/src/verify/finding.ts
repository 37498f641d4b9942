import type { ResourcePair } from '../diff/diff.js'
import type { Drift, Unverified } from './report.js'

/** A drift, and whose it is. */
export interface Finding {
  /** `default/web:http/TCP`; empty for none that is known. */
  readonly servicePort: string
  readonly drift: Drift
}

/** What the comparison of one language comes to. */
export interface Comparison {
  readonly findings: readonly Finding[]
  /** What is there, and what is to be there: only where the two differ. */
  readonly pairs: readonly ResourcePair[]
  readonly unverified: readonly Unverified[]
}

export const NOTHING_FOUND: Comparison = { findings: [], pairs: [], unverified: [] }

export function joinComparisons(comparisons: readonly Comparison[]): Comparison {
  return {
    findings: comparisons.flatMap(({ findings }) => findings),
    pairs: comparisons.flatMap(({ pairs }) => pairs),
    unverified: comparisons.flatMap(({ unverified }) => unverified),
  }
}
