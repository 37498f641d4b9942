import { describe, expect, it } from 'vitest'
import { type Branch, DROPPED, depart, NEXT, withPacket } from '../../../../compiler/src/dataplane/netfilter/branch.js'
import { branch } from '../../../../compiler/test/dataplane/netfilter/branches.js'
import { kernelPacket } from '../../../../compiler/test/support/passages.js'
import { backFromChain, leave, type Ran, type RanRule, runRules, stuck } from '../../../src/dataplane/netfilter/ran.js'

const start = branch()
const marked = (mark: number) => withPacket(start, kernelPacket({ mark }))
const summary = ({ branch: { packet }, exit }: Ran) => [packet.mark, exit]

/** A rule that does the same with every packet. */
type TestRule = (way: Branch, path: readonly string[]) => RanRule

function run(rules: readonly TestRule[] | undefined, callers: readonly string[] = []) {
  return runRules({ name: 'A', rules, callers }, start, (rule, way, path) => rule(way, path))
}

/** Parts a way in two: one with a mark more, and the same. */
const part: TestRule = (way) => [
  { branch: withPacket(way, { ...way.packet, mark: way.packet.mark * 2 + 1 }), exit: 'rule' },
  { branch: withPacket(way, { ...way.packet, mark: way.packet.mark * 2 }), exit: 'rule' },
]

describe('the rules of a chain', () => {
  it('lead a way to its end where none applies', () => {
    expect(run([])).toEqual([{ branch: start, exit: 'chain' }])
    const [ran, ...others] = run([() => 'passed', () => 'passed'])
    expect([ran?.branch, ran?.exit, others]).toEqual([start, 'chain', []])
  })

  it('are asked one after another, of every way that goes on', () => {
    expect(run([part, part]).map(summary)).toEqual([
      [3, 'chain'],
      [2, 'chain'],
      [1, 'chain'],
      [0, 'chain'],
    ])
  })

  it('are not asked of ways that have left', () => {
    const asked: number[] = []
    const dropOdd: TestRule = (way) => (way.packet.mark % 2 === 1 ? [{ branch: way, exit: DROPPED }] : 'passed')
    const note: TestRule = (way) => {
      asked.push(way.packet.mark)
      return [{ branch: way, exit: 'chain' }]
    }
    expect(run([part, dropOdd, note, note]).map(summary)).toEqual([
      [1, DROPPED],
      [0, 'chain'],
    ])
    expect(asked).toEqual([0])
  })

  it('know the chains that led there', () => {
    const paths: (readonly string[])[] = []
    const note: TestRule = (_, path) => {
      paths.push(path)
      return 'passed'
    }
    run([note], ['C', 'B'])
    expect(paths).toEqual([['C', 'B', 'A']])
  })

  const reason = (reason: string) => [{ branch: start, exit: { to: 'unknown', reason } }]
  const callers = (count: number) => Array.from({ length: count }, (_, index) => `C${index}`)

  it.each([
    ['a chain that does not exist', run(undefined), 'chain A does not exist'],
    ['a chain that leads to itself', run([], ['A', 'B']), 'chain A leads back to itself'],
    ['the 129th chain', run([], callers(128)), 'chain A is the last of too many jumps'],
  ])('end a way at %s', (_, ran, why) => {
    expect(ran).toEqual(reason(why))
  })

  it('may be those of the 128th chain', () => {
    expect(run([], callers(127))).toEqual([{ branch: start, exit: 'chain' }])
  })
})

describe('a way behind a chain', () => {
  it('goes on at the next rule where it came to the end', () => {
    expect(backFromChain({ branch: start, exit: 'chain' })).toEqual({ branch: start, exit: 'rule' })
    const dropped: Ran = { branch: start, exit: DROPPED }
    expect(backFromChain(dropped)).toBe(dropped)
  })

  it('leaves as it was let go, or as is said of the end', () => {
    const atEnd = (way: Branch) => depart(way, NEXT)
    expect(leave({ branch: marked(1), exit: 'chain' }, atEnd)).toEqual(depart(marked(1), NEXT))
    expect(leave({ branch: marked(1), exit: 'rule' }, atEnd)).toEqual(depart(marked(1), NEXT))
    expect(leave({ branch: marked(1), exit: DROPPED }, atEnd)).toEqual(depart(marked(1), DROPPED))
  })

  it('is told why nobody can tell where it goes', () => {
    expect(stuck(start, 'nobody knows')).toEqual({ branch: start, exit: { to: 'unknown', reason: 'nobody knows' } })
  })
})
