import type { ResourceOwnership } from '../dataplane/comparison.js'
import type { NodeState, Subsystem } from '../dataplane/node-state.js'
import type { PlanHeader } from '../plan/plan.js'
import { PROXY_MODES, type ProxyMode } from '../targets/modes.js'
import { MODE_OWNERSHIPS } from './mode-ownerships.js'

/** The ownership in any subsystem, without the types of its states and items. */
export type UntypedOwnership = ResourceOwnership<unknown, unknown>

/**
 * Returns the ownership of resources in a subsystem for the expected mode. Leftovers of any other mode also belong to
 * kube-proxy. Undefined if the mode does not use the subsystem.
 */
export function findOwnership(name: Subsystem, mode: ProxyMode, frame: PlanHeader): UntypedOwnership | undefined {
  const own = ownOwnership(name, mode, frame)
  return own && withOtherModes(own, mode)
}

/**
 * Returns the ownership for a subsystem that the mode does not use: the leftovers of other modes in it belong to
 * kube-proxy. Undefined if the mode uses it, and if no mode does.
 */
export function findLeftoverOwnership(
  name: Subsystem,
  mode: ProxyMode,
  frame: PlanHeader,
  live: NodeState,
): UntypedOwnership | undefined {
  return ownOwnership(name, mode, frame) === undefined ? ownershipOfOthers(name, mode, frame, live) : undefined
}

/**
 * Returns the ownership for a comparison after which the node must have no other resources of kube-proxy. In contrast
 * to `findOwnership`, it includes resources that kube-proxy itself keeps for a while, and leftovers of other modes in a
 * subsystem that the expected mode does not use.
 */
export function findStrictOwnership(
  name: Subsystem,
  mode: ProxyMode,
  frame: PlanHeader,
  live: NodeState,
): UntypedOwnership | undefined {
  const own = findOwnership(name, mode, frame) ?? findLeftoverOwnership(name, mode, frame, live)
  if (own === undefined) return undefined
  return { ...own, isOwned: (id, value) => own.isOwned(id, value) || (own.isTemporarilyKept?.(id, value) ?? false) }
}

function ownOwnership(name: Subsystem, mode: ProxyMode, frame: PlanHeader): UntypedOwnership | undefined {
  // The types of the subsystems are not known here.
  return MODE_OWNERSHIPS[mode].resources(frame)[name] as UntypedOwnership | undefined
}

/**
 * Returns the ownership of the first other mode with the subsystem. If no resource proves that the mode was active, no
 * resource belongs to kube-proxy.
 */
function ownershipOfOthers(
  name: Subsystem,
  mode: ProxyMode,
  frame: PlanHeader,
  live: NodeState,
): UntypedOwnership | undefined {
  const [other] = PROXY_MODES.filter((each) => each !== mode && ownOwnership(name, each, frame) !== undefined)
  if (other === undefined) return undefined
  const ownership = ownOwnership(name, other, frame)
  if (ownership === undefined) return undefined
  const wasInForce = MODE_OWNERSHIPS[other].provesMode?.(live) ?? true
  return wasInForce ? withOtherModes(ownership, other) : { ...ownership, isOwned: () => false }
}

function withOtherModes(own: UntypedOwnership, mode: ProxyMode): UntypedOwnership {
  const others = PROXY_MODES.filter((other) => other !== mode).map((other) => MODE_OWNERSHIPS[other])
  const isOwned = (id: string, value?: unknown): boolean =>
    own.isOwned(id, value) || others.some((other) => other.isModeSpecific(id))
  return { ...own, isOwned, isLookalike: (id) => (own.isLookalike?.(id) ?? false) && !isOwned(id) }
}
