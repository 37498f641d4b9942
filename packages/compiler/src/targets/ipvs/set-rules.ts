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

export function createRule(chain: string, matches: readonly Match[], target: Target): Rule {
  return { chain, matches, target }
}

export function createJumpTarget(chain: string): Target {
  return { kind: 'jump', chain }
}

export const ACCEPT_TARGET: Target = { kind: 'accept' }
export const DROP_TARGET: Target = { kind: 'drop' }
export const RETURN_TARGET: Target = { kind: 'return' }
