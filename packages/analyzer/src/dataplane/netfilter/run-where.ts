import { assuming, type Branch, weighed } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { packetKey } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import type { Knowledge } from '@kube-rules/compiler/internal/dataplane/netfilter/knowledge'
import type { Truth } from '@kube-rules/compiler/internal/dataplane/netfilter/truth'
import { complement, type Fraction, fractionText } from '@kube-rules/compiler/internal/internal/fraction'
import { assumingLocal, knownOn } from './locality.js'
import { partBySource } from './part-by-source.js'
import { type Ran, type RanRule, stuck, TOO_MANY, waysOf } from './ran.js'

/** What a rule asks of a packet. */
export interface Condition {
  /** Whether it holds on a way, or how likely it is. */
  readonly holdsOn: (branch: Branch) => Truth | Fraction
  /** What to ask where it cannot be told: `iptables nat -A … matches`. */
  readonly question: () => string
  readonly knowledge: Knowledge
}

type Take = (branch: Branch) => readonly Ran[]

/** The ways on which a condition holds, as `take` leads them on, and those on which it does not, which go on to the next rule. */
export function runWhere(condition: Condition, branch: Branch, take: Take): RanRule {
  if (branch.packet.alike === undefined) return runTold(condition, branch, condition.holdsOn(branch), take)
  const parts = partBySource(branch, condition.holdsOn, textOf)
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return runTold(condition, only.way, only.told, take)
  return parts.flatMap(({ way, told }) => waysOf(runTold(condition, way, told, take), way))
}

/** What cannot be told is asked of each source by itself. */
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
 * The ways on which an address is the node's own and on which it is not, where the condition can be told of one of them:
 * that is easier to answer than whether a rule matches. Undefined where no address is in question.
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

/** Both ways, unless they come to the same. */
function runWhereUnknown({ question }: Condition, branch: Branch, take: Take): readonly Ran[] {
  const what = newQuestion(question(), branch)
  const taken = take(assuming(branch, what, true))
  const key = packetKey(branch.packet)
  const isSame = taken.every((ran) => ran.exit === 'rule' && packetKey(ran.branch.packet) === key)
  if (isSame) return [{ branch, exit: 'rule' }]
  return [...taken, { branch: assuming(branch, what, false), exit: 'rule' }]
}

/** Of a rule that a packet meets once more, another question: the packet may have changed since, or what is counted of it. */
function newQuestion(what: string, branch: Branch): string {
  return branch.assumptions.some((each) => each.what === what) ? newQuestion(`${what} again`, branch) : what
}
