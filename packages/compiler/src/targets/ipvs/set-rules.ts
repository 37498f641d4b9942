import type { IpFamily } from '@kube-rules/types'
import type { Match, Rule, SetMatch, Target } from '../../dataplane/iptables/ast.js'
import type { Features } from '../../model/configuration/features.js'
import { comment } from '../shared/match.js'
import { kernelSetName, type SetName, setComment } from './sets.js'

/** The inputs of rules about sets. */
export interface SetContext {
  readonly family: IpFamily
  readonly features: Features
  /** The non-empty sets. */
  readonly filled: ReadonlySet<SetName>
}

/** The packet fields of a set lookup: `dst,dst` is destination address and port. */
export type Directions = SetMatch['directions']

/** Returns `-m set --match-set NAME DIRECTIONS`. */
export function inSet(set: SetName, directions: Directions, { family, features }: SetContext): SetMatch {
  return { kind: 'set', name: kernelSetName(set, family, features), directions, negated: false }
}

/** Returns the set match, preceded by the comment of the set. */
export function inNamedSet(set: SetName, directions: Directions, context: SetContext): readonly Match[] {
  return [comment(setComment(set)), inSet(set, directions, context)]
}

/** Returns the rules if the set is non-empty. */
export function whenNonEmpty(set: SetName, { filled }: SetContext, rules: readonly Rule[]): readonly Rule[] {
  return filled.has(set) ? rules : []
}

export function rule(chain: string, matches: readonly Match[], target: Target): Rule {
  return { chain, matches, target }
}

export function jumpTo(chain: string): Target {
  return { kind: 'jump', chain }
}

export const ACCEPT: Target = { kind: 'accept' }
export const DROP: Target = { kind: 'drop' }
export const RETURN: Target = { kind: 'return' }
