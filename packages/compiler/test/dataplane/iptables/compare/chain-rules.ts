import type { Rule, Target } from '../../../../src/dataplane/iptables/ast.js'
import type { ChainRule, ExpectedRule } from '../../../../src/dataplane/iptables/compare/align-chain.js'
import { compareRules } from '../../../../src/dataplane/iptables/compare/compare-rules.js'
import { serializeValue } from '../../../../src/internal/plain-data.js'

export const ACCEPT: Target = { kind: 'accept' }
export const RETURN: Target = { kind: 'return' }

/** Builds a rule with these comments as its matches. */
export function rule(comments: readonly string[], target?: Target): Rule {
  return { chain: 'C', matches: comments.map((text) => ({ kind: 'comment', text })), ...(target && { target }) }
}

export function chainRule(of: Rule): ChainRule {
  return { rule: of, key: serializeValue(of) }
}

function expectedRule(of: Rule): ExpectedRule {
  return { ...chainRule(of), owner: '', group: '' }
}

export function compare(live: readonly Rule[], target: readonly Rule[], isOfOne = false) {
  return compareRules(live.map(chainRule), target.map(expectedRule), () => isOfOne)
}
