import type { Target } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { tokenize } from '@kube-rules/compiler/internal/dataplane/iptables/parse/tokenizer'
import type { LineEffect } from '../netfilter/line-effect.js'
import { parseRule } from './parse/parse-rule.js'

/** Returns the effect on packets of a rule in iptables-save format (`-A KUBE-SERVICES …`). */
export function effectOf(line: string): LineEffect {
  const target = targetOf(line)
  return {
    refuses: target?.kind === 'reject' || target?.kind === 'drop',
    sendsTo: target?.kind === 'dnat' ? [target.destination] : [],
    acceptsNoConnections: false,
    rule: line,
  }
}

/** Returns the target of a line; undefined if it is not a rule. */
function targetOf(line: string): Target | undefined {
  const tokens = tokenize(line, 0, line.length)
  const [append, chain, ...words] = tokens.ok ? tokens.words : []
  if (append !== '-A' || chain === undefined) return undefined
  // The family does not matter here, because only the target is used.
  const parsed = parseRule(chain, { raw: words, at: 0 }, { family: 'IPv4', chains: new Set<string>() })
  return parsed.ok ? parsed.rule.target : undefined
}
