import { type HandlerResult, type HookVerdict, type PathState, withVerdict } from './path-state.js'

/**
 * A path after a rule or chain: it continues at the next rule, returns to the calling chain, or leaves the base chain.
 */
export interface ChainResult {
  readonly branch: PathState
  readonly exit: 'rule' | 'chain' | HookVerdict
}

/** The reason for the end of a path if following it would take too much work. */
export const TOO_MANY_PATHS = 'too many rules may or may not match'

/** Ends a path that cannot be followed. */
export function endPathAsUnknown(branch: PathState, reason: string): ChainResult {
  return { branch, exit: { kind: 'unknown', reason } }
}

/** Returns a path that continues at the next rule. */
export function continueInChain(branch: PathState): ChainResult {
  return { branch, exit: 'rule' }
}

/** Returns the path after a jump. A path that reaches the end of the called chain continues at the rule after the jump. */
export function returnFromChain(ran: ChainResult): ChainResult {
  return ran.exit === 'chain' ? { branch: ran.branch, exit: 'rule' } : ran
}

/** Leaves a base chain. `atEnd` is applied to a path that reaches the end of the base chain without a verdict. */
export function leaveBaseChain(
  { branch, exit }: ChainResult,
  atEnd: (branch: PathState) => HandlerResult,
): HandlerResult {
  return typeof exit === 'string' ? atEnd(branch) : withVerdict(branch, exit)
}
