import type { IpFamily } from '@kube-rules/types'
import type { Target } from '../ast.js'
import type { RuleFormat } from '../print/rule-format.js'

/** The functions that format and normalize one kind of target. */
export interface TargetPrinter<V extends Target> {
  /** Prints the words with one space between them. The style `save` requires the normal form. */
  readonly print: (target: V, style: RuleFormat) => string
  /** Formats the options of the normal form like a listing (`iptables -L`). Absent for kinds without options. */
  readonly list?: (target: V) => string
  /** Returns the form that the kernel stores. */
  readonly canonical: (target: V, family: IpFamily) => V
}

/** Returns the target unchanged, for kinds that the kernel stores unchanged. */
export function unchangedTarget<V extends Target>(target: V): V {
  return target
}
