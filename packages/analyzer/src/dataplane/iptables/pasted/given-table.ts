import type { ChainPolicy, Rule, TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { IpFamily } from '@kube-rules/types'
import type { PastedLine } from '../../netfilter/pasted.js'

/** A chain as one block gives it. */
export interface GivenChain {
  readonly name: string
  readonly policy?: ChainPolicy['policy'] | undefined
  readonly rules: readonly Rule[]
  readonly isWhole: boolean
  readonly showsPart: boolean
  readonly at: PastedLine
}

/** What one block gives of one table. */
export interface GivenTable {
  readonly family: IpFamily
  readonly name: TableName
  readonly chains: readonly GivenChain[]
  /** There are no other chains. */
  readonly isWhole: boolean
  /** The tool was asked for every table. */
  readonly isOfAll: boolean
}
