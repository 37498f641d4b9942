import type { IpFamily } from '@kube-rules/types'
import type { ComparisonOperator } from './clause.js'
import type { Stage } from './stage.js'

/** A comparison of one value with keys. */
export interface Comparison {
  readonly mask?: string | undefined
  readonly operator: ComparisonOperator
  readonly keys: readonly string[]
}

/** The operators of numbers and addresses, other than those of bits. */
export type OrderOperator = Exclude<ComparisonOperator, '==' | '!=' | 'any' | 'none'>

/** A comparison of a number or address. With an order, there is exactly one key. */
export interface ValueComparison extends Comparison {
  readonly operator: '==' | '!=' | OrderOperator
}

/** The packets of a lowered rule. */
export interface PacketScope {
  readonly family: IpFamily
  readonly stage: Stage
}
