import type { Custody } from '../dataplane/comparison.js'
import type { NodeState, Subsystem } from '../dataplane/node-state.js'
import type { PlanFrame } from '../plan/plan.js'
import { type CompiledMode, PROXY_MODES } from '../targets/modes.js'
import { OWNERSHIP } from './ownerships.js'

/** Custody without regard to what its states and items are. */
export type AnyCustody = Custody<unknown, unknown>

/**
 * Whose things are in a language of the mode that is wanted: also what any other mode may have left behind is ours. Undefined
 * where the mode does not have the language.
 */
export function custodyIn(name: Subsystem, mode: CompiledMode, frame: PlanFrame): AnyCustody | undefined {
  const own = ownCustody(name, mode, frame)
  return own && withOtherModes(own, mode)
}

/**
 * The same where a node is to hold nothing else of kube-proxy: what kube-proxy itself leaves for a while goes, too, and what other
 * modes have in a language that the wanted mode does without.
 */
export function strictCustodyIn(
  name: Subsystem,
  mode: CompiledMode,
  frame: PlanFrame,
  live: NodeState,
): AnyCustody | undefined {
  const own = custodyIn(name, mode, frame) ?? custodyOfOthers(name, mode, frame, live)
  if (own === undefined) return undefined
  return { ...own, isOurs: (id, value) => own.isOurs(id, value) || (own.isLeftForAWhile?.(id, value) ?? false) }
}

function ownCustody(name: Subsystem, mode: CompiledMode, frame: PlanFrame): AnyCustody | undefined {
  // Each language has its own types, which only it knows.
  return OWNERSHIP[mode].custody(frame)[name] as AnyCustody | undefined
}

/** That of the first other mode with the language; nothing is ours where no mode shows that it was in force. */
function custodyOfOthers(
  name: Subsystem,
  mode: CompiledMode,
  frame: PlanFrame,
  live: NodeState,
): AnyCustody | undefined {
  const [other] = PROXY_MODES.filter((each) => each !== mode && ownCustody(name, each, frame) !== undefined)
  if (other === undefined) return undefined
  const custody = ownCustody(name, other, frame)
  if (custody === undefined) return undefined
  const wasInForce = OWNERSHIP[other].leavesTraces?.(live) ?? true
  return wasInForce ? withOtherModes(custody, other) : { ...custody, isOurs: () => false }
}

function withOtherModes(own: AnyCustody, mode: CompiledMode): AnyCustody {
  const others = PROXY_MODES.filter((other) => other !== mode).map((other) => OWNERSHIP[other])
  const isOurs = (id: string, value?: unknown): boolean =>
    own.isOurs(id, value) || others.some((other) => other.leavesBehind(id))
  return { ...own, isOurs, isStrange: (id) => (own.isStrange?.(id) ?? false) && !isOurs(id) }
}
