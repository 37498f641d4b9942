import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ComparisonSides } from '../../src/compare/comparison-side.js'
import { createSourceClassifier, findBoundAddresses, listCandidateSources } from '../../src/compare/sources.js'
import { createAddressRangeParser } from '../../src/program/address-range.js'

const rangeOf = createAddressRangeParser('IPv4')
const ADDRESSES = Array.from({ length: 12 }, (_, index) => `10.96.0.${index + 1}`)

/** Sides that have these addresses on kube-ipvs0. No other fact about a side determines sources. */
function sidesWith(onA: readonly string[], onB: readonly string[]): ComparisonSides {
  const sideWith = (own: readonly string[]) => ({
    isLocal: (address: string) => (own.includes(address) ? 'yes' : 'no'),
    destinations: own.map((address) => ({ address })),
  })
  return { a: sideWith(onA), b: sideWith(onB), family: 'IPv4', addresses: [], rangeOf } as unknown as ComparisonSides
}

it('the candidate sources have an address of each class', () => {
  const networks = fc.subarray(['10.96.0.0/30', '10.96.0.4/30', '10.96.0.6/32', '10.96.0.0/29'])
  const seen = { onOneSide: 0, several: 0 }
  fc.assert(
    fc.property(
      fc.subarray(ADDRESSES),
      fc.subarray(ADDRESSES),
      networks,
      fc.constantFrom(...ADDRESSES),
      (onA, onB, names, destination) => {
        const sides = sidesWith(onA, onB)
        const ranges = names.flatMap((name) => rangeOf(name) ?? [])
        const criteria = { ranges, locals: true }
        const facts = {
          ...{ sides, arrival: { origin: 'outside' } as const, destination },
          bound: findBoundAddresses(sides),
        }
        const classOf = createSourceClassifier(sides, criteria)
        const covered = new Set(listCandidateSources(facts, criteria).map(classOf))
        for (const address of ADDRESSES) {
          const number = rangeOf(address)?.first ?? 0n
          expect(covered, `${address}: ${classOf(number)}`).toContain(classOf(number))
        }
        if (onA.some((address) => !onB.includes(address))) seen.onOneSide++
        if (covered.size > 4) seen.several++
      },
    ),
    { numRuns: 200 },
  )
  expect(seen.onOneSide).toBeGreaterThan(20)
  expect(seen.several).toBeGreaterThan(20)
})
