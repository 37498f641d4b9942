import { elementAt } from '../../../internal/known-items.js'
import { isDeepEqual } from '../../../patch/resource.js'
import type { Match, Rule, Target } from '../ast.js'

/**
 * Reports whether two lists contain equal rules, like `sameValue` but faster. It runs for every rule of a large
 * cluster. Nearly all rules consist of few kinds of matches and targets with a fixed set of fields.
 */
export function areRulesEqual(a: readonly Rule[], b: readonly Rule[]): boolean {
  return a.length === b.length && a.every((rule, index) => sameRule(rule, elementAt(b, index)))
}

function sameRule(a: Rule, b: Rule): boolean {
  return a.chain === b.chain && sameTarget(a.target, b.target) && sameMatches(a.matches, b.matches)
}

function sameMatches(a: readonly Match[], b: readonly Match[]): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (!sameMatch(elementAt(a, at), elementAt(b, at))) return false
  return true
}

function sameMatch(a: Match, b: Match): boolean {
  switch (a.kind) {
    case 'source':
    case 'destination':
      return a.kind === b.kind && a.address === b.address && a.negated === b.negated
    case 'protocol':
      return a.kind === b.kind && a.protocol === b.protocol && a.negated === b.negated
    case 'transport':
      return a.kind === b.kind && a.protocol === b.protocol
    case 'destinationPort':
      return a.kind === b.kind && a.first === b.first && a.last === b.last && a.negated === b.negated
    case 'comment':
      return a.kind === b.kind && a.text === b.text
    case 'statistic':
      return a.kind === b.kind && a.probability === b.probability && a.negated === b.negated
    default:
      return isDeepEqual(a, b)
  }
}

function sameTarget(a: Target | undefined, b: Target | undefined): boolean {
  if (a?.kind === 'jump') return b?.kind === 'jump' && a.chain === b.chain
  if (a?.kind === 'dnat') return b?.kind === 'dnat' && a.destination === b.destination
  return isDeepEqual(a, b)
}
