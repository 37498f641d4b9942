import { type BuiltInJumps, isBuiltInJumps } from '../dataplane/iptables/resources.js'
import { resourcesOfSubsystem } from '../dataplane/node-resources.js'
import { type NodeState, SUBSYSTEMS, type Subsystem } from '../dataplane/node-state.js'
import { SUBSYSTEM_RESOURCES } from '../dataplane/resource-conversions.js'
import { isDeepEqual } from '../internal/plain-data.js'
import { orderChanges } from '../patch/order.js'
import type { Change } from '../patch/patch.js'
import type { Resource, Resources } from '../patch/resource.js'
import { PROXY_MODES, type ProxyMode, SUBSYSTEMS_OF_MODE } from '../targets/modes.js'
import { MODE_OWNERSHIPS } from './mode-ownerships.js'

/** The expected state of one family, and the resources that the node may have. */
export interface FamilyWithUnknownState {
  readonly mode: ProxyMode
  readonly state: NodeState
  readonly suspected: Resources
  /** Whether unknown sets stay on the node if the expected mode has no sets. */
  readonly keepsSets: boolean
}

/** The knowledge about a subsystem: known, unknown, or missing in a dump that contains other subsystems. */
export type SubsystemStatus = 'known' | 'unknown' | 'notDumped'

/**
 * Returns the changes for subsystems with an unknown state. All expected resources are created. Suspected resources and
 * the static resources of every mode are deleted if they are unexpected. If a subsystem that only other modes use is
 * missing from the dump, only its suspected resources are deleted.
 */
export function createChangesFromUnknownState(
  { mode, state, suspected, keepsSets }: FamilyWithUnknownState,
  factsOf: (name: Subsystem) => SubsystemStatus,
): readonly Change[] {
  const own = new Set(SUBSYSTEMS_OF_MODE[mode])
  const changes = SUBSYSTEMS.flatMap((name): readonly Change[] => {
    const facts = factsOf(name)
    // If the expected mode is not ipvs, virtual servers with unknown names stay. Only the sets show that these virtual
    // servers belong to kube-proxy, so the sets also stay.
    const isKept = name === 'ipset' && facts === 'unknown' && keepsSets && !own.has(name)
    if (facts === 'known' || isKept) return []
    const expected = state[name] === undefined ? new Map<string, Resource>() : resourcesOfSubsystem(name, state)
    const isFixed = facts === 'unknown' || own.has(name)
    const fixed = isFixed ? PROXY_MODES.flatMap((each) => MODE_OWNERSHIPS[each].staticResources(state.family)) : []
    const maybe = [...suspected.values(), ...fixed].filter(({ id }) => SUBSYSTEM_RESOURCES[name].owns(id))
    return expected.size + maybe.length === 0 ? [] : subsystemChanges(expected, mergeResources(maybe))
  })
  return orderChanges(changes)
}

function subsystemChanges(expected: Resources, maybe: Resources): readonly Change[] {
  return [
    ...Array.from(expected.values(), (resource): Change => {
      const before = maybe.get(resource.id)
      const isJumps = before !== undefined && isBuiltInJumps(before.value)
      return isJumps ? { kind: 'update', id: resource.id, before, after: resource } : { kind: 'create', resource }
    }),
    ...[...maybe.values()].flatMap((resource): readonly Change[] =>
      expected.has(resource.id) ? [] : [{ kind: 'delete', resource }],
    ),
  ]
}

/** Returns resources by id; jumps from the same built-in chain are merged. */
function mergeResources(resources: Iterable<Resource>): Resources {
  const byId = new Map<string, Resource>()
  for (const resource of resources) {
    const existing = byId.get(resource.id)
    byId.set(resource.id, existing === undefined ? resource : mergeOne(existing, resource))
  }
  return byId
}

function mergeOne(known: Resource, other: Resource): Resource {
  if (known === other || !isBuiltInJumps(known.value) || !isBuiltInJumps(other.value)) return known
  const { jumps } = known.value
  const more = other.value.jumps.filter((rule) => !jumps.some((each) => isDeepEqual(each, rule)))
  if (more.length === 0) return known
  const value: BuiltInJumps = { jumps: [...jumps, ...more] }
  return { ...known, refs: [...new Set([...known.refs, ...other.refs])].sort(), value }
}
