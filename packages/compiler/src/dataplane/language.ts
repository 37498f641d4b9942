import type { Cidr, Diagnostic, IpFamily } from '@kube-rules/types'
import type { Patch } from '../diff/patch.js'
import type { Resources } from '../diff/resource.js'

/**
 * A small kernel language: what a node holds of it is plain data, `State`, of one address family. It knows netfilter, but
 * neither Kubernetes nor the modes that use it. This half of it is what computing rules takes, and no more, so that whoever
 * does only that loads only that; dealing with a node takes the other half, `LiveLanguage`.
 */
export interface Language<State> {
  /** The spellings that `print` knows; the first is what its tool is fed. */
  readonly spellings: readonly Spelling[]
  /** The text of a state, in whole lines. Throws for what cannot be said, which compiled and parsed states never hold. */
  print(state: State, options: PrintOptions): string
  /** Why the tools or the kernel would refuse a state. */
  check(state: State): readonly Diagnostic[]

  /** Whether the id of a resource is one of this language. */
  owns(id: string): boolean
  /** What a state consists of. */
  resources(state: State): Resources
  /** The inverse of `resources`, but for what resources do not tell, such as owners. */
  assemble(resources: Resources, family: IpFamily): State
  /** What turns one state into another; undefined stands for nothing of ours. */
  diff(before: State | undefined, after: State | undefined): Patch
}

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
