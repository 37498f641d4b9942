import type { Cidr, Diagnostic, IpFamily } from '@kube-rules/types'
import type { Change, Patch } from '../diff/patch.js'
import type { Resources } from '../diff/resource.js'
import type { Comparison, Custody } from './comparison.js'
import type { Station } from './netfilter/branch.js'
import type { DumpLines, LinesEnd, ReadLines } from './netfilter/dump-lines.js'
import type { Knowledge } from './netfilter/knowledge.js'
import type { PhasedRun } from './netfilter/run.js'

/**
 * A small kernel language: what a node holds of it is plain data, `State`, of one address family. It knows netfilter, but
 * neither Kubernetes nor the modes that use it. `Item` is what a comparison finds fault with, one by one; `Code` is what a
 * problem of a text may have.
 */
export interface Language<State, Item, Code extends string = string> {
  /** The spellings that `print` knows; the first is what its tool is fed. */
  readonly spellings: readonly Spelling[]
  /** The text of a state, in whole lines. Throws for what cannot be said, which compiled and parsed states never hold. */
  print(state: State, options: PrintOptions): string

  /** What its tools print, for people: `what ipset save prints`. */
  readonly printedBy: string
  /** Which lines of a dump belong to one that begins so; undefined for a line that is not of this language. */
  begins(line: string): LinesEnd | undefined
  /** What a comment line says of the family of what follows: `unknown` takes back what was said. Undefined: nothing. */
  headingOf?(line: string): IpFamily | 'unknown' | undefined
  /** Never throws. `family` is that of lines that do not tell it themselves. */
  read(lines: readonly DumpLines[], family: IpFamily): ReadLines<State, Code>
  /** Every code that a problem of `read` may have. */
  readonly problemCodes: readonly Code[]

  /** The normal form: states that the kernel cannot tell apart have equal ones. */
  canonical(state: State): State
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
  /** Whether its tool applies its input line by line, so that two runs that follow one another may be one. */
  readonly appliesByLine: boolean
  /** The runs of tools that carry out changes of its resources. */
  script(changes: readonly Change[], options: ScriptOptions): readonly PhasedRun[]

  /** Who looks at packets on their way; a language of which others ask has none. */
  stations(state: State, knowledge: Knowledge): readonly Station[]
  /** What the state tells the rules of other languages. */
  knows(state: State): Partial<Knowledge>

  /** What its states are made of, for people: `sets`. */
  readonly madeOf: string
  /** Compares what is wanted with what a node holds. */
  compare(wanted: State, live: State, custody: Custody<State, Item>): Comparison
}

/** `restore`: what a tool is fed. `save`: what it prints afterwards. `listing`: what it prints for people. */
export type Spelling = 'restore' | 'save' | 'listing'

/** The two kernel interfaces behind the iptables tools. */
export type Backend = 'nft' | 'legacy'

export interface PrintOptions {
  readonly spelling: Spelling
  readonly backend: Backend
}

export interface ScriptOptions {
  readonly family: IpFamily
  /** Which iptables the node has: what is quick for the one is slow for the other. */
  readonly backend: Backend
  /** What a first load finds is not known: nothing may depend on what is there, and what is there already stays. */
  readonly ensure?: boolean | undefined
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
