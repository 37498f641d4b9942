import type { Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addFractions, createFraction, type Fraction, parseFraction } from '../../../compiler/src/internal/fraction.js'
import { anyText } from '../../../compiler/test/support/any-text.js'
import { runs } from '../../../compiler/test/support/runs.js'
import { parseIptables } from '../../src/dataplane/iptables/parse/parse.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import { trace } from '../../src/trace/trace.js'
import type { TracePath } from '../../src/trace/trace-paths.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'

const CHAINS = ['A', 'B', 'C', 'KUBE-SERVICES']

const CONDITIONS = [
  '',
  '-p tcp -m tcp --dport 80',
  '! -d 10.96.0.0/16',
  '-m statistic --mode random --probability 0.5000000000',
  '-m statistic --mode random ! --probability 0.2500000000',
  '-m hashlimit --hashlimit-upto 5/sec',
  '-m hashlimit --hashlimit-upto 6/sec -m comment --comment "it\\"s \\\\ odd"',
  '-m addrtype --dst-type LOCAL',
  '-m addrtype ! --src-type LOCAL',
  '-m mark --mark 0x4000/0x4000',
  '-m set --match-set NOWHERE dst,dst',
  '-m recent --name A --rcheck --seconds 10',
  '-o eth0',
]

const VERDICTS = [
  ...['', '-j ACCEPT', '-j DROP', '-j RETURN', '-j REJECT', '-j MARK --or-mark 0x4000', '-j MARK --xor-mark 0x4000'],
  ...[
    '-j LOG --log-prefix "x"',
    '-j NFQUEUE',
    '-j CT --notrack',
    ...CHAINS.flatMap((chain) => [`-j ${chain}`, `-g ${chain}`]),
  ],
]
const NAT_VERDICTS = ['-j DNAT --to-destination 10.244.1.1:80', '-j DNAT --to-destination 192.168.0.2', '-j MASQUERADE']

function tableText(name: string, builtIn: readonly string[], verdicts: readonly string[]): fc.Arbitrary<string> {
  const rule = fc
    .tuple(fc.constantFrom(...builtIn, ...CHAINS), fc.constantFrom(...CONDITIONS), fc.constantFrom(...verdicts))
    .map(([chain, condition, verdict]) => ['-A', chain, condition, verdict].filter((word) => word !== '').join(' '))
  return fc.array(rule, { maxLength: 14 }).map((rules) => {
    const chains = CHAINS.map((chain) => `:${chain} - [0:0]`)
    return [`*${name}`, ...chains, ...rules, 'COMMIT\n'].join('\n')
  })
}

const tables = fc
  .tuple(
    tableText('mangle', ['PREROUTING', 'FORWARD', 'OUTPUT'], VERDICTS),
    tableText('filter', ['INPUT', 'FORWARD', 'OUTPUT'], VERDICTS),
    tableText('nat', ['PREROUTING', 'OUTPUT', 'POSTROUTING'], [...VERDICTS, ...NAT_VERDICTS]),
  )
  .map((texts) => texts.join(''))

const packets: fc.Arbitrary<Packet> = fc.record({
  origin: fc.constantFrom('pod', 'node', 'outside'),
  protocol: fc.constantFrom('TCP', 'UDP'),
  source: fc.constantFrom('10.244.1.1', '192.168.0.2', '203.0.113.2'),
  destination: fc.constantFrom('10.96.0.1', '192.168.0.2', '127.0.0.1'),
  destinationPort: fc.constantFrom(80, 443),
})

const addresses = fc.constantFrom(undefined, [], ['192.168.0.2'])

/** Adds the weights of the paths that are consistent with the given truth values of assumptions. */
function weightWhere(paths: readonly TracePath[], isTrue: (what: string) => boolean): Fraction {
  const remaining = paths.filter(({ assumptions }) =>
    assumptions.every(({ condition, value }) => isTrue(condition) === value),
  )
  return remaining.map(({ weight }) => parseFraction(weight)).reduce(addFractions, createFraction(0n, 1n))
}

it('trace returns paths with total weight 1 for all results of unknown matches', () => {
  fc.assert(
    fc.property(tables, packets, addresses, fc.func(fc.boolean()), (text, packet, own, isTrue) => {
      const parsed = parseIptables(text, 'IPv4')
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
      const state = { family: 'IPv4', iptables: parsed.value } as const
      const paths = trace(state, packet, { addresses: own })
      expect(weightWhere(paths, isTrue)).toEqual({ numerator: 1, denominator: 1 })
      expect(weightWhere(paths, (what) => !isTrue(what))).toEqual({ numerator: 1, denominator: 1 })
      expect(trace(state, packet, { addresses: own })).toEqual(paths)
      expect(JSON.parse(JSON.stringify(paths))).toEqual(paths)
    }),
    { numRuns: runs(200) },
  )
})

it('trace returns paths through any state that can be parsed', () => {
  const line = fc.oneof(anyText({ maxLength: 30 }), fc.constantFrom('-A INPUT -j A', ':A - [0:0]', '-A t'))
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), packets, (lines, packet) => {
      const dump = parseDump(['*filter', ...lines, 'COMMIT', ''].join('\n'))
      if (dump.ok) expect(trace(annotateOwners(dump.value.IPv4), packet).length).toBeGreaterThan(0)
    }),
    { numRuns: runs(100) },
  )
})
