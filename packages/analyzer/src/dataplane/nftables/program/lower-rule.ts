import { formatNftRule } from '@kube-rules/compiler/internal/dataplane/nftables/format-nft-rule'
import { setsOfRule } from '@kube-rules/compiler/internal/dataplane/nftables/references'
import { conditionOfRule } from '../../../program/assumptions.js'
import { isNever, negate, UNKNOWN } from '../../../program/literals.js'
import type { Effect, Instruction, Literal } from '../../../program/program.js'
import type { Clause, MapLookup } from './clause.js'
import { lowerCases } from './lower-cases.js'
import { lowerDispatch, lowerTranslation } from './lower-map-end.js'
import { lowerMatch } from './lower-match.js'
import { lowerNeeds } from './lower-needs.js'
import { rejectionLiterals, rejectionOf } from './lower-rejection.js'
import { lowerSetMark } from './lower-set-mark.js'
import { isOfOtherFamily } from './lower-translation.js'
import { readRule } from './read-rule.js'
import { type RuleScope, stepEffect, verdictEffects } from './rule-scope.js'
import { createRuleStep, formatClause } from './rule-step.js'
import { before, type Tail } from './tail.js'

/** Lowers a rule. A rule that matches no packet has no instruction. */
export function lowerRule(scope: RuleScope): readonly Instruction[] {
  const clauses = readRule(scope.rule)
  const missing = scope.missingPartOf([...setsOfRule(scope.rule), ...clauses.flatMap(setsOfClause)])
  const condition = () => conditionOfRule(`nftables ${formatNftRule(scope.rule)}`)
  if (missing !== undefined) return lowerVariants(clauses, scope).map((tail) => ({ ...tail, condition, missing }))
  const cases = lowerCases(clauses, scope)
  if (cases !== undefined) return cases
  const possible = lowerVariants(clauses, scope).filter(({ literals }) => !literals.some(isNever))
  return possible.map((tail) => ({ ...tail, condition }))
}

/** Returns the names of the sets and maps that a statement looks up. */
function setsOfClause(clause: Clause): readonly string[] {
  switch (clause.kind) {
    case 'comparison':
      return clause.right.kind === 'named' ? [clause.right.set] : []
    case 'dispatch':
      return setsOfLookup(clause.lookup)
    case 'translate':
      return clause.to.kind === 'map' ? setsOfLookup(clause.to.lookup) : []
    case 'setMark':
      return clause.value.kind === 'map' ? setsOfLookup(clause.value.lookup) : []
    default:
      return []
  }
}

function setsOfLookup({ map }: MapLookup): readonly string[] {
  return map.kind === 'named' ? [map.set] : []
}

const SENT_BY_NODE: Literal = { kind: 'sentByNode' }

/**
 * Lowers the statements of a rule. In PREROUTING, `notrack` does nothing with a packet that the node sent to itself,
 * because such a packet has its connection since OUTPUT.
 */
function lowerVariants(clauses: readonly Clause[], scope: RuleScope): readonly Tail[] {
  const tail = lowerClauses(clauses, scope)
  if (scope.stage !== 'beforeTrackingInPrerouting' || !clauses.some(({ kind }) => kind === 'untrack')) return [tail]
  const tracking = lowerClauses(
    clauses.filter(({ kind }) => kind !== 'untrack'),
    scope,
  )
  return [
    { ...tail, literals: [negate(SENT_BY_NODE), ...tail.literals] },
    { ...tracking, literals: [SENT_BY_NODE, ...tracking.literals] },
  ]
}

function lowerClauses(clauses: readonly Clause[], scope: RuleScope): Tail {
  const effect = scope.stage === 'tracked' ? undefined : clauses.find(({ kind }) => kind === 'untrack')
  const end: Tail = { literals: [], effects: [{ kind: 'step', step: createRuleStep(scope, effect) }] }
  return clauses.reduceRight<Tail>((rest, clause, at) => {
    const isLast = at === clauses.length - 1
    return lowerClause(clause, rest, isLast, scope)
  }, end)
}

/** Lowers a statement; `rest` are the statements after it. */
function lowerClause(clause: Clause, rest: Tail, isLast: boolean, scope: RuleScope): Tail {
  switch (clause.kind) {
    case 'comparison':
      return { ...rest, literals: [...lowerMatch(clause, scope), ...rest.literals] }
    case 'pass':
      return { ...rest, literals: [...lowerNeeds(clause.needs, scope), ...rest.literals] }
    case 'unknownMatch':
      return { ...rest, literals: [...lowerNeeds(clause.needs, scope), UNKNOWN, ...rest.literals] }
    case 'untrack':
      return scope.stage === 'tracked' ? rest : before([{ kind: 'untrack' }], rest)
    case 'setMark':
      return lowerSetMark(clause, rest, scope)
    case 'verdict':
      return { literals: [], effects: [stepEffect(clause, scope), ...verdictEffects(clause.verdict, scope)] }
    case 'reject':
      return {
        literals: rejectionLiterals(clause.with, scope.family),
        effects: [stepEffect(clause, scope), { kind: 'reject', with: rejectionOf(clause.with, scope.family) }],
      }
    case 'translate':
      return isOfOtherFamily(clause, scope.family) ? rest : lowerTranslation(clause, scope)
    case 'dispatch':
      return lowerDispatch(clause, scope)
    case 'unknownEffect': {
      const literals = [...lowerNeeds(clause.needs, scope), ...(clause.mayMatch === true ? [UNKNOWN] : [])]
      return { literals, effects: [unknownEffect(clause)] }
    }
    case 'unread':
      return isLast
        ? { literals: [], effects: [unknownEffect(clause)] }
        : { ...rest, literals: [UNKNOWN, ...rest.literals] }
  }
}

function unknownEffect(clause: Clause): Effect {
  return { kind: 'unknown', reason: `the effect of ${formatClause(clause)} is unknown` }
}
