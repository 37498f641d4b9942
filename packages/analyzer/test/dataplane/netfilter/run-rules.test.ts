import { describe, expect, it } from 'vitest'
import type { ChainResult } from '../../../src/dataplane/netfilter/chain-result.js'
import { DROPPED_VERDICT, type PathState, withPacket } from '../../../src/dataplane/netfilter/path-state.js'
import { runRules } from '../../../src/dataplane/netfilter/run-rules.js'
import type { RuleOutcome } from '../../../src/dataplane/netfilter/unevaluated-rule.js'
import { branch } from './branches.js'

const start = branch()
const summary = ({ branch: { packet }, exit }: ChainResult) => [packet.mark, exit]

/** A rule with the same effect on every packet. */
type TestRule = (tracePath: PathState, path: readonly string[]) => RuleOutcome

function run(rules: readonly TestRule[] | undefined, callers: readonly string[] = []) {
  return runRules({ name: 'A', rules, callers }, start, (rule, tracePath, path) => rule(tracePath, path))
}

/** Splits a path state into two that differ in one mark bit. */
const part: TestRule = (path) => [
  { branch: withPacket(path, { ...path.packet, mark: path.packet.mark * 2 + 1 }), exit: 'rule' },
  { branch: withPacket(path, { ...path.packet, mark: path.packet.mark * 2 }), exit: 'rule' },
]

describe('rules of a chain', () => {
  it('let a path continue to the end if no rule matches', () => {
    expect(run([])).toEqual([{ branch: start, exit: 'chain' }])
    const [ran, ...others] = run([() => 'passed', () => 'passed'])
    expect([ran?.branch, ran?.exit, others]).toEqual([start, 'chain', []])
  })

  it('are evaluated in order for every path that continues', () => {
    expect(run([part, part]).map(summary)).toEqual([
      [3, 'chain'],
      [2, 'chain'],
      [1, 'chain'],
      [0, 'chain'],
    ])
  })

  it('are not evaluated for paths that have left the chain', () => {
    const marks: number[] = []
    const dropOdd: TestRule = (path) =>
      path.packet.mark % 2 === 1 ? [{ branch: path, exit: DROPPED_VERDICT }] : 'passed'
    const note: TestRule = (path) => {
      marks.push(path.packet.mark)
      return [{ branch: path, exit: 'chain' }]
    }
    expect(run([part, dropOdd, note, note]).map(summary)).toEqual([
      [1, DROPPED_VERDICT],
      [0, 'chain'],
    ])
    expect(marks).toEqual([0])
  })

  it('return the paths in the order in which they leave the chain when a later rule forks the last path', () => {
    const leave: TestRule = (path) => [
      { branch: withPacket(path, { ...path.packet, mark: path.packet.mark + 10 }), exit: DROPPED_VERDICT },
      { branch: path, exit: 'rule' },
    ]
    expect(run([leave, leave]).map(summary)).toEqual([
      [10, DROPPED_VERDICT],
      [10, DROPPED_VERDICT],
      [0, 'chain'],
    ])
    expect(run([leave, part, leave]).map(summary)).toEqual([
      [10, DROPPED_VERDICT],
      [11, DROPPED_VERDICT],
      [10, DROPPED_VERDICT],
      [1, 'chain'],
      [0, 'chain'],
    ])
    const end: TestRule = (path) => [{ branch: path, exit: DROPPED_VERDICT }]
    expect(run([leave, end, part]).map(summary)).toEqual([
      [10, DROPPED_VERDICT],
      [0, DROPPED_VERDICT],
    ])
  })

  it('receive the names of the calling chains, from the first caller to their own chain', () => {
    const paths: (readonly string[])[] = []
    const note: TestRule = (_, path) => {
      paths.push(path)
      return 'passed'
    }
    run([note], ['C', 'B'])
    expect(paths).toEqual([['C', 'B', 'A']])
  })

  const reason = (reason: string) => [{ branch: start, exit: { kind: 'unknown', reason } }]
  const callers = (count: number) => Array.from({ length: count }, (_, index) => `C${index}`)

  it.each([
    ['a chain that does not exist', run(undefined), 'chain A does not exist'],
    ['a chain that jumps to itself', run([], ['A', 'B']), 'chain A loops back to itself'],
    ['the 129th chain', run([], callers(128)), 'chain A exceeds the limit of nested jumps'],
  ])('end a path at %s', (_, ran, why) => {
    expect(ran).toEqual(reason(why))
  })

  it('are evaluated in the 128th nested chain', () => {
    expect(run([], callers(127))).toEqual([{ branch: start, exit: 'chain' }])
  })
})
