import type { IpFamily } from '@kube-rules/types'
import type { ResourceOwnership } from '../dataplane/comparison.js'
import type { IptablesItem } from '../dataplane/iptables/compare/table-pair.js'
import type { NodeState, StateOf, Subsystem } from '../dataplane/node-state.js'
import type { Resource } from '../patch/resource.js'
import type { PlanHeader } from '../plan/plan.js'

/** Whose the things are that a node holds. */
export interface ModeOwnership {
  /** Whose things are and what they are there for, in each subsystem of the mode. */
  resources(frame: PlanHeader): ResourceOwnerships
  /**
   * Reports whether only kube-proxy in this mode, in any version, creates a resource with this id. Such a resource may
   * be a leftover.
   */
  leavesBehind(id: string): boolean
  /**
   * What the mode has on every node under the same names, in whichever version: chains, all without rules, jumps to them,
   * sets, tables, devices. A node may have it left over.
   */
  fixed(family: IpFamily): readonly Resource[]
  /**
   * Whether what a node holds shows that the mode was in force there, for things whose names do not tell whose they are. Absent:
   * all names tell.
   */
  leavesTraces?(live: NodeState): boolean
  /** Whether the thing with this id is a set of kube-proxy that rules of the mode match. Absent: they match none. */
  matches?(id: string): boolean
}

export type ResourceOwnerships = { readonly [S in Subsystem]?: ResourceOwnership<StateOf<S>, ItemOf<S>> }

/** What a comparison of a subsystem finds fault with, one by one. */
export type ItemOf<S extends Subsystem> = S extends 'iptables' ? IptablesItem : Resource
