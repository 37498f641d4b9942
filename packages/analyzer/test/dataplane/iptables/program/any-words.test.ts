import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printMatch } from '../../../../../compiler/src/dataplane/iptables/matches/matches.js'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { isWhole } from '../../../../../compiler/test/support/runs.js'
import { lowerMatch } from '../../../../src/dataplane/iptables/program/lower-match.js'
import { lowerTarget } from '../../../../src/dataplane/iptables/program/lower-target.js'
import { MATCH_MODULES } from '../../../../src/dataplane/iptables/program/modules/match-modules.js'
import { TARGET_MODULES } from '../../../../src/dataplane/iptables/program/targets/target-modules.js'
import { evaluateAll } from '../../../../src/program/evaluate-literal.js'
import { BY_LOOPBACK, facts, kernelPacket, NO_SETS, OF_NODE, TO_ENDPOINT, UNTRACKED } from './packets.js'

const { lookUpSet } = NO_SETS
const VALUES = [
  ...[
    '0',
    '1',
    '80',
    '65535',
    '4294967296',
    '0x1/0xff',
    '1:5',
    ':',
    '5:',
    '80,443',
    '80-90',
    'NEW,DNAT',
    'LOCAL',
    'src,dst',
  ],
  ...[
    '10.0.0.0/8',
    '10.0.0.1-10.0.0.9',
    'fd00::/8',
    '[fd00::1]:80-90',
    'SYN,ACK',
    'any',
    'INIT',
    'original',
    'packets',
    'in',
  ],
  ...['random', 'nth', '0.5', '"a b"', '"\\""', '', '!', '-m', '-j', '__proto__', 'constructor', 'toString'],
]
const optionsOf = (syntax: Readonly<Record<string, number>> | undefined) => Object.keys(syntax ?? {})
const value = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...VALUES) }, fc.string())

/** Draws words: options of one module with the right or another number of values, in any order. */
function wordsOf(start: readonly string[], syntax: Readonly<Record<string, number>> | undefined) {
  const names = [...optionsOf(syntax), '--other']
  const option = fc
    .tuple(fc.boolean(), fc.constantFrom(...names), fc.array(value, { maxLength: 2 }))
    .map(([negated, name, values]) => [...(negated ? ['!'] : []), name, ...values])
  return fc.array(option, { maxLength: 3 }).map((options) => [...start, ...options.flat()])
}

const matchWords = fc
  .constantFrom(...MATCH_MODULES)
  .chain(({ name, syntax }) => wordsOf(name === '' ? [] : ['-m', name], syntax))
const targetWords = fc.constantFrom(...TARGET_MODULES).chain(({ name, syntax }) => wordsOf(['-j', name], syntax))
const words = (known: fc.Arbitrary<string[]>) => fc.oneof({ weight: 4, arbitrary: known }, fc.array(value))
const family = fc.constantFrom('IPv4' as const, 'IPv6' as const)

const PACKETS = [{}, OF_NODE, BY_LOOPBACK, TO_ENDPOINT, UNTRACKED, { masqueraded: true, connectionMark: 1 }]

describe('any words of a match', () => {
  it('can be evaluated', () => {
    let decided = 0
    fc.assert(
      fc.property(words(fc.tuple(matchWords, matchWords).map((each) => each.flat())), family, (raw, of) => {
        const literals = lowerMatch({ kind: 'unknown', words: raw }, { family: of, lookUpSet, isBeforeTracking: false })
        for (const fields of PACKETS) {
          const result = evaluateAll(literals, kernelPacket({ family: of, ...fields }), 'INPUT', facts())
          expect(['yes', 'no', 'unknown', 'object']).toContain(typeof result === 'string' ? result : typeof result)
          if (result !== 'unknown') decided++
        }
      }),
      { numRuns: 1000 },
    )
    if (isWhole) expect(decided).toBeGreaterThan(1000)
  })
})

describe('any words of a target', () => {
  it('have effects', () => {
    let known = 0
    fc.assert(
      fc.property(words(targetWords), family, (raw, of) => {
        const actions = lowerTarget(
          { kind: 'unknown', words: raw },
          { family: of, chains: () => undefined, isBeforeTracking: false },
        )
        expect(actions.length).toBeGreaterThan(0)
        if (!actions.some(({ effects }) => effects.some(({ kind }) => kind === 'unknown'))) known++
      }),
      { numRuns: 1000 },
    )
    if (isWhole) expect(known).toBeGreaterThan(100)
  })
})

describe('the words of a match that the parser represents', () => {
  it.each([
    ...['-m mark ! --mark 0x4000/0x4000', '-m mark --mark 0x1'],
    ...['-m conntrack --ctstate NEW,DNAT', '-m conntrack ! --ctstate INVALID', '-m state ! --state NEW,UNTRACKED'],
    ...['-m addrtype ! --src-type LOCAL', '-m addrtype --dst-type UNICAST,LOCAL', '-m comment --comment "a b"'],
    ...['-m statistic --mode random --probability 0.25', '-m statistic --mode random ! --probability 0.5'],
    ...['-m recent --name L --set', '-m recent --name L ! --rcheck --seconds 5 --reap', '-m nfacct --nfacct-name a'],
    ...['-m set ! --match-set S src,dst', '-m physdev ! --physdev-is-in', '-m physdev --physdev-is-out'],
    ...['-m ipvs --vaddr 10.96.0.1 --vproto tcp --vport 80', '-p tcp -m tcp ! --dport 80:90 --sport 40000'],
    ...['! -d 10.96.0.0/12', '-s 203.0.113.2', '-m physdev ! --physdev-is-bridged'],
  ])('have the same literals (%s)', (text) => {
    const { matches } = readRule(text)
    const context = { family: 'IPv4', lookUpSet, isBeforeTracking: false } as const
    for (const match of matches) {
      expect(match.kind).not.toBe('unknown')
      if (match.kind === 'protocol' || match.kind === 'transport') continue
      const raw = printMatch(match, 'restore', 'IPv4').match(/(?:[^ "]|"[^"]*")+/g) ?? []
      const typed = lowerMatch(match, context)
      const untyped = lowerMatch({ kind: 'unknown', words: raw }, context)
      for (const fields of [...PACKETS, { mark: 0x4000 }, { bridged: 'yes' as const }]) {
        const resultOf = (literals: typeof typed) =>
          evaluateAll(literals, kernelPacket(fields), 'PREROUTING', facts({ secondsSinceSeen: () => 3 }))
        expect(resultOf(untyped)).toEqual(resultOf(typed))
      }
    }
  })
})
