import type { IpFamily } from '@kube-rules/types'
import type { KernelPacket } from '../../netfilter/kernel-packet.js'
import type { Target, TargetKind } from '../ast.js'
import type { RuleFormat } from '../print/rule-format.js'

/** The effect on a packet that matches a rule. */
export type TargetEffect =
  /** The packet continues at the next rule. */
  | { readonly kind: 'continue'; readonly packet: KernelPacket }
  /** The packet skips the remaining rules of the table. */
  | { readonly kind: 'accept'; readonly packet: KernelPacket }
  | { readonly kind: 'drop' }
  | { readonly kind: 'reject'; readonly with: string }
  | { readonly kind: 'return' }
  | { readonly kind: 'jump'; readonly chain: string }
  | { readonly kind: 'goto'; readonly chain: string }
  | { readonly kind: 'unknown'; readonly reason: string }

/** The functions that format and normalize one kind of target. */
export interface TargetPrinter<V extends Target> {
  /** Prints the words with one space between them. The style `save` requires the normal form. */
  readonly print: (target: V, style: RuleFormat) => string
  /** Formats the options of the normal form like a listing (`iptables -L`). Absent for kinds without options. */
  readonly list?: (target: V) => string
  /** Returns the form that the kernel stores. */
  readonly canonical: (target: V, family: IpFamily) => V
}

export type TargetOf<K extends TargetKind> = Extract<Target, { kind: K }>

/** Returns the target unchanged, for kinds that the kernel stores unchanged. */
export function unchangedTarget<V extends Target>(target: V): V {
  return target
}
