import { expect, it } from 'vitest'
import type { DriftItem } from '../../../../src/dataplane/comparison.js'
import { combineMovedRules } from '../../../../src/dataplane/iptables/compare/compare-iptables.js'

const ownership = {
  isOwned: () => true,
  reasonOf: (kind: string, items: object) => `${kind} ${JSON.stringify(items)}`,
}

const toX = { jumpsTo: 'X' }
const one = { kind: 'rule', table: 'nat', chain: 'ONE', expected: toX } as const
const two = { kind: 'rule', table: 'nat', chain: 'TWO', found: toX } as const
const missing: DriftItem = {
  ...{ owner: 'a', location: 'nat/ONE', part: one, kind: 'missing', expected: '-A ONE -j X', reason: '' },
}
const extra: DriftItem = {
  ...{ owner: 'a', location: 'nat/TWO', part: two, kind: 'extra', found: '-A TWO -j X', reason: '' },
}

it('combineMovedRules combines equal missing and extra rules into one misplaced rule', () => {
  const others: readonly DriftItem[] = [{ ...extra, found: '-A TWO -j Y' }]
  const chains = ['ONE', 'TWO'].map((chain) => ({ kind: 'chain', table: 'nat', chain }))
  const reason = `misplaced ${JSON.stringify({ expected: chains[0], found: chains[1] })}`
  expect(combineMovedRules([extra, ...others, missing], ownership)).toEqual([
    ...others,
    { ...missing, part: { ...one, found: toX }, kind: 'misplaced', found: extra.found, reason },
  ])
})

it.each<[string, readonly DriftItem[]]>([
  ['with different owners', [missing, { ...extra, owner: 'b' }]],
  ['with different texts', [missing, { ...extra, found: '-A TWO -j Y' }]],
  ['if the extra rule is a changed rule', [missing, { ...extra, kind: 'changed', expected: '-A TWO -j Z' }]],
  ['if the missing rule is a changed rule', [{ ...missing, kind: 'changed', found: '-A ONE -j Z' }, extra]],
  ['if the extra item is a whole chain', [missing, { ...extra, part: { kind: 'chain', table: 'nat', chain: 'TWO' } }]],
])('combineMovedRules does not combine a missing rule and an extra rule %s', (_, findings) => {
  expect(combineMovedRules(findings, ownership)).toEqual(findings)
})
