import { assuming, type Branch, weighed } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { packetKey } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import type { Knowledge } from '@kube-rules/compiler/internal/dataplane/netfilter/knowledge'
import type { Truth } from '@kube-rules/compiler/internal/dataplane/netfilter/truth'
import { complement, type Fraction, fractionText } from '@kube-rules/compiler/internal/internal/fraction'
import { assumingLocal, knownOn } from './locality.js'
import { partBySource } from './part-by-source.js'
import { type Ran, type RanRule, stuck, TOO_MANY, waysOf } from './ran.js'

/** The match criteria of a rule. */
export interface Condition {
  /** Returns the result of the match on a path, or its probability. */
  readonly holdsOn: (branch: Branch) => Truth | Fraction
  /** What to ask where it cannot be determined: `iptables nat -A … matches`. */
  readonly question: () => string
  readonly knowledge: Knowledge
}

type Take = (branch: Branch) => readonly Ran[]

/** Forks a path by a condition: paths with a match continue with `take`, the rest continue at the next rule. */
export function runWhere(condition: Condition, branch: Branch, take: Take): RanRule {
  if (branch.packet.alike === undefined) return runTold(condition, branch, condition.holdsOn(branch), take)
  const parts = partBySource(branch, condition.holdsOn, textOf)
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return runTold(condition, only.way, only.told, take)
  return parts.flatMap(({ way, told }) => waysOf(runTold(condition, way, told, take), way))
}

/** Returns a key of a result; undefined for an unknown one, which is evaluated per source. */
function textOf(result: Truth | Fraction): string | undefined {
  if (typeof result !== 'string') return fractionText(result)
  return result === 'unknown' ? undefined : result
}

function runTold(condition: Condition, branch: Branch, result: Truth | Fraction, take: Take): RanRule {
  if (result === 'no') return 'passed'
  if (result === 'yes') return take(branch)
  if (result !== 'unknown') return runByChance(result, branch, take)
  if (branch.effort.questions-- <= 0) return [stuck(branch, TOO_MANY)]
  const parted = partByAddress(condition, branch)
  if (parted !== undefined) return parted.flatMap((way) => waysOf(runWhere(condition, way, take), way))
  return runWhereUnknown(condition, branch, take)
}

function runByChance(chance: Fraction, branch: Branch, take: Take): readonly Ran[] {
  const rest = complement(chance)
  if (rest.numerator === 0) return take(branch)
  const passed: Ran = { branch: weighed(branch, rest), exit: 'rule' }
  return chance.numerator === 0 ? [passed] : [...take(weighed(branch, chance)), passed]
}

/**
 * Forks a path by the locality of an address if this makes the condition decidable. Locality is easier for users to
 * determine than a rule match. Undefined if no address is of unknown locality.
 */
function partByAddress({ holdsOn, knowledge }: Condition, branch: Branch): readonly Branch[] | undefined {
  const { isLocal } = knownOn(branch, knowledge)
  for (const address of [branch.packet.destination, branch.packet.source]) {
    if (isLocal(address) !== 'unknown') continue
    const parted = [assumingLocal(branch, address, true), assumingLocal(branch, address, false)]
    if (parted.some((way) => holdsOn(way) !== 'unknown')) return parted
  }
  return undefined
}

/** Forks a path by an unknown condition, unless both results are equal. */
function runWhereUnknown({ question }: Condition, branch: Branch, take: Take): readonly Ran[] {
  const what = newQuestion(question(), branch)
  const taken = take(assuming(branch, what, true))
  const key = packetKey(branch.packet)
  const isSame = taken.every((ran) => ran.exit === 'rule' && packetKey(ran.branch.packet) === key)
  if (isSame) return [{ branch, exit: 'rule' }]
  return [...taken, { branch: assuming(branch, what, false), exit: 'rule' }]
}

/**
 * Returns a distinct condition for a rule that a packet reaches again, because the packet, or a counter, may have
 * changed.
 */
function newQuestion(what: string, branch: Branch): string {
  return branch.assumptions.some((each) => each.what === what) ? newQuestion(`${what} again`, branch) : what
}
