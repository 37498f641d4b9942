import { expect, it } from 'vitest'
import { anyOf, type Truth, truthOf, unless } from '../../../src/dataplane/netfilter/truth.js'

it.each([
  [true, 'yes'],
  [false, 'no'],
])('%s is %s', (holds, truth) => {
  expect(truthOf(holds)).toBe(truth)
})

it.each<[Truth, Truth]>([
  ['yes', 'no'],
  ['no', 'yes'],
  ['unknown', 'unknown'],
])('the negation of %s is %s', (truth, opposite) => {
  expect([unless(false, truth), unless(true, truth)]).toEqual([truth, opposite])
})

it.each<[readonly Truth[], Truth]>([
  [[], 'no'],
  [['no', 'no'], 'no'],
  [['no', 'unknown'], 'unknown'],
  [['unknown', 'yes', 'no'], 'yes'],
])('the disjunction of %j is %s', (truths, any) => {
  expect(anyOf(truths)).toBe(any)
})
