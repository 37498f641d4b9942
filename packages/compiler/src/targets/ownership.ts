import type { IpFamily } from '@kube-rules/types'
import type { ResourceOwnership } from '../dataplane/comparison.js'
import type { RuleOrChain } from '../dataplane/iptables/compare/table-pair.js'
import type { NodeState, StateOf, Subsystem } from '../dataplane/node-state.js'
import type { Resource } from '../patch/resource.js'
import type { PlanHeader } from '../plan/plan.js'

/** A definition of the resources on a node that belong to kube-proxy in one mode. */
export interface ModeOwnership {
  /** Returns the ownership and the purpose of the resources in each subsystem of the mode. */
  resources(header: PlanHeader): ResourceOwnerships
  /**
   * Reports whether kube-proxy creates a resource with this id only in this mode, in any version. On a node with
   * another mode, the resource is a leftover.
   */
  isModeSpecific(id: string): boolean
  /**
   * Returns the resources that have fixed names in any version: chains (without rules), jumps to these chains, sets,
   * tables, devices. On a node with another mode, these resources are leftovers.
   */
  staticResources(family: IpFamily): readonly Resource[]
  /**
   * Reports whether the state of a node proves that the mode was active. This matters for resources with names that
   * other programs also use. This function is absent if no other program uses the names of this mode.
   */
  provesMode?(actual: NodeState): boolean
  /**
   * Reports whether rules of the mode look up packets in the set with this id. This function is absent if the mode has
   * no set matches.
   */
  matches?(id: string): boolean
}

export type ResourceOwnerships = { readonly [S in Subsystem]?: ResourceOwnership<StateOf<S>, DriftSubjectOf<S>> }

/** The type of the items that a drift check of a subsystem compares. */
export type DriftSubjectOf<S extends Subsystem> = S extends 'iptables' ? RuleOrChain : Resource
