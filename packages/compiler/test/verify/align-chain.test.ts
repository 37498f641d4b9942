import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alignChain, type Line } from '../../src/verify/align-chain.js'
import { compareLines } from '../../src/verify/compare-lines.js'

const line = (text: string, group: string): Line => ({ rule: { chain: 'C', matches: [] }, text, owner: group, group })
const textsOf = (lines: readonly Line[]) => lines.map(({ text }) => text)

/** Rules of none, of some service ports, and of none again; texts may repeat. */
const wanted = fc
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

const pairs = wanted.chain((lines) =>
  fc
    .array(fc.oneof(fc.constantFrom(...lines, line('x', '')), fc.constant(line('y', 'a'))), { maxLength: 12 })
    .map((live) => ({ lines, live })),
)

describe('alignChain', () => {
  it('gives what is wanted, each group in its order, and rules of none in their places', () => {
    fc.assert(
      fc.property(pairs, ({ lines, live }) => {
        const target = alignChain(lines, live)
        expect(textsOf(target).sort()).toEqual(textsOf(lines).sort())
        for (const group of ['', 'a', 'b', 'c']) {
          const of = (all: readonly Line[]) => textsOf(all.filter((each) => each.group === group))
          expect(of(target)).toEqual(of(lines))
        }
        expect(target.map(({ group }) => group === '')).toEqual(lines.map(({ group }) => group === ''))
      }),
    )
  })

  it('changes nothing where groups only follow one another in another order', () => {
    fc.assert(
      fc.property(wanted, fc.infiniteStream(fc.nat(100)), (lines, random) => {
        const heads = lines.filter(({ text }) => text.startsWith('head'))
        const tails = lines.filter(({ text }) => text.startsWith('tail'))
        const queues = new Map(['a', 'b', 'c'].map((group) => [group, lines.filter((each) => each.group === group)]))
        const mixed: Line[] = []
        while ([...queues.values()].some((queue) => queue.length > 0)) {
          const waiting = [...queues.values()].filter((queue) => queue.length > 0)
          mixed.push(waiting[(random.next().value as number) % waiting.length]?.shift() as Line)
        }
        // Between rules of none and none there is no place for an order.
        const live = mixed.length === 0 ? lines : [...heads, ...mixed, ...tails]
        expect(textsOf(alignChain(lines, live))).toEqual(textsOf(live))
        expect(compareLines(live, alignChain(lines, live))).toEqual([])
      }),
    )
  })

  it('is what it gives', () => {
    fc.assert(
      fc.property(pairs, ({ lines, live }) => {
        const target = alignChain(lines, live)
        expect(textsOf(alignChain(lines, target))).toEqual(textsOf(target))
      }),
    )
  })
})

describe('compareLines', () => {
  it('names every rule that comes, goes or moves, and none that stays', () => {
    fc.assert(
      fc.property(pairs, ({ lines, live }) => {
        const target = alignChain(lines, live)
        const changes = compareLines(live, target)
        const countOf = (all: readonly Line[], text: string) => all.filter((each) => each.text === text).length
        for (const text of new Set(textsOf([...live, ...target]))) {
          const wantedMore = changes.filter(
            ({ kind, wanted: each }) => kind !== 'misplaced' && each?.text === text,
          ).length
          const foundMore = changes.filter(({ kind, found }) => kind !== 'misplaced' && found?.text === text).length
          expect(countOf(target, text) - countOf(live, text)).toBe(wantedMore - foundMore)
        }
        expect(changes.length === 0).toBe(textsOf(live).join() === textsOf(target).join())
      }),
    )
  })
})
