import type { HookPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import type { Rule, Selector } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { evaluateMatch, type SetLookup } from './match.js'
import { evaluateSelector } from './selector-value.js'

/**
 * Reports whether the first matches of a rule exclude a packet by fields other than its source and interface. The
 * source and interface matches of such a rule must not be recorded in a read set. Otherwise, they would divide sources
 * into classes with the same results.
 */
export function cannotMatch({ statements }: Rule, passage: HookPacket, sets: SetLookup): boolean {
  for (const statement of statements) {
    if (statement.kind !== 'match') return false
    const { left } = statement
    if (left.some((selector) => evaluateSelector(selector, passage) === 'absent')) return true
    if (!left.some(dividesSources) && evaluateMatch(statement, passage, sets) === 'no') return true
  }
  return false
}

function dividesSources(selector: Selector): boolean {
  switch (selector.kind) {
    case 'payload':
      return selector.field === 'saddr'
    case 'meta':
      return selector.key === 'iifname' || selector.key === 'iif'
    case 'fib':
      return selector.flags.includes('saddr')
    case 'ct':
    case 'numgen':
      return false
  }
}
