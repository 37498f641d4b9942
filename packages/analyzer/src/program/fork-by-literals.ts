import { complementOf, type Fraction } from '@kube-rules/compiler/internal/internal/fraction'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { withPathAssumptions } from './assumed-locality.js'
import { toDistinctCondition } from './assumptions.js'
import { type ChainResult, continueInChain, endPathAsUnknown, TOO_MANY_PATHS } from './chain-result.js'
import type { EffectContext } from './effect-context.js'
import { evaluateAll } from './evaluate-literal.js'
import { assumeLocality } from './locality.js'
import { createPathKey, type PathState, pathsOfDestinations, scaleWeight, withAssumption } from './path-state.js'
import type { Literal } from './program.js'
import { type RunContext, type Split, splitByLiterals } from './split-path.js'

/** Follows a path after a match. */
export type FollowMatch = (path: PathState) => readonly ChainResult[]

/** Forks a path by literals. If they are true, it continues with `followMatch`, otherwise at the next instruction. */
export function forkByLiterals(
  literals: readonly Literal[],
  path: PathState,
  context: EffectContext,
  followMatch: FollowMatch,
): readonly ChainResult[] {
  return splitByLiterals(path, literals, context.run).flatMap((split) =>
    forkSplit(split, literals, context, followMatch),
  )
}

/** Forks a path by the result of literals. */
export function forkSplit(
  { path, result }: Split,
  literals: readonly Literal[],
  context: EffectContext,
  followMatch: FollowMatch,
): readonly ChainResult[] {
  if (result === 'no') return [continueInChain(path)]
  if (result === 'yes') return followMatch(path)
  if (result !== 'unknown') return forkByChance(result, path, followMatch)
  if (path.sources !== undefined) return runOnSources(path, context.run, followMatch)
  if (context.run.budget.forks-- <= 0) return [endPathAsUnknown(path, TOO_MANY_PATHS)]
  const parted = partByAddress(literals, path, context.run)
  if (parted !== undefined) return parted.flatMap((part) => forkByLiterals(literals, part, context, followMatch))
  return forkByCondition(path, context, followMatch)
}

/** Forks a path by a random choice that has the probability `chance`. */
function forkByChance(chance: Fraction, path: PathState, followMatch: FollowMatch): readonly ChainResult[] {
  if (isTooLong(path.weight)) return [endPathAsUnknown(path, TOO_MANY_PATHS)]
  const rest = complementOf(chance)
  if (rest.numerator === 0) return followMatch(path)
  const passed = continueInChain(scaleWeight(path, rest))
  if (chance.numerator === 0) return [passed]
  const taken = followMatch(scaleWeight(path, chance))
  // A literal list is faster to create than a list with a spread element, and a pool may have thousands of endpoints.
  return taken.length === 1 ? [elementAt(taken, 0), passed] : [...taken, passed]
}

/** Reports whether a weight has so many bits that products with it take too long. */
function isTooLong({ denominator }: Fraction): boolean {
  return typeof denominator === 'bigint' && denominator >= MAX_DENOMINATOR
}

const MAX_DENOMINATOR = 2n ** 4096n

/**
 * Forks a path by whether an address is local, if this decides the literals. The address is the destination or, if the
 * destination does not help, the source. Users can check an address more easily than a rule. Undefined if neither
 * address decides.
 */
export function partByAddress(
  literals: readonly Literal[],
  path: PathState,
  { hook, facts }: Pick<RunContext, 'hook' | 'facts'>,
): readonly PathState[] | undefined {
  if (path.destinations !== undefined) return partEachByAddress(literals, path, { hook, facts })
  const { isLocal } = withPathAssumptions(path.assumptions, facts)
  const { source, isSourceUnknown, destination } = path.packet
  for (const address of isSourceUnknown ? [destination] : [destination, source]) {
    if (isLocal(address) !== 'unknown') continue
    const parted = [assumeLocality(path, address, true), assumeLocality(path, address, false)]
    const isKnown = ({ packet, assumptions }: PathState) =>
      evaluateAll(literals, packet, hook, withPathAssumptions(assumptions, facts)) !== 'unknown'
    if (parted.some(isKnown)) return parted
  }
  return undefined
}

function partEachByAddress(
  literals: readonly Literal[],
  path: PathState,
  run: Pick<RunContext, 'hook' | 'facts'>,
): readonly PathState[] | undefined {
  // Most paths have no address of unknown locality, and to create the path of each destination takes long.
  const { source, isSourceUnknown } = path.packet
  const addresses = (path.destinations ?? []).map(({ address }) => address)
  const { isLocal } = withPathAssumptions(path.assumptions, run.facts)
  const isKnown = (address: string) => isLocal(address) !== 'unknown'
  if ((isSourceUnknown || isKnown(source)) && addresses.every(isKnown)) return undefined
  const each = pathsOfDestinations(path)
  const parted = each.map((one) => partByAddress(literals, one, run))
  return parted.some((parts) => parts !== undefined)
    ? parted.flatMap((parts, at) => parts ?? [elementAt(each, at)])
    : undefined
}

/** Forks a path on an unknown condition. If the effects would leave the path unchanged, it is not forked. */
function forkByCondition(
  path: PathState,
  { run, condition }: EffectContext,
  followMatch: FollowMatch,
): readonly ChainResult[] {
  const what = toDistinctCondition(condition(), path.assumptions)
  const taken = followMatch(withAssumption(path, what, true))
  const key = createPathKey(path)
  if (taken.every((result) => result.exit === 'instruction' && createPathKey(result.path) === key)) {
    run.budget.forks++
    return [continueInChain(path)]
  }
  return [...taken, continueInChain(withAssumption(path, what, false))]
}

/** Follows packets of several sources both with and without a match. Each source is traced individually afterwards. */
function runOnSources(path: PathState, { budget }: RunContext, followMatch: FollowMatch): readonly ChainResult[] {
  if (budget.forks-- <= 0) return [endPathAsUnknown(path, TOO_MANY_PATHS)]
  const isKnown = path.assumptions.some(({ condition }) => condition === UNDECIDED)
  const undecided = isKnown ? path : withAssumption(path, UNDECIDED, true)
  return [...followMatch(undecided), continueInChain(undecided)]
}

const UNDECIDED = 'a rule cannot be evaluated'
