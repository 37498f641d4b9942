import type { ResourceOwnership } from '../dataplane/comparison.js'
import type { NodeState, Subsystem } from '../dataplane/node-state.js'
import type { PlanHeader } from '../plan/plan.js'
import { PROXY_MODES, type ProxyMode } from '../targets/modes.js'
import { OWNERSHIP } from './ownerships.js'

/** Custody without regard to what its states and items are. */
export type UntypedOwnership = ResourceOwnership<unknown, unknown>

/**
 * Returns the ownership of resources in a subsystem for the expected mode. Leftovers of any other mode belong to kube-proxy, too.
 * Undefined if the mode does not use the subsystem.
 */
export function ownershipIn(name: Subsystem, mode: ProxyMode, frame: PlanHeader): UntypedOwnership | undefined {
  const own = ownOwnership(name, mode, frame)
  return own && withOtherModes(own, mode)
}

/**
 * Returns the ownership for a subsystem that the mode does not use: everything that other modes leave behind in it is ours.
 * Undefined if the mode uses it, and if no mode does.
 */
export function leftoverOwnershipIn(
  name: Subsystem,
  mode: ProxyMode,
  frame: PlanHeader,
  live: NodeState,
): UntypedOwnership | undefined {
  return ownOwnership(name, mode, frame) === undefined ? ownershipOfOthers(name, mode, frame, live) : undefined
}

/**
 * The same where a node is to hold nothing else of kube-proxy: what kube-proxy itself leaves for a while goes, too, and what other
 * modes have in a language that the wanted mode does without.
 */
export function strictOwnershipIn(
  name: Subsystem,
  mode: ProxyMode,
  frame: PlanHeader,
  live: NodeState,
): UntypedOwnership | undefined {
  const own = ownershipIn(name, mode, frame) ?? leftoverOwnershipIn(name, mode, frame, live)
  if (own === undefined) return undefined
  return { ...own, isOwned: (id, value) => own.isOwned(id, value) || (own.isTemporarilyKept?.(id, value) ?? false) }
}

function ownOwnership(name: Subsystem, mode: ProxyMode, frame: PlanHeader): UntypedOwnership | undefined {
  // Each language has its own types, which only it knows.
  return OWNERSHIP[mode].resources(frame)[name] as UntypedOwnership | undefined
}

/** That of the first other mode with the language; nothing is ours where no mode shows that it was in force. */
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
  const wasInForce = OWNERSHIP[other].provesMode?.(live) ?? true
  return wasInForce ? withOtherModes(ownership, other) : { ...ownership, isOwned: () => false }
}

function withOtherModes(own: UntypedOwnership, mode: ProxyMode): UntypedOwnership {
  const others = PROXY_MODES.filter((other) => other !== mode).map((other) => OWNERSHIP[other])
  const isOwned = (id: string, value?: unknown): boolean =>
    own.isOwned(id, value) || others.some((other) => other.isModeSpecific(id))
  return { ...own, isOwned, isLookalike: (id) => (own.isLookalike?.(id) ?? false) && !isOwned(id) }
}
