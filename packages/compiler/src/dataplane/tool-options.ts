import type { Cidr, IpFamily } from '@kube-rules/types'
import type { Subsystem } from './node-state.js'

/**
 * A text format. `restore` is the input of a tool, `save` is the output of a tool for programs, and `listing` is the
 * output of a tool for people.
 */
export type TextFormat = (typeof TEXT_FORMATS)[number]

/** All text formats. */
export const TEXT_FORMATS = ['restore', 'save', 'listing'] as const

/** The two kernel interfaces of the iptables tools. */
export type IptablesBackend = (typeof IPTABLES_BACKENDS)[number]

/** All backends. */
export const IPTABLES_BACKENDS = ['nft', 'legacy'] as const

/**
 * What is known about a node before changes are applied.
 * - `known`: the node has exactly the state before the changes
 * - `atLeast`: the node has the state before the changes, and perhaps older kube-proxy resources with unknown names
 * - `suspected`: the node has only resources that the changes create or delete, each in any form or missing
 * - `unknown`: nothing is known. Resources to create may exist in any form, and resources to delete may be missing
 */
export type PriorKnowledge = 'known' | 'atLeast' | 'suspected' | 'unknown'

/** What is known about each subsystem of a node. */
export type PriorKnowledgeBySubsystem = { readonly [S in Subsystem]?: PriorKnowledge }

/** Options of an iptables listing. */
export interface ListingOptions {
  /** Whether the listing shows counters and interfaces, like with `-v`. */
  readonly verbose?: boolean | undefined
  /** Whether the listing numbers the rules, like with `--line-numbers`. */
  readonly lineNumbers?: boolean | undefined
  /** Whether addresses and ports have names, like without `-n`: `anywhere`, `https`. Addresses are not resolved. */
  readonly names?: boolean | undefined
  /** Whether protocols are printed as numbers, like in iptables 1.8.8 to 1.8.10 with `-n`. */
  readonly protocolNumbers?: boolean | undefined
}

export interface SubsystemFormatOptions {
  readonly format: TextFormat
  readonly backend: IptablesBackend
  readonly listing?: ListingOptions | undefined
}

export interface SubsystemCommandOptions {
  readonly family: IpFamily
  /**
   * The iptables backend of the node. The commands depend on the backend, because a strategy that is fast with one
   * backend is slow with the other.
   */
  readonly backend: IptablesBackend
  /** What is known about the node before the changes. Default: `known`. */
  readonly start?: PriorKnowledge | undefined
  /**
   * The real servers that are terminating after the changes, from `terminateGracefully`
   * (`10.96.0.9:80/TCP/10.244.2.2:8080`). These real servers get weight 0 instead of being deleted.
   */
  readonly terminating?: readonly string[] | undefined
  /** The real servers that are already terminating. If such a real server is expected again, it is deleted and added. */
  readonly waiting?: readonly string[] | undefined
  /** Virtual servers with an address in one of these networks are preserved even if they are not expected. */
  readonly excludeCidrs?: readonly Cidr[] | undefined
  /**
   * Reports whether other programs also maintain an iptables chain (`filter/INPUT`). Neither a shared chain nor a jump
   * to it is ever removed. Default: no chain is shared.
   */
  readonly isShared?: ((id: string) => boolean) | undefined
}
