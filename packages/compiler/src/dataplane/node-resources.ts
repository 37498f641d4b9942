import type { IpFamily } from '@kube-rules/types'
import { groupItems } from '../internal/group-items.js'
import { invariant } from '../internal/invariant.js'
import { type Change, resourceIdOf } from '../patch/patch.js'
import type { Resource, Resources } from '../patch/resource.js'
import { type NodeState, presentSubsystemsOf, SUBSYSTEMS, type Subsystem } from './node-state.js'
import { STATE_ASSEMBLERS, SUBSYSTEM_RESOURCES, type SubsystemResources } from './resource-conversions.js'

/** Returns the resources of one subsystem in a state. The state must have the subsystem. */
export function resourcesOfSubsystem(name: Subsystem, state: NodeState): Resources {
  const form: SubsystemResources<unknown> = SUBSYSTEM_RESOURCES[name]
  return form.resources(state[name])
}

/** Returns the subsystem of a resource id. Returns undefined for an unknown id. */
export function findSubsystem(id: string): Subsystem | undefined {
  return SUBSYSTEMS.find((name) => SUBSYSTEM_RESOURCES[name].owns(id))
}

/** Returns the resources of all subsystems in a state. `undefined` means an empty state. */
export function resourcesOf(state: NodeState | undefined): Resources {
  if (state === undefined) return new Map()
  return new Map(presentSubsystemsOf(state).flatMap((name) => [...resourcesOfSubsystem(name, state)]))
}

/** Builds the state from these resources. This function is the inverse of `resourcesOf`, but the state has no owners. */
export function assembleState(resources: Resources, family: IpFamily): NodeState {
  const bySubsystem = new Map<Subsystem, Map<string, Resource>>()
  for (const [id, resource] of resources) {
    const name = subsystemOfId(id)
    const existing = bySubsystem.get(name)
    if (existing === undefined) bySubsystem.set(name, new Map([[id, resource]]))
    else existing.set(id, resource)
  }
  const states = Array.from(bySubsystem, ([name, own]) => [name, STATE_ASSEMBLERS[name](own, family)])
  return { family, ...Object.fromEntries(states) }
}

/** Groups changes by the subsystem of their resources. */
export function groupChangesBySubsystem(changes: readonly Change[]): ReadonlyMap<Subsystem, readonly Change[]> {
  return groupItems(changes, (change) => subsystemOfId(resourceIdOf(change)))
}

function subsystemOfId(id: string): Subsystem {
  const name = findSubsystem(id)
  invariant(name !== undefined, `${JSON.stringify(id)} is not a resource of any subsystem`)
  return name
}
