import type { Verdict } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { tokenize } from '@kube-rules/compiler/internal/dataplane/iptables/parse/tokenizer'
import type { LineEffect } from '../netfilter/line-effect.js'
import { parseRule } from './parse/parse-rule.js'

/** What a rule does with packets, given as iptables-save prints it (`-A KUBE-SERVICES …`). */
export function effectOf(line: string): LineEffect {
  const verdict = verdictOf(line)
  return {
    refuses: verdict?.kind === 'reject' || verdict?.kind === 'drop',
    sendsTo: verdict?.kind === 'dnat' ? [verdict.destination] : [],
    takesNoMore: false,
    rule: line,
  }
}

/** None of a line that is no rule. */
function verdictOf(line: string): Verdict | undefined {
  const tokens = tokenize(line, 0, line.length)
  const [append, chain, ...words] = tokens.ok ? tokens.words : []
  if (append !== '-A' || chain === undefined) return undefined
  // Addresses of either family can be read: what is asked of packets does not count.
  const parsed = parseRule(chain, { raw: words, at: 0 }, { family: 'IPv4', chains: new Set<string>() })
  return parsed.ok ? parsed.rule.verdict : undefined
}
