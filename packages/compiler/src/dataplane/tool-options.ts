import type { Cidr, IpFamily } from '@kube-rules/types'

/** `restore`: what a tool is fed. `save`: what it prints afterwards. `listing`: what it prints for people. */
export type Spelling = 'restore' | 'save' | 'listing'

/** The two kernel interfaces behind the iptables tools. */
export type Backend = 'nft' | 'legacy'

/**
 * What is known of what a node holds before changes are made.
 * - `known`: exactly what the changes start from
 * - `atLeast`: what the changes start from, and perhaps older things of ours that nobody knows by name
 * - `unknown`: nothing. What is created may be there already in any form, and what is deleted may be missing
 */
export type Start = 'known' | 'atLeast' | 'unknown'

export interface PrintOptions {
  readonly spelling: Spelling
  readonly backend: Backend
}

export interface ScriptOptions {
  readonly family: IpFamily
  /** Which iptables the node has: what is quick for the one is slow for the other. */
  readonly backend: Backend
  /** What is known of what the node holds before the changes. Default: `known`. */
  readonly start?: Start | undefined
  /**
   * Real servers that wait for the end of their connections once the changes are made, as `terminateGracefully` tells
   * (`10.96.0.9:80/TCP/10.244.2.2:8080`). They get weight 0 instead of being deleted.
   */
  readonly terminating?: readonly string[] | undefined
  /** Real servers that wait already. One that is wanted again is deleted and added. */
  readonly waiting?: readonly string[] | undefined
  /** Virtual servers with an address in one of these networks stay although nobody wants them. */
  readonly excludeCidrs?: readonly Cidr[] | undefined
}
