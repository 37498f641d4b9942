import type { IpFamily } from '@kube-rules/types'
import type { ComparisonOperator } from './clause.js'
import type { Stage } from './stage.js'

/** A comparison of one value with keys. */
export interface Comparison {
  readonly mask?: string | undefined
  readonly operator: ComparisonOperator
  readonly keys: readonly string[]
}

/** The packets of a lowered rule. */
export interface PacketScope {
  readonly family: IpFamily
  readonly stage: Stage
}
