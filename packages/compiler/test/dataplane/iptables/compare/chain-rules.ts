import type { Rule, Verdict } from '../../../../src/dataplane/iptables/ast.js'
import type { ChainRule, WantedRule } from '../../../../src/dataplane/iptables/compare/align-chain.js'
import { compareRules } from '../../../../src/dataplane/iptables/compare/compare-rules.js'
import { valueText } from '../../../../src/patch/resource.js'

export const ACCEPT: Verdict = { kind: 'accept' }
export const RETURN: Verdict = { kind: 'return' }

/** Builds a rule with these comments as its matches. */
export function rule(comments: readonly string[], verdict?: Verdict): Rule {
  return { chain: 'C', matches: comments.map((text) => ({ kind: 'comment', text })), ...(verdict && { verdict }) }
}

export function chainRule(of: Rule): ChainRule {
  return { rule: of, key: valueText(of) }
}

function wantedRule(of: Rule): WantedRule {
  return { ...chainRule(of), owner: '', group: '' }
}

export function compare(live: readonly Rule[], target: readonly Rule[], isOfOne = false) {
  return compareRules(live.map(chainRule), target.map(wantedRule), () => isOfOne)
}
