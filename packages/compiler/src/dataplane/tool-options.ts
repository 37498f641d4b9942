import type { Cidr, IpFamily } from '@kube-rules/types'

/** A text format. `restore`: the input of a tool. `save`: its output. `listing`: its output for people. */
export type TextFormat = (typeof TEXT_FORMATS)[number]

/** All text formats. */
export const TEXT_FORMATS = ['restore', 'save', 'listing'] as const

/** The two kernel interfaces of the iptables tools. */
export type IptablesBackend = (typeof IPTABLES_BACKENDS)[number]

/** All backends. */
export const IPTABLES_BACKENDS = ['nft', 'legacy'] as const

/**
 * The knowledge about a node before changes are applied.
 * - `known`: the node has exactly the state before the changes
 * - `atLeast`: the node has that state, and perhaps older resources of ours with unknown names
 * - `suspected`: the node has no other resources than those that the changes create or delete. Each of these may exist
 *   in any form, or be missing
 * - `unknown`: nothing is known. Created resources may exist in any form, and deleted ones may be missing
 */
export type PriorKnowledge = 'known' | 'atLeast' | 'suspected' | 'unknown'

/** Options of an iptables listing. */
export interface ListingOptions {
  /** Whether counters and interfaces are shown, as with `-v`. */
  readonly verbose?: boolean | undefined
  /** Whether rules are numbered, as with `--line-numbers`. */
  readonly lineNumbers?: boolean | undefined
  /** Whether addresses and ports have names, as without `-n`: `anywhere`, `https`. Addresses are not resolved. */
  readonly names?: boolean | undefined
  /** Whether protocols are numbers, as iptables 1.8.8 to 1.8.10 prints them with `-n`. */
  readonly protocolNumbers?: boolean | undefined
}

export interface SubsystemFormatOptions {
  readonly format: TextFormat
  readonly backend: IptablesBackend
  readonly listing?: ListingOptions | undefined
}

export interface SubsystemCommandOptions {
  readonly family: IpFamily
  /** The iptables backend of the node; a fast strategy for one is slow for the other. */
  readonly backend: IptablesBackend
  /** The knowledge about the node before the changes. Default: `known`. */
  readonly start?: PriorKnowledge | undefined
  /**
   * Real servers that are terminating after the changes, from `terminateGracefully`
   * (`10.96.0.9:80/TCP/10.244.2.2:8080`). They get weight 0 instead of being deleted.
   */
  readonly terminating?: readonly string[] | undefined
  /** Real servers that are already terminating. One that is expected again is deleted and added. */
  readonly waiting?: readonly string[] | undefined
  /** Virtual servers with an address in one of these networks are preserved even if they are not expected. */
  readonly excludeCidrs?: readonly Cidr[] | undefined
  /**
   * Reports whether other programs also maintain an iptables chain (`filter/INPUT`). Such a chain is never removed, nor
   * are jumps to it. Default: no chain is shared.
   */
  readonly isShared?: ((id: string) => boolean) | undefined
}
