import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIptables } from '../../../../analyzer/src/dataplane/iptables/parse/parse.js'
import { canonicalizeState } from '../../../../analyzer/test/support/canonical-state.js'
import { checkState } from '../../../../analyzer/test/support/check-iptables.js'
import type { IptablesState, Match, Rule, RuleBlock, Table, Target } from '../../../src/dataplane/iptables/ast.js'
import { canonicalizeRule } from '../../../src/dataplane/iptables/canonical.js'
import { printRestore, printRule } from '../../../src/dataplane/iptables/print/print.js'
import { printSave } from '../../../src/dataplane/iptables/print/print-save.js'
import { assembleIptables, isChainId, resourcesOf } from '../../../src/dataplane/iptables/resources.js'
import { anyText } from '../../support/any-text.js'
import { diffCanonical } from '../../support/diff-canonical.js'
import { statePairs } from '../../support/iptables-states.js'
import { runs } from '../../support/runs.js'
import { sameState } from '../../support/same-state.js'
import { readState } from './read-rule.js'
import { SAVED_FILTER, SAVED_NAT } from './worked-example.js'

const CHAINS = ['A', 'KUBE-SVC-XPGD46QRK7WJZT7O', 'B_1', 'b', 'LOG'] as const
const WORD = fc.stringMatching(/^[A-Za-z][\w.:+-]{0,14}$/)
const PORT = fc.nat(65535)
const BITS = fc.nat(0xffffffff)
const ADDRESS = fc.ipV4()
const NETWORK = fc.oneof(ADDRESS, fc.constantFrom('10.0.0.0/8', '0.0.0.0/0', '10.0.0.1/32', '192.168.4.0/22'))
const TEXT = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/\p{Cc}/gu, '').slice(0, 80))
const negated = fc.boolean()

const header: readonly fc.Arbitrary<Match>[] = [
  fc.record({ kind: fc.constant('source' as const), address: NETWORK, negated }),
  fc.record({ kind: fc.constant('destination' as const), address: NETWORK, negated }),
  fc.record({ kind: fc.constant('inInterface' as const), name: fc.constantFrom('+', 'eth0', 'cni+'), negated }),
  fc.record({ kind: fc.constant('outInterface' as const), name: WORD, negated }),
]

const modules: fc.Arbitrary<Match> = fc.oneof(
  fc.record({ kind: fc.constant('comment' as const), text: TEXT }),
  fc.record({ kind: fc.constant('mark' as const), value: BITS, mask: BITS, negated }),
  fc.record({
    kind: fc.constant('conntrack' as const),
    states: fc.uniqueArray(fc.constantFrom('NEW', 'RELATED', 'ESTABLISHED', 'DNAT'), { minLength: 1 }),
    negated,
  }),
  fc.record({
    kind: fc.constant('addrtype' as const),
    side: fc.constantFrom('source' as const, 'destination' as const),
    type: fc.constantFrom('LOCAL', 'LOCAL,UNICAST'),
    negated,
  }),
  fc.record({
    kind: fc.constant('statistic' as const),
    probability: fc.integer({ min: 1, max: 100_000 }).map((n) => (1 / n).toFixed(10)),
    negated,
  }),
  fc.record({
    kind: fc.constant('recent' as const),
    name: WORD,
    action: fc.constant('rcheck' as const),
    seconds: fc.integer({ min: 1, max: 86400 }),
    reap: fc.boolean(),
    negated,
  }),
  fc.record({ kind: fc.constant('nfacct' as const), name: WORD }),
  fc.record({
    kind: fc.constant('set' as const),
    name: WORD,
    directions: fc.array(fc.constantFrom('src' as const, 'dst' as const), { minLength: 1, maxLength: 3 }),
    negated,
  }),
  fc.record({
    kind: fc.constant('physdev' as const),
    is: fc.constantFrom('in' as const, 'out' as const, 'bridged' as const),
    negated,
  }),
  fc.record({
    kind: fc.constant('ipvs' as const),
    address: ADDRESS,
    protocol: fc.constantFrom('tcp', 'udp', 'sctp'),
    port: PORT,
  }),
  fc.constant<Match>({ kind: 'unknown', words: ['-m', 'limit', '--limit', '5/min'] }),
)

const ports: fc.Arbitrary<readonly Match[]> = fc
  .tuple(fc.constantFrom('tcp', 'udp', 'sctp'), PORT, PORT, negated, fc.boolean())
  .map(([protocol, first, last, negatedPort, explicit]) => [
    ...(explicit ? [{ kind: 'transport' as const, protocol }] : []),
    { kind: 'protocol', protocol, negated: false },
    { kind: 'destinationPort', first, last, negated: negatedPort },
    { kind: 'sourcePort', first: last, last, negated: false },
  ])

const verdict: fc.Arbitrary<Target> = fc.oneof(
  fc.constantFrom<Target>(
    { kind: 'accept' },
    { kind: 'drop' },
    { kind: 'return' },
    { kind: 'reject' },
    { kind: 'reject', with: 'tcp-reset' },
    { kind: 'masquerade', randomFully: true },
    { kind: 'unknown', words: ['-j', 'LOG', '--log-prefix', '"a b"'] },
  ),
  fc.record({ kind: fc.constantFrom('jump' as const, 'goto' as const), chain: fc.constantFrom(...CHAINS) }),
  fc.record({
    kind: fc.constant('mark' as const),
    operation: fc.constantFrom('or' as const, 'xor' as const),
    value: BITS,
  }),
  fc.record({
    kind: fc.constant('mark' as const),
    operation: fc.constant('set-xmark' as const),
    value: BITS,
    mask: BITS,
  }),
  fc.record({ kind: fc.constant('dnat' as const), destination: fc.tuple(ADDRESS, PORT).map((pair) => pair.join(':')) }),
)

const matches: fc.Arbitrary<readonly Match[]> = fc
  .tuple(
    fc.tuple(...header.map((one) => fc.option(one, { nil: undefined }))),
    fc.option(ports, { nil: [] }),
    fc.array(modules, { maxLength: 4 }),
  )
  .chain(([headers, portMatches, others]) => {
    const loose = [...headers.filter((match) => match !== undefined), ...others]
    return fc.shuffledSubarray(loose, { minLength: loose.length }).map((shuffled) => {
      const middle = Math.floor(shuffled.length / 2)
      return [...shuffled.slice(0, middle), ...portMatches, ...shuffled.slice(middle)]
    })
  })

function ruleIn(chain: fc.Arbitrary<string>): fc.Arbitrary<Rule> {
  return fc
    .tuple(chain, matches, fc.option(verdict, { nil: undefined }))
    .map(([name, list, end]) =>
      end === undefined ? { chain: name, matches: list } : { chain: name, matches: list, target: end },
    )
}

const rules = fc.array(ruleIn(fc.constantFrom(...CHAINS)), { maxLength: 5 })

const blocks: fc.Arbitrary<readonly RuleBlock[]> = fc
  .tuple(rules, rules, fc.shuffledSubarray([...CHAINS], { minLength: 5 }))
  .map(([first, second, chains]) => [
    { owner: '', chains: chains.slice(0, 3), rules: first },
    { owner: 'x', chains: chains.slice(3), rules: second },
  ])

const state: fc.Arbitrary<IptablesState> = fc
  .tuple(
    fc.shuffledSubarray(['filter', 'nat', 'mangle', 'raw'] as const),
    blocks,
    fc.array(ruleIn(fc.constant('OUTPUT')), { maxLength: 3 }),
    fc.boolean(),
  )
  .map(([names, list, jumps, drop]) => ({
    family: 'IPv4',
    tables: names.map(
      (name): Table => ({
        name,
        ...(drop ? { policies: [{ chain: 'OUTPUT', policy: 'DROP' as const }] } : {}),
        jumps,
        blocks: list,
      }),
    ),
  }))

function withoutJumps({ family, tables }: IptablesState): IptablesState {
  return { family, tables: tables.map(({ name, blocks: list }) => ({ name, jumps: [], blocks: list })) }
}

/** Returns the part of a state that its resources represent. */
function withoutPolicies({ family, tables }: IptablesState): IptablesState {
  return { family, tables: tables.map(({ name, jumps, blocks: list }) => ({ name, jumps, blocks: list })) }
}

describe('the resources of an arbitrary iptables state', () => {
  const compiled = statePairs.map(([one]) => one)

  it('can be assembled to the same state, except for policies and owners', () => {
    fc.assert(
      fc.property(fc.oneof(state, compiled), (one) => {
        const resources = resourcesOf(one)
        const assembled = assembleIptables(resources, one.family)
        expect(canonicalizeState(assembled)).toEqual(canonicalizeState(withoutPolicies(one)))
        expect(resourcesOf(assembled)).toEqual(resources)
        for (const id of resources.keys()) expect(isChainId(id)).toBe(true)
      }),
    )
  })

  it('are canonical if the state is canonical', () => {
    fc.assert(
      fc.property(compiled, (one) => {
        const normal = canonicalizeState(one)
        expect(diffCanonical(one, normal).changes).toEqual([])
        expect(canonicalizeState(assembleIptables(resourcesOf(normal), one.family))).toEqual(normal)
      }),
    )
  })
})

describe('an arbitrary iptables state', () => {
  it('equals the state that is parsed from its restore format, except for jumps', () => {
    fc.assert(
      fc.property(state, (one) => {
        const read = readState(printRestore(one))
        expect(canonicalizeState(read)).toEqual(canonicalizeState(withoutJumps(one)))
        expect(sameState(read, withoutJumps(one))).toBe(true)
        expect(printRestore(read)).toBe(printRestore(one))
      }),
    )
  })

  it.each(['nft', 'legacy'] as const)(
    'equals the state that is parsed from its save format of iptables-%s',
    (backend) => {
      fc.assert(
        fc.property(state, (one) => {
          expect(canonicalizeState(readState(printSave(one, { backend })))).toEqual(canonicalizeState(one))
        }),
      )
    },
  )

  it('is printed as the same dump after a round trip through the parser', () => {
    fc.assert(
      fc.property(state, (one) => {
        const nft = printSave(one, { backend: 'nft' })
        expect(printSave(readState(nft), { backend: 'nft' })).toBe(nft)
        const legacy = printSave(one, { backend: 'legacy' })
        const read = readState(legacy)
        // legacy prints the tables in the reverse of their load order
        expect(printSave({ ...read, tables: [...read.tables].reverse() }, { backend: 'legacy' })).toBe(legacy)
      }),
    )
  })

  it('has an idempotent canonical form of each rule, which does not change the printed text', () => {
    fc.assert(
      fc.property(ruleIn(fc.constant('A')), (rule) => {
        const once = canonicalizeRule(rule, 'IPv4')
        expect(canonicalizeRule(once, 'IPv4')).toEqual(once)
        expect(printRule(once, 'save', 'IPv4')).toBe(printRule(rule, 'save', 'IPv4'))
      }),
    )
  })

  it('is not changed by the functions that read it', () => {
    fc.assert(
      fc.property(state, (one) => {
        const before = structuredClone(one)
        printRestore(one)
        printSave(one, { backend: 'nft' })
        checkState(one)
        canonicalizeState(one)
        expect(one).toEqual(before)
      }),
    )
  })
})

describe('the printer', () => {
  const hostile = fc.oneof(
    anyText(),
    fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\r', '\t', ' ', 'a', "'", '-', '!', '\0', '#') }),
    fc.constantFrom('x" -j ACCEPT\n-A PREROUTING -j ACCEPT', '" -j ACCEPT #', '\\', 'a\\" b', '__proto__'),
  )

  function isWritten(write: () => string): string | undefined {
    try {
      return write()
    } catch (error) {
      expect(String(error)).toContain('This is a bug in kube-rules')
      return undefined
    }
  }

  it.each(['restore', 'save'] as const)(
    'in the %s format rejects hostile text in a comment, or prints the text as one word',
    (style) => {
      fc.assert(
        fc.property(hostile, (text) => {
          const rule: Rule = { chain: 'A', matches: [{ kind: 'comment', text }], target: { kind: 'drop' } }
          const line = isWritten(() => printRule(rule, style, 'IPv4'))
          if (line === undefined) return
          expect(line).not.toContain('\n')
          const read = readState(`*nat\n:A -\n${line}\nCOMMIT\n`).tables[0]?.blocks[0]?.rules
          const expected = style === 'save' ? canonicalizeRule(rule, 'IPv4') : rule
          expect(read).toEqual([expected])
        }),
        { numRuns: runs(250) },
      )
    },
  )

  it('rejects a hostile chain name, or prints the name as one word', () => {
    fc.assert(
      fc.property(hostile, hostile, (chain, target) => {
        const rule: Rule = { chain, matches: [], target: { kind: 'goto', chain: target } }
        const line = isWritten(() => printRule(rule, 'restore', 'IPv4'))
        if (line === undefined) return
        expect(line.split(/[\n ]/)).toEqual(['-A', chain, '-g', target])
      }),
    )
  })
})

describe('parseIptables', () => {
  const dump = SAVED_FILTER + SAVED_NAT

  it('does not throw for arbitrary text', () => {
    const lines = fc.array(
      fc.oneof(
        fc.string(),
        fc.constantFrom('*nat', '*filter', 'COMMIT', ':A - [0:0]', ':INPUT DROP', '-A A', '-X A', '#', ''),
        fc
          .array(
            fc.constantFrom(
              '-A',
              'A',
              '-m',
              'tcp',
              'comment',
              'recent',
              '--set',
              '--comment',
              '"a',
              '"',
              '!',
              '-j',
              '-g',
              '-s',
              '-c',
              '--dport',
              '1',
            ),
          )
          .map((words) => words.join(' ')),
      ),
    )
    fc.assert(
      fc.property(lines, (list) => {
        const result = parseIptables(['*nat', ...list].join('\n'), 'IPv4')
        if (!result.ok) expect(result.problems.length).toBeGreaterThan(0)
      }),
      { numRuns: runs(250) },
    )
  })

  it('reports a problem in a modified dump, or returns a state that survives printing and parsing', () => {
    const mutation = fc.record({ at: fc.nat(dump.length), drop: fc.nat(5), insert: fc.string({ maxLength: 3 }) })
    fc.assert(
      fc.property(mutation, ({ at, drop, insert }) => {
        const text = dump.slice(0, at) + insert + dump.slice(at + drop)
        const result = parseIptables(text, 'IPv4')
        if (!result.ok) expect(result.problems[0]?.excerpt).toContain('^')
        else expect(sameState(readState(printSave(result.value, { backend: 'nft' })), result.value)).toBe(true)
      }),
      { numRuns: runs(150) },
    )
  })
})
