import type { ChainPolicy, Rule, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { IpFamily } from '@kube-rules/types'
import type { PastedLine } from '../../netfilter/pasted.js'

/** A chain as defined by one block. */
export interface ChainFragment {
  readonly name: string
  readonly policy?: ChainPolicy['policy'] | undefined
  readonly rules: readonly Rule[]
  readonly isWhole: boolean
  readonly isPartial: boolean
  readonly at: PastedLine
}

/** The content of one table in one block. */
export interface TableFragment {
  readonly family: IpFamily
  readonly name: TableName
  readonly chains: readonly ChainFragment[]
  /** Whether the block contains all chains of the table. */
  readonly isWhole: boolean
  /** Whether the command printed every table. */
  readonly isOfAll: boolean
}
