import { describe, expect, it } from 'vitest'
import type { Rule } from '../../../../src/dataplane/iptables/ast.js'
import type { ChainRule } from '../../../../src/dataplane/iptables/compare/align-chain.js'
import type { RuleDifference } from '../../../../src/dataplane/iptables/compare/compare-rules.js'
import { ACCEPT, compare, RETURN, rule } from './chain-rules.js'

const [A, B, C] = ['a', 'b', 'c'].map((name) => rule([name], ACCEPT)) as [Rule, Rule, Rule]

/** Formats a difference as its kind and the comments of the actual or expected rule. */
function summaryOf(difference: RuleDifference<ChainRule>): string {
  const of = 'found' in difference ? difference.found.rule : difference.expected.rule
  return `${difference.kind} ${of.matches.map((match) => (match.kind === 'comment' ? match.text : '')).join('+')}`
}

function extraText(of: string | Rule): string {
  return typeof of === 'string'
    ? of
    : `extra ${of.matches.map((match) => (match.kind === 'comment' ? match.text : '')).join('+')}`
}

describe('the comparison of rules', () => {
  it.each<[string, readonly Rule[], readonly Rule[], readonly string[]]>([
    ['nothing for equal rules', [A, B], [A, B], []],
    ['a missing rule', [A, C], [A, B, C], ['missing b']],
    ['an extra rule', [A, B, C], [A, C], ['extra b']],
    [
      'two drift items for a rule with other matches and another target',
      [A],
      [rule(['b'], RETURN)],
      ['missing b', 'extra a'],
    ],
    ['two drift items for a rule with other matches and the same general target', [A], [B], ['missing b', 'extra a']],
    ['a rule with another target as changed', [A], [rule(['a'], RETURN)], ['changed a']],
    ['a rule with an additional match as changed', [A], [rule(['a', 'more'], ACCEPT)], ['changed a']],
    ['extra rules before a changed rule', [B, C, A], [rule(['a'], RETURN)], ['extra b', 'extra c', 'changed a']],
    ['a rule in another position as misplaced', [A, B, C], [B, C, A], ['misplaced a']],
  ])('reports %s', (_, live, target, expected) => {
    expect(compare(live, target).map(summaryOf)).toEqual(expected)
  })

  it('pairs rules with the same unique target even if their comments differ', () => {
    expect(compare([A], [B], true).map(summaryOf)).toEqual(['changed a'])
    expect(compare([rule(['a'])], [rule(['b'])], true).map(summaryOf)).toEqual(['missing b', 'extra a'])
  })

  it('searches only the next eight rules for a changed form of the rule', () => {
    const others = 'defghijk'.split('').map((name) => rule([name], ACCEPT))
    const changed = rule(['a'], RETURN)
    expect(compare([...others.slice(1), A], [changed]).map(summaryOf)).toContain('changed a')
    expect(compare([...others, A], [changed]).map(summaryOf)).toEqual(['missing a', ...others, A].map(extraText))
  })
})
