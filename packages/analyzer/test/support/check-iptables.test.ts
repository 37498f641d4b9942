import { describe, expect, it } from 'vitest'
import type { IptablesState, Rule } from '../../../compiler/src/dataplane/iptables/ast.js'
import { WORKED_EXAMPLE } from '../../../compiler/test/dataplane/iptables/worked-example.js'
import { checkState } from './check-iptables.js'

function jump(chain: string, to: string): Rule {
  return { chain, matches: [], target: { kind: 'jump', chain: to } }
}

function withComment(text: string): Rule {
  return { chain: 'A', matches: [{ kind: 'comment', text }] }
}

function stateOf(jumps: readonly Rule[], ...blocks: readonly (readonly [string[], ...Rule[]])[]): IptablesState {
  const table = {
    name: 'nat' as const,
    jumps,
    blocks: blocks.map(([chains, ...rules]) => ({ owner: '', chains, rules })),
  }
  return { family: 'IPv4', tables: [table] }
}

function codesOf(state: IptablesState): readonly string[] {
  return checkState(state).map((problem) => `${problem.code} ${problem.chain}`)
}

describe('checkState', () => {
  it('returns no problems for the output of kube-proxy', () => {
    expect(checkState(WORKED_EXAMPLE)).toEqual([])
  })

  it('accepts chains of later blocks, built-in chains and referenced chains', () => {
    const state = stateOf([jump('OUTPUT', 'C')], [['A'], jump('A', 'B'), jump('INPUT', 'A')], [['B'], jump('B', 'C')])
    expect(checkState(state)).toEqual([])
  })

  it.each([
    ['a jump to a missing chain', stateOf([], [['A'], jump('A', 'B')]), ['unknownChain A']],
    ['a rule in a missing chain', stateOf([], [['A'], jump('B', 'A')]), ['unknownChain B']],
    [
      'a jump from a chain that is not a built-in one',
      stateOf([jump('FORWARD', 'A')], [['A']]),
      ['unknownChain FORWARD'],
    ],
    ['a jump to a built-in chain', stateOf([], [['A'], jump('A', 'INPUT')]), ['jumpToBuiltInChain A']],
    ['a declared built-in chain', stateOf([], [['INPUT']]), ['badChainName INPUT']],
    ['a duplicate chain', stateOf([], [['A']], [['A']]), ['duplicateChain A']],
    ['a jump to itself', stateOf([], [['A'], jump('A', 'A')]), ['cycle A']],
    ['a name of 28 bytes', stateOf([], [['x'.repeat(28)]]), []],
    ['a name of 29 bytes', stateOf([], [['x'.repeat(29)]]), [`badChainName ${'x'.repeat(29)}`]],
    ['a name of 15 letters, 30 bytes', stateOf([], [['é'.repeat(15)]]), [`badChainName ${'é'.repeat(15)}`]],
    ['an empty name', stateOf([], [['']]), ['badChainName ']],
    ['a name of two words', stateOf([], [['a b']]), ['badChainName a b']],
    ['a name of two lines', stateOf([], [['a\nb']]), ['badChainName a\nb']],
    ['a name like an option', stateOf([], [['-A']]), ['badChainName -A']],
    ['a name like a negation', stateOf([], [['!A']]), ['badChainName !A']],
    ['an invalid name that only a jump references', stateOf([jump('INPUT', 'a b')]), ['badChainName a b']],
    ['a comment of 255 bytes', stateOf([], [['A'], withComment('x'.repeat(255))]), []],
    ['a comment of 256 bytes', stateOf([], [['A'], withComment('x'.repeat(256))]), ['longComment A']],
    ['a comment of 128 letters, 256 bytes', stateOf([], [['A'], withComment('é'.repeat(128))]), ['longComment A']],
    ['a comment of two lines', stateOf([], [['A'], withComment('a\nb')]), ['badComment A']],
    ['a comment with a tab', stateOf([], [['A'], withComment('a\tb')]), ['badComment A']],
    [
      'names that are properties of JavaScript objects',
      stateOf([], [['A'], jump('A', '__proto__'), jump('constructor', 'A')]),
      ['unknownChain A', 'unknownChain constructor'],
    ],
  ])('returns the expected problems for %s', (_name, state, expected) => {
    expect(codesOf(state)).toEqual(expected)
  })

  it.each([
    [stateOf([], [['A'], jump('B', 'A')]), 'chain B of table nat has rules but does not exist'],
    [stateOf([], [['A'], jump('A', 'INPUT')]), 'chain A of table nat jumps to the built-in chain INPUT'],
    [stateOf([], [['INPUT']]), 'chain INPUT of table nat is a built-in chain'],
    [stateOf([], [['A']], [['A']]), 'chain A of table nat is created twice'],
    [stateOf([], [['x'.repeat(29)]]), `chain ${'x'.repeat(29)} of table nat is longer than 28 bytes`],
    [stateOf([], [['-A']]), 'chain -A of table nat is not a valid chain name'],
    [stateOf([], [['A'], withComment('x'.repeat(256))]), 'chain A of table nat has a comment of more than 255 bytes'],
    [stateOf([], [['A'], withComment('a\nb')]), 'chain A of table nat has a comment with a control character'],
  ])('has a message for each problem: %#', (state, message) => {
    expect(checkState(state).map((problem) => problem.message)).toEqual([message])
  })

  it('finds a cycle of goto rules', () => {
    const rule: Rule = { chain: 'A', matches: [], target: { kind: 'goto', chain: 'A' } }
    expect(codesOf(stateOf([], [['A'], rule]))).toEqual(['cycle A'])
  })

  it('reports a cycle through several blocks without the chains that precede the cycle', () => {
    const state = stateOf(
      [jump('OUTPUT', 'A')],
      [['A', 'D'], jump('A', 'D'), jump('A', 'B')],
      [['B'], jump('B', 'C')],
      [['C'], jump('C', 'D'), jump('C', 'B')],
    )
    const [problem, ...others] = checkState(state)
    expect(others).toEqual([])
    expect(problem?.message).toMatch(/loops back to itself: (B -> C -> B|C -> B -> C)$/)
  })

  it('does not report two paths to one chain as a cycle', () => {
    const state = stateOf([], [['A', 'B', 'C', 'D'], jump('A', 'B'), jump('A', 'C'), jump('B', 'D'), jump('C', 'D')])
    expect(checkState(state)).toEqual([])
  })

  it('checks a path through 50,000 chains', () => {
    const chains = Array.from({ length: 50_000 }, (_, index) => `C${index}`)
    const rules = chains.slice(1).map((chain, index) => jump(`C${index}`, chain))
    expect(checkState(stateOf([], [chains, ...rules]))).toEqual([])
    expect(codesOf(stateOf([], [chains, ...rules, jump('C49999', 'C49998')]))).toEqual([
      expect.stringMatching(/^cycle C4999[89]$/),
    ])
  })

  it('reports table, chain and reason', () => {
    expect(checkState(stateOf([], [['A'], jump('A', 'B')]))).toEqual([
      {
        code: 'unknownChain',
        table: 'nat',
        chain: 'A',
        message: 'chain A of table nat jumps to B, which does not exist',
      },
    ])
  })
})
