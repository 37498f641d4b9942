import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  alignChain,
  alignSharedChain,
  type ExpectedRule,
} from '../../../../src/dataplane/iptables/compare/align-chain.js'
import { compareRules } from '../../../../src/dataplane/iptables/compare/compare-rules.js'

const line = (key: string, group: string): ExpectedRule => ({
  rule: { chain: 'C', matches: [] },
  key,
  owner: group,
  group,
})
const keysOf = (rules: readonly ExpectedRule[]) => rules.map(({ key }) => key)
const compare = (live: readonly ExpectedRule[], target: readonly ExpectedRule[]) =>
  compareRules(live, target, () => false)

/** Rules without an owner, of some service ports, and again without an owner; keys may repeat. */
const expected = fc
  .tuple(
    fc.array(fc.nat(3), { maxLength: 2 }),
    fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(5)), { maxLength: 8 }),
    fc.array(fc.nat(3), { maxLength: 2 }),
  )
  .map(([head, owned, tail]) => [
    ...head.map((text) => line(`head ${text}`, '')),
    ...owned.map(([group, text]) => line(`${group} ${text}`, group)),
    ...tail.map((text) => line(`tail ${text}`, '')),
  ])

const pairs = expected.chain((lines) =>
  fc
    .array(fc.oneof(fc.constantFrom(...lines, line('x', '')), fc.constant(line('y', 'a'))), { maxLength: 12 })
    .map((live) => ({ lines, live })),
)

describe('alignChain', () => {
  it('keeps the order within each group and the positions of ungrouped rules', () => {
    fc.assert(
      fc.property(pairs, ({ lines, live }) => {
        const target = alignChain(lines, live)
        expect(keysOf(target).sort()).toEqual(keysOf(lines).sort())
        for (const group of ['', 'a', 'b', 'c']) {
          const of = (all: readonly ExpectedRule[]) => keysOf(all.filter((each) => each.group === group))
          expect(of(target)).toEqual(of(lines))
        }
        expect(target.map(({ group }) => group === '')).toEqual(lines.map(({ group }) => group === ''))
      }),
    )
  })

  it('returns the live order if only the order of the groups differs', () => {
    fc.assert(
      fc.property(expected, fc.infiniteStream(fc.nat(100)), (lines, random) => {
        const heads = lines.filter(({ key }) => key.startsWith('head'))
        const tails = lines.filter(({ key }) => key.startsWith('tail'))
        const queues = new Map(['a', 'b', 'c'].map((group) => [group, lines.filter((each) => each.group === group)]))
        const mixed: ExpectedRule[] = []
        while ([...queues.values()].some((queue) => queue.length > 0)) {
          const waiting = [...queues.values()].filter((queue) => queue.length > 0)
          mixed.push(waiting[(random.next().value as number) % waiting.length]?.shift() as ExpectedRule)
        }
        // An ordered rule has no valid position between rules without owners.
        const live = mixed.length === 0 ? lines : [...heads, ...mixed, ...tails]
        expect(keysOf(alignChain(lines, live))).toEqual(keysOf(live))
        expect(compare(live, alignChain(lines, live))).toEqual([])
      }),
    )
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(pairs, ({ lines, live }) => {
        const target = alignChain(lines, live)
        expect(keysOf(alignChain(lines, target))).toEqual(keysOf(target))
      }),
    )
  })
})

describe('compareRules', () => {
  it('reports each missing, extra, changed or moved rule, and no other rule', () => {
    fc.assert(
      fc.property(pairs, ({ lines, live }) => {
        const target = alignChain(lines, live)
        const differences = compare(live, target)
        const countOf = (all: readonly string[], key: string) => all.filter((each) => each === key).length
        const comingOrChanged = differences.flatMap((each) =>
          each.kind === 'missing' || each.kind === 'changed' ? [each.expected.key] : [],
        )
        const goingOrChanged = differences.flatMap((each) =>
          each.kind === 'extra' || each.kind === 'changed' ? [each.found.key] : [],
        )
        for (const key of new Set(keysOf([...live, ...target]))) {
          const more = countOf(keysOf(target), key) - countOf(keysOf(live), key)
          expect(more).toBe(countOf(comingOrChanged, key) - countOf(goingOrChanged, key))
        }
        expect(differences.length === 0).toBe(keysOf(live).join() === keysOf(target).join())
      }),
    )
  })
})

describe('alignSharedChain', () => {
  it('keeps foreign rules in their order, and returns each expected rule once', () => {
    fc.assert(
      fc.property(pairs, ({ lines, live }) => {
        const target = keysOf(alignSharedChain(lines, live))
        const expectedKeys = new Set(keysOf(lines))
        const isOfOthers = (key: string) => !expectedKeys.has(key)
        expect(target.filter(isOfOthers)).toEqual(keysOf(live).filter(isOfOthers))
        for (const key of expectedKeys) expect(target).toContain(key)
        for (const key of keysOf(live))
          if (expectedKeys.has(key)) expect(target.filter((each) => each === key).length).toBe(1)
      }),
    )
  })
})
