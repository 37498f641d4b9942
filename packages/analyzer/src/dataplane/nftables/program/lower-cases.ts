import type { Element } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { formatNftRule } from '@kube-rules/compiler/internal/dataplane/nftables/format-nft-rule'
import { conditionOfRule } from '../../../program/assumptions.js'
import { isNever } from '../../../program/literals.js'
import type { Instruction, Literal } from '../../../program/program.js'
import { restrictRuleToElement } from '../rule-with-element.js'
import { type Clause, type KeyPart, needsOfKey } from './clause.js'
import { matchKey } from './lower-comparison.js'
import { fieldOf } from './lower-lookup.js'
import { lowerMatch } from './lower-match.js'
import { lowerNeeds } from './lower-needs.js'
import { type RuleScope, verdictEffects } from './rule-scope.js'
import { createRuleStep } from './rule-step.js'

/** The maximum number of elements that become instructions of their own. */
const MAX_CASES = 64

/**
 * Lowers a verdict map with a key that is not a field of the packet, such as `ct state vmap { … }`: one instruction for each
 * element. A packet has only one of the values. Undefined for any other rule.
 */
export function lowerCases(clauses: readonly Clause[], scope: RuleScope): readonly Instruction[] | undefined {
  const at = clauses.findIndex(({ kind }) => kind === 'dispatch')
  const dispatch = clauses[at]
  if (dispatch?.kind !== 'dispatch') return undefined
  const { key, map } = dispatch.lookup
  const elements = map.kind === 'anonymous' ? map.elements : scope.sets.find(map.set)?.elements
  if (elements === undefined || elements.length > MAX_CASES || !key.some(needsCases)) return undefined
  const matches = literalsBefore(clauses.slice(0, at), scope)
  if (matches === undefined || key.some(({ kind }) => kind === 'generated')) return undefined
  if (elements.some(({ verdict }) => verdict === undefined)) return undefined
  const shared = [...matches, ...lowerNeeds(needsOfKey(key), scope)]
  return elements.flatMap((element) =>
    lowerCase(dispatch, element, [...shared, matchKey(key, element.key, scope)], scope),
  )
}

function needsCases(part: KeyPart): boolean {
  return fieldOf(part) === 'unknown' || fieldOf(part) === 'inInterface'
}

/** Returns the literals of matches. Undefined if other statements, or matches without a certain result, are among them. */
function literalsBefore(clauses: readonly Clause[], scope: RuleScope): readonly Literal[] | undefined {
  const literals: Literal[] = []
  for (const clause of clauses) {
    if (clause.kind === 'pass') literals.push(...lowerNeeds(clause.needs, scope))
    else if (clause.kind === 'comparison') literals.push(...lowerMatch(clause, scope))
    else return undefined
  }
  return literals.some(({ kind }) => kind === 'unknown' || kind === 'chance') ? undefined : literals
}

function lowerCase(
  dispatch: Clause,
  element: Element,
  literals: readonly Literal[],
  scope: RuleScope,
): readonly Instruction[] {
  if (element.verdict === undefined || literals.some(isNever)) return []
  const step = createRuleStep(scope, dispatch, element)
  return [
    {
      literals,
      effects: [{ kind: 'step', step }, ...verdictEffects(element.verdict, scope)],
      condition: () => conditionOfRule(`nftables ${formatNftRule(restrictRuleToElement(scope.rule, element))}`),
    },
  ]
}
