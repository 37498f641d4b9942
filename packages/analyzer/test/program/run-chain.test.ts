import { describe, expect, it } from 'vitest'
import type { Chain } from '../../src/program/program.js'
import { runBaseChain } from '../../src/program/run-chain.js'
import { chain, half, instruction, jump, NEVER, pathState, runContext, setBit, textOf, UNKNOWN } from './programs.js'

const run = (start: Chain, context = runContext()) => runBaseChain(start, pathState(), context).map(textOf)

const DROP = { kind: 'drop' } as const
const ACCEPT = { kind: 'accept' } as const
const RETURN = { kind: 'return' } as const

describe('instructions of a chain', () => {
  it('let a path continue to the end if none matches', () => {
    expect(run(chain('A', []))).toEqual(['1 -> chain'])
    expect(run(chain('A', [instruction('r1', [NEVER], DROP)]))).toEqual(['1 -> chain'])
  })

  it('run in order until one ends the path', () => {
    const a = chain('A', [
      instruction('r1', [], setBit(1)),
      instruction('r2', [{ kind: 'mark', of: 'packet', value: 1, mask: 1 }], DROP),
      instruction('r3', [], ACCEPT),
    ])
    expect(run(a)).toEqual(['1 r1 r2 -> dropped mark 1'])
  })

  it('divide a path by chance', () => {
    const a = chain('A', [instruction('r1', [half], DROP), instruction('r2', [half], ACCEPT)])
    expect(run(a)).toEqual(['1/2 r1 -> dropped', '1/4 r2 -> next', '1/4 -> chain'])
  })

  it('fork a path by an unknown condition', () => {
    const a = chain('A', [instruction('r1', [UNKNOWN], setBit(1))])
    expect(run(a)).toEqual(['1 [r1 matches] r1 -> chain mark 1', '1 [not r1 matches] -> chain'])
  })

  it('do not fork a path if a match would change nothing', () => {
    expect(run(chain('A', [instruction('r1', [UNKNOWN])]))).toEqual(['1 -> chain'])
  })

  it('need a further condition if a packet reaches them a second time', () => {
    const b = chain('B', [instruction('r1', [UNKNOWN], { kind: 'setMark', of: 'packet', clear: 0, flip: 1 })])
    const a = chain('A', [instruction('j1', [], jump(b)), instruction('j2', [], jump(b))])
    expect(run(a)).toEqual([
      '1 [r1 matches, r1 matches again] j1 r1 j2 r1 -> chain',
      '1 [r1 matches, not r1 matches again] j1 r1 j2 -> chain mark 1',
      '1 [not r1 matches, r1 matches again] j1 j2 r1 -> chain mark 1',
      '1 [not r1 matches, not r1 matches again] j1 j2 -> chain',
    ])
  })

  it('continue after a jump, and not after goto', () => {
    const b = chain('B', [instruction('r1', [], RETURN), instruction('r2', [], DROP)])
    const after = instruction('r3', [], setBit(1))
    expect(run(chain('A', [instruction('j', [], jump(b)), after]))).toEqual(['1 j r1 r3 -> chain mark 1'])
    const goTo = { kind: 'goto', chain: { name: 'B', resolve: () => b } } as const
    expect(run(chain('A', [instruction('g', [], goTo), after]))).toEqual(['1 g r1 -> chain'])
  })

  it('evaluate further conditions after an effect, which stays if they fail', () => {
    const marked = { kind: 'mark', of: 'packet', value: 1, mask: 1 } as const
    const needs = (negated: boolean) => ({ kind: 'require', literals: [{ ...marked, negated }] }) as const
    const rule = (negated: boolean) => ({ ...instruction('r', []), effects: [setBit(1), needs(negated), DROP] })
    expect(run(chain('A', [rule(false)]))).toEqual(['1 -> dropped mark 1'])
    expect(run(chain('A', [rule(true)]))).toEqual(['1 -> chain mark 1'])
  })

  it('that cannot be evaluated and end the path are joined if there are many with the same end', () => {
    const rules = (count: number) => Array.from({ length: count }, (_, at) => instruction(`r${at}`, [UNKNOWN], DROP))
    expect(run(chain('A', rules(2)))).toEqual([
      '1 [r0 matches] r0 -> dropped',
      '1 [not r0 matches, r1 matches] r1 -> dropped',
      '1 [not r0 matches, not r1 matches] -> chain',
    ])
    const many = run(chain('A', rules(400)))
    expect(many).toHaveLength(2)
    expect(many[0]).toMatch(/^1 \[one of 400 rules .*applies: r0; r1; r2; 397 more .*\] r0 -> dropped$/)
  })

  it('end a path with too many unknown conditions', () => {
    const rules = Array.from({ length: 4 }, (_, at) => instruction(`r${at}`, [UNKNOWN], setBit(2 ** at)))
    expect(run(chain('A', rules), runContext({ forks: 2 }))).toContainEqual(
      expect.stringContaining('too many rules may or may not match'),
    )
  })
})

describe('chains', () => {
  it('that do not exist end a path', () => {
    const missing = { kind: 'jump', chain: { name: 'B', resolve: () => undefined } } as const
    expect(run(chain('A', [instruction('j', [], missing)]))).toEqual(['1 j -> chain B does not exist'])
  })

  it('that are left out are passed', () => {
    const ignored = { kind: 'jump', chain: { name: 'B', resolve: () => 'ignored' as const } } as const
    expect(run(chain('A', [instruction('j', [], ignored)]))).toEqual(['1 j -> chain'])
  })

  it('that loop end a path', () => {
    const loop: Chain = chain('A', [])
    const a: Chain = { ...loop, instructionsFor: () => [instruction('j', [], jump(a))] }
    expect(run(a)).toEqual(['1 j -> chain A loops back to itself'])
  })

  it('are limited to a depth of 128', () => {
    const nested = (depth: number): Chain =>
      chain(`C${depth}`, depth === 1 ? [] : [instruction('j', [], jump(nested(depth - 1)))])
    expect(run(nested(128))).toEqual([expect.stringMatching(/-> chain$/)])
    expect(run(nested(129))).toEqual([expect.stringContaining('exceeds the limit of nested jumps')])
  })

  it('of which a text shows only a part fork a path', () => {
    const part = chain('A', [instruction('r1', [], DROP)], { missing: { what: 'some', reason: 'a part' } })
    expect(run(part)).toEqual([
      '1 [missing rules do not affect it] r1 -> dropped',
      '1 [not missing rules do not affect it] -> a part',
    ])
    expect(run({ ...part, missing: { what: 'all', reason: 'nothing' } })).toEqual(['1 -> nothing'])
  })

  it('run once for the same packets, regardless of the number of jumps', () => {
    const count = 64
    let runs = 0
    const chains: Chain[] = []
    for (let at = count - 1; at >= 0; at--) {
      const later = [...chains]
      const jumps = later.map((to, index) => instruction(`${at} to ${index}`, [half], jump(to)))
      const own = chain(`C${at}`, jumps)
      chains.unshift({
        ...own,
        instructionsFor: (packet, allPorts) => {
          runs++
          return own.instructionsFor(packet, allPorts)
        },
      })
    }
    const [first] = chains as [Chain]
    const results = runBaseChain(first, pathState(), runContext())
    expect(results).toHaveLength(1)
    expect(results[0]?.path.weight).toEqual({ numerator: 1, denominator: 1 })
    expect(runs).toBe(count)
  })
})
