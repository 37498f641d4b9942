import { expect, it } from 'vitest'
import { durationOr, parseDuration } from '../src/duration.js'

it.each([
  ['0', 0],
  ['30s', 30_000],
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['100ms', 100],
  ['250us', 0.25],
])('parseDuration reads %s', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

it.each(['', '30', 's', '1 s', '-1s', '1d'])('parseDuration rejects "%s"', (text) => {
  expect(parseDuration(text)).toBeUndefined()
})

it('durationOr returns the default for zero and for a missing value, as kube-proxy does', () => {
  expect([durationOr('0s', 5), durationOr(undefined, 5), durationOr(null, 5), durationOr('2s', 5)]).toEqual([
    5, 5, 5, 2_000,
  ])
})
