import type { ResourceOwnership } from '../dataplane/comparison.js'
import type { NodeState, Subsystem } from '../dataplane/node-state.js'
import type { PlanHeader } from '../plan/plan.js'
import { PROXY_MODES, type ProxyMode } from '../targets/modes.js'
import { MODE_OWNERSHIPS } from './mode-ownerships.js'

/** The ownership in any subsystem. The types of states and items are omitted. */
export type UntypedOwnership = ResourceOwnership<unknown, unknown>

/**
 * Returns the ownership of resources in a subsystem: it defines which resources belong to kube-proxy in the expected
 * mode. Leftovers of other modes also belong to kube-proxy. Returns undefined if the mode does not use the subsystem.
 */
export function findOwnership(name: Subsystem, mode: ProxyMode, header: PlanHeader): UntypedOwnership | undefined {
  const own = ownOwnership(name, mode, header)
  return own && withOtherModes(own, mode)
}

/**
 * Returns the ownership for a subsystem that the mode does not use. Leftovers of other modes in this subsystem belong
 * to kube-proxy. Returns undefined if the mode uses the subsystem, or if no mode uses it.
 */
export function findLeftoverOwnership(
  name: Subsystem,
  mode: ProxyMode,
  header: PlanHeader,
  actual: NodeState,
): UntypedOwnership | undefined {
  return ownOwnership(name, mode, header) === undefined ? ownershipOfOthers(name, mode, header, actual) : undefined
}

/**
 * Returns the ownership for a comparison after which no other resources of kube-proxy may remain on the node. Unlike
 * `findOwnership`, it includes resources that kube-proxy itself keeps for a while. It also includes leftovers of other
 * modes in a subsystem that the expected mode does not use.
 */
export function findStrictOwnership(
  name: Subsystem,
  mode: ProxyMode,
  header: PlanHeader,
  actual: NodeState,
): UntypedOwnership | undefined {
  const own = findOwnership(name, mode, header) ?? findLeftoverOwnership(name, mode, header, actual)
  if (own === undefined) return undefined
  return { ...own, isOwned: (id, value) => own.isOwned(id, value) || (own.isTemporarilyKept?.(id, value) ?? false) }
}

function ownOwnership(name: Subsystem, mode: ProxyMode, header: PlanHeader): UntypedOwnership | undefined {
  // The subsystem name is dynamic, so the types of its states and items cannot be inferred.
  return MODE_OWNERSHIPS[mode].resources(header)[name] as UntypedOwnership | undefined
}

/**
 * Returns the ownership of the first other mode that uses the subsystem. If this mode requires a proof that it was
 * active (`provesMode`), and the node has none, no resource belongs to kube-proxy.
 */
function ownershipOfOthers(
  name: Subsystem,
  mode: ProxyMode,
  header: PlanHeader,
  actual: NodeState,
): UntypedOwnership | undefined {
  const [other] = PROXY_MODES.filter((each) => each !== mode && ownOwnership(name, each, header) !== undefined)
  if (other === undefined) return undefined
  const ownership = ownOwnership(name, other, header)
  if (ownership === undefined) return undefined
  const wasInForce = MODE_OWNERSHIPS[other].provesMode?.(actual) ?? true
  return wasInForce ? withOtherModes(ownership, other) : { ...ownership, isOwned: () => false }
}

function withOtherModes(own: UntypedOwnership, mode: ProxyMode): UntypedOwnership {
  const others = PROXY_MODES.filter((other) => other !== mode).map((other) => MODE_OWNERSHIPS[other])
  const isOwned = (id: string, value?: unknown): boolean =>
    own.isOwned(id, value) || others.some((other) => other.isModeSpecific(id))
  return { ...own, isOwned, isLookalike: (id) => (own.isLookalike?.(id) ?? false) && !isOwned(id) }
}
