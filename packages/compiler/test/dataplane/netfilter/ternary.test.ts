import { expect, it } from 'vitest'
import { disjunctionOf, negateIf, type Ternary, toTernary } from '../../../src/dataplane/netfilter/ternary.js'

it.each([
  [true, 'yes'],
  [false, 'no'],
])('toTernary(%s) is %s', (holds, ternary) => {
  expect(toTernary(holds)).toBe(ternary)
})

it.each<[Ternary, Ternary]>([
  ['yes', 'no'],
  ['no', 'yes'],
  ['unknown', 'unknown'],
])('negateIf negates %s to %s', (ternary, opposite) => {
  expect([negateIf(false, ternary), negateIf(true, ternary)]).toEqual([ternary, opposite])
})

it.each<[readonly Ternary[], Ternary]>([
  [[], 'no'],
  [['no', 'no'], 'no'],
  [['no', 'unknown'], 'unknown'],
  [['unknown', 'yes', 'no'], 'yes'],
])('disjunctionOf(%j) is %s', (truths, any) => {
  expect(disjunctionOf(truths)).toBe(any)
})
