import type { Element } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { formatNftRule } from '@kube-rules/compiler/internal/dataplane/nftables/format-nft-rule'
import type { Effect } from '../../../program/program.js'
import { type Clause, type MapLookup, needsOfKey, type TranslateClause } from './clause.js'
import { mapElementOf } from './lower-elements.js'
import { lowerGeneratedLookup } from './lower-generated.js'
import { lowerLookup } from './lower-lookup.js'
import { lowerNeeds } from './lower-needs.js'
import { translationEffect, translationToData } from './lower-translation.js'
import { type RuleScope, stepEffect, verdictEffects } from './rule-scope.js'
import type { Tail } from './tail.js'

/** Lowers a translation at the end of a rule. */
export function lowerTranslation(clause: Clause & TranslateClause, scope: RuleScope): Tail {
  const { to, statement } = clause
  const conditionOf = (address: string) => `nftables ${formatNftRule(scope.rule)} selects ${address}`
  const effect = translationEffect(clause, scope.family, conditionOf)
  if (effect !== undefined) return { literals: [], effects: [stepEffect(clause, scope), effect] }
  if (to.kind !== 'map') return { literals: [], effects: [unknownTranslation(scope)] }
  const effectsOf = (element: Element): readonly Effect[] => {
    const translated = translationToData(statement, element.data)
    return translated === undefined ? [unknownTranslation(scope)] : [stepEffect(clause, scope, element), translated]
  }
  return lowerMapLookup(to.lookup, effectsOf, unknownTranslation(scope), scope)
}

function unknownTranslation({ rule }: RuleScope): Effect & { readonly kind: 'unknown' } {
  return { kind: 'unknown', reason: `the destination of ${formatNftRule(rule)} cannot be determined` }
}

/** Lowers a verdict map at the end of a rule. */
export function lowerDispatch(clause: Clause & { readonly kind: 'dispatch' }, scope: RuleScope): Tail {
  const effectsOf = (element: Element): readonly Effect[] => {
    const { key, verdict } = element
    if (verdict === undefined) return [{ kind: 'unknown', reason: `${key} has no verdict` }]
    return [stepEffect(clause, scope, element), ...verdictEffects(verdict, scope)]
  }
  const reason = `the matching element of ${formatNftRule(scope.rule)} cannot be determined`
  return lowerMapLookup(clause.lookup, effectsOf, { kind: 'unknown', reason }, scope)
}

/** Lowers a lookup in a map at the end of a rule. Without a matching element, the packet continues at the next rule. */
function lowerMapLookup(
  lookup: MapLookup,
  effectsOf: (element: Element) => readonly Effect[],
  unknown: Effect & { readonly kind: 'unknown' },
  scope: RuleScope,
): Tail {
  const { key, map } = lookup
  const literals = lowerNeeds(needsOfKey(key), scope)
  const [part] = key
  if (part?.kind === 'generated' && key.length === 1) {
    const elements = map.kind === 'anonymous' ? map.elements : scope.sets.find(map.set)?.elements
    const conditionOf = (element: Element | undefined) =>
      `nftables ${formatNftRule(scope.rule)} selects ${element === undefined ? 'no element' : element.key}`
    const effect = elements && lowerGeneratedLookup(part, elements, { effectsOf, conditionOf })
    return { literals, effects: [effect ?? unknown] }
  }
  const { fields, elements } = lowerLookup(lookup, scope, scope.sets)
  const dispatch: Effect = {
    kind: 'dispatch',
    fields,
    elements,
    effectsOf: (element) => effectsOf(mapElementOf(element)),
    unknownReason: () => unknown.reason,
  }
  return { literals, effects: [dispatch] }
}
