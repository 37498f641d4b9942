import { DROPPED_VERDICT, type HookVerdict, NEXT_VERDICT, type PathState } from './path-state.js'
import type { Effect } from './program.js'

/**
 * A path after an instruction or chain: it continues at the next instruction, returns to the calling chain, or leaves
 * the base chain.
 */
export interface ChainResult {
  readonly path: PathState
  readonly exit: Exit
}

export type Exit = 'instruction' | 'chain' | HookVerdict

/** The reason for the end of a path if following it would take too much work. */
export const TOO_MANY_PATHS = 'too many rules may or may not match'

/** Ends a path that cannot be followed. */
export function endPathAsUnknown(path: PathState, reason: string): ChainResult {
  return { path, exit: { kind: 'unknown', reason } }
}

/** Returns a path that continues at the next instruction. */
export function continueInChain(path: PathState): ChainResult {
  return { path, exit: 'instruction' }
}

/** Returns the path after a jump. A path that reaches the end of the called chain continues after the jump. */
export function returnFromChain(result: ChainResult): ChainResult {
  return result.exit === 'chain' ? continueInChain(result.path) : result
}

/** An effect that ends the path or the chain, and does nothing else. */
export type VerdictEffect = Extract<Effect, { readonly kind: 'accept' | 'drop' | 'reject' | 'return' }>

export function exitOfVerdict(effect: VerdictEffect): Exit {
  switch (effect.kind) {
    case 'accept':
      return NEXT_VERDICT
    case 'drop':
      return DROPPED_VERDICT
    case 'reject':
      return { kind: 'rejected', with: effect.with }
    case 'return':
      return 'chain'
  }
}

/** Reports whether two exits are the same. */
export function areExitsEqual(a: Exit, b: Exit): boolean {
  if (a === b) return true
  if (typeof a === 'string' || typeof b === 'string' || a.kind !== b.kind) return false
  if (a.kind === 'rejected') return b.kind === 'rejected' && a.with === b.with
  return a.kind !== 'unknown' || (b.kind === 'unknown' && a.reason === b.reason)
}
