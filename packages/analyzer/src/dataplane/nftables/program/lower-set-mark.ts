import { formatNftRule } from '@kube-rules/compiler/internal/dataplane/nftables/format-nft-rule'
import { UNKNOWN } from '../../../program/literals.js'
import type { Effect } from '../../../program/program.js'
import { type Clause, type MapLookup, type MarkOwner, needsOfKey } from './clause.js'
import { mapElementOf } from './lower-elements.js'
import { lowerLookup } from './lower-lookup.js'
import { chooseMark, forgetMark, markEffects, markOfData } from './lower-mark.js'
import { lowerNeeds } from './lower-needs.js'
import type { RuleScope } from './rule-scope.js'
import { before, effectsOfTail, isWithoutEffect, type Tail } from './tail.js'

/** Lowers a statement that sets a mark; `rest` are the statements after it. */
export function lowerSetMark(clause: Clause & { readonly kind: 'setMark' }, rest: Tail, scope: RuleScope): Tail {
  const { of, value } = clause
  // A packet without a connection keeps its mark, and the rule continues.
  if (of === 'connection' && scope.stage === 'beforeTrackingInOutput') return rest
  switch (value.kind) {
    case 'bits': {
      const needs = of === 'packet' && value.from === 'connection' ? lowerNeeds([{ kind: 'connection' }], scope) : []
      return { ...before(markEffects(of, value), rest), literals: needs }
    }
    case 'unknown':
      return { ...before([forgetMark(of)], rest), literals: lowerNeeds(value.needs, scope) }
    case 'generated': {
      const literals = lowerNeeds(value.part.needs, scope)
      return { literals, effects: chooseMark(of, value, effectsOfTail(rest)) }
    }
    case 'map':
      return lowerMarkOfMap(of, value.lookup, rest, scope)
  }
}

/** Lowers a mark from a map. If the element is unknown, the packet continues without a known mark. */
function lowerMarkOfMap(of: MarkOwner, lookup: MapLookup, rest: Tail, scope: RuleScope): Tail {
  const effects = effectsOfTail(rest)
  const forgotten = [forgetMark(of), ...effects]
  const dispatch: Effect = {
    kind: 'dispatch',
    ...lowerLookup(lookup, scope, scope.sets),
    effectsOf: (element) => [markOfData(of, mapElementOf(element).data), ...effects],
    unknownReason: () => `the mark of ${formatNftRule(scope.rule)} cannot be determined`,
    ifUnknown: isWithoutEffect(rest) ? forgotten : [{ kind: 'require', literals: [UNKNOWN] }, ...forgotten],
  }
  return { literals: lowerNeeds(needsOfKey(lookup.key), scope), effects: [dispatch] }
}
