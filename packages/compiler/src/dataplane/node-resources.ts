import type { IpFamily } from '@kube-rules/types'
import { invariant } from '../internal/invariant.js'
import { type Change, idOf } from '../patch/patch.js'
import type { Resource, Resources } from '../patch/resource.js'
import { type NodeState, SUBSYSTEMS, type Subsystem, subsystemsIn } from './node-state.js'
import { RESOURCE_FORMS, type ResourceForm } from './resource-forms.js'

/** Returns the resources of a state in one subsystem, which must be present. */
export function resourcesIn(name: Subsystem, state: NodeState): Resources {
  const form: ResourceForm<unknown> = RESOURCE_FORMS[name]
  return form.resources(state[name])
}

/** Returns the subsystem of a resource id; undefined for none. */
export function subsystemOwning(id: string): Subsystem | undefined {
  return SUBSYSTEMS.find((name) => RESOURCE_FORMS[name].owns(id))
}

/** Returns the resources of a state in all its subsystems; `undefined` is an empty state. */
export function resourcesOf(state: NodeState | undefined): Resources {
  if (state === undefined) return new Map()
  return new Map(subsystemsIn(state).flatMap((name) => [...resourcesIn(name, state)]))
}

/** Builds the state from these resources: the inverse of `resourcesOf`, without owners. */
export function assembleState(resources: Resources, family: IpFamily): NodeState {
  const bySubsystem = new Map<Subsystem, Map<string, Resource>>()
  for (const [id, resource] of resources) {
    const name = subsystemOfId(id)
    const known = bySubsystem.get(name)
    if (known === undefined) bySubsystem.set(name, new Map([[id, resource]]))
    else known.set(id, resource)
  }
  const states = Array.from(bySubsystem, ([name, own]) => [name, RESOURCE_FORMS[name].assemble(own, family)])
  return { family, ...Object.fromEntries(states) }
}

/** Groups changes by the subsystem of their resources. */
export function changesBySubsystem(changes: readonly Change[]): ReadonlyMap<Subsystem, readonly Change[]> {
  const sorted = new Map<Subsystem, Change[]>()
  for (const change of changes) {
    const name = subsystemOfId(idOf(change))
    const known = sorted.get(name)
    if (known === undefined) sorted.set(name, [change])
    else known.push(change)
  }
  return sorted
}

function subsystemOfId(id: string): Subsystem {
  const name = subsystemOwning(id)
  invariant(name !== undefined, `${JSON.stringify(id)} is not a resource of any subsystem`)
  return name
}
