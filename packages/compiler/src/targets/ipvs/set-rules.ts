import type { IpFamily } from '@kube-rules/types'
import type { Match, Rule, SetMatch, Target } from '../../dataplane/iptables/ast.js'
import type { Features } from '../../model/configuration/features.js'
import { createCommentMatch } from '../shared/match.js'
import { commentOfSet, kernelSetNameOf, type SetName } from './sets.js'

/** The inputs that rules with set matches depend on. */
export interface SetContext {
  readonly family: IpFamily
  readonly features: Features
  /** The non-empty sets. */
  readonly nonEmptySets: ReadonlySet<SetName>
}

/** The packet fields that a set lookup compares: `dst,dst` means destination address and destination port. */
export type SetDirections = SetMatch['directions']

/** Returns `-m set --match-set NAME DIRECTIONS`. */
export function createSetMatch(set: SetName, directions: SetDirections, { family, features }: SetContext): SetMatch {
  return { kind: 'set', name: kernelSetNameOf(set, family, features), directions, negated: false }
}

/** Returns the set match, preceded by the comment of the set. */
export function createSetMatchWithComment(
  set: SetName,
  directions: SetDirections,
  context: SetContext,
): readonly Match[] {
  return [createCommentMatch(commentOfSet(set)), createSetMatch(set, directions, context)]
}

/** Returns the given rules if the set is non-empty; otherwise an empty list. */
export function createRulesOfNonEmptySet(
  set: SetName,
  { nonEmptySets }: SetContext,
  rules: readonly Rule[],
): readonly Rule[] {
  return nonEmptySets.has(set) ? rules : []
}

/** Returns the rule for packets that match a set, with the comment of the set. If the set is empty, returns no rule. */
export function createSetRules(
  chain: string,
  set: SetName,
  directions: SetDirections,
  target: Target,
  context: SetContext,
): readonly Rule[] {
  const matches = createSetMatchWithComment(set, directions, context)
  return createRulesOfNonEmptySet(set, context, [createRule(chain, matches, target)])
}

/**
 * Returns the rules that check source ranges. Packets to load-balancer IPs with source ranges go from the chain `from`
 * to the chain `to`, and return from there if their source is permitted. All other packets get the target `refusal`.
 */
export function createSourceRangeRules(
  from: string,
  to: string,
  refusal: Target,
  context: SetContext,
): readonly Rule[] {
  return [
    ...createSetRules(from, 'KUBE-LOAD-BALANCER-FW', ['dst', 'dst'], createJumpTarget(to), context),
    ...createSetRules(to, 'KUBE-LOAD-BALANCER-SOURCE-CIDR', ['dst', 'dst', 'src'], RETURN_TARGET, context),
    ...createSetRules(to, 'KUBE-LOAD-BALANCER-SOURCE-IP', ['dst', 'dst', 'src'], RETURN_TARGET, context),
    createRule(to, [], refusal),
  ]
}

export function createRule(chain: string, matches: readonly Match[], target: Target): Rule {
  return { chain, matches, target }
}

export function createJumpTarget(chain: string): Target {
  return { kind: 'jump', chain }
}

export const ACCEPT_TARGET: Target = { kind: 'accept' }
export const DROP_TARGET: Target = { kind: 'drop' }
export const RETURN_TARGET: Target = { kind: 'return' }
