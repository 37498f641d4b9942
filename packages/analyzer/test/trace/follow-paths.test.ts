import type { Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import type { IpsetState } from '../../../compiler/src/dataplane/ipset/ast.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { PROXY_MODES } from '../../../compiler/src/targets/modes.js'
import { readState } from '../../../compiler/test/dataplane/iptables/read-rule.js'
import { tablesOf } from '../../../compiler/test/dataplane/nftables/tables.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { compileCase } from '../../../compiler/test/support/compiled.js'
import { packetsFor } from '../../../compiler/test/support/packets.js'
import { passage } from '../../../compiler/test/support/passages.js'
import { fewRuns, isWhole } from '../../../compiler/test/support/runs.js'
import { MATCH_EVALUATORS } from '../../src/dataplane/iptables/evaluate/evaluate-matches.js'
import { trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'

/**
 * `isPlain`: the trace follows each path separately. `spared`: the number of paths that were not followed separately.
 */
const leading = vi.hoisted(() => ({ isPlain: false, spared: 0 }))

vi.mock('../../src/trace/follow-paths.js', async (importOriginal) => {
  const { followPaths } = await importOriginal<typeof import('../../src/trace/follow-paths.js')>()
  const counting: typeof followPaths = (paths, follow, like) => {
    if (leading.isPlain) return paths.flatMap(follow)
    leading.spared += paths.length
    return followPaths(
      paths,
      (path) => {
        leading.spared--
        return follow(path)
      },
      like,
    )
  }
  return { followPaths: counting }
})

/** Returns the full trace of a packet, with or without separate paths. */
function tracedText(isPlain: boolean, ...[state, packet, traceContext]: Parameters<typeof trace>): string {
  leading.isPlain = isPlain
  return JSON.stringify(trace(state, packet, traceContext), null, 1)
}

function expectSame(...given: Parameters<typeof trace>): void {
  expect(tracedText(false, ...given)).toBe(tracedText(true, ...given))
}

it.each(PROXY_MODES)('reused paths through compiled rules equal paths that are traced separately: %s', (mode) => {
  leading.spared = 0
  const samples = cases.chain((given) => {
    const options = optionsOfMode(given.options, mode)
    const { families } = compileCase({ cluster: understoodCluster(given.cluster, options), options })
    const packets = families.map(({ plan }) => fc.array(packetsFor(plan), { minLength: 6, maxLength: 6 }))
    return fc
      .tuple(...packets)
      .map((of) => families.map(({ state, plan }, index) => ({ state, plan, packets: of[index] })))
  })
  fc.assert(
    fc.property(samples, (families) => {
      for (const { state, plan, packets = [] } of families) {
        for (const packet of packets) for (const known of [traceContextFor(plan), {}]) expectSame(state, packet, known)
      }
    }),
    { numRuns: fewRuns(30) },
  )
  // In userspace mode there is only one path, because all packets of a service port go to one process.
  if (mode === 'userspace') expect(leading.spared).toBe(0)
  else if (isWhole) expect(leading.spared).toBeGreaterThan(0)
})

const PLACES = ['10.0.0.1:80', '10.0.0.2:80', '10.0.0.2:81', '10.0.0.3:80', '192.168.0.2:80']

/** Rules that choose randomly between several destinations, as kube-proxy does between endpoints. */
const CHOICE = PLACES.flatMap((place, index) => {
  const chance = `-m statistic --mode random --probability ${(1 / (PLACES.length - index)).toFixed(10)}`
  return ['PREROUTING', 'OUTPUT'].map(
    (chain) => `-A ${chain} -d 10.96.0.1/32 ${chance} -j DNAT --to-destination ${place}`,
  )
})

const CONDITIONS = [
  ...[
    '',
    '-d 10.0.0.1/32',
    '! -d 10.0.0.0/31',
    '-d 10.0.0.2/31 -s 203.0.113.2',
    '-p tcp -m tcp --dport 80',
    '-o lo',
    '-o eth0',
  ],
  ...[
    '-m addrtype --dst-type LOCAL',
    '-m mark --mark 0x1/0x1',
    '-m conntrack --ctstate DNAT',
    '-m hashlimit --hashlimit-upto 5/sec',
  ],
  ...[
    '-m set --match-set PLACES dst,dst',
    '-m set --match-set HAIRPIN dst,dst,src',
    '-m statistic --mode random --probability 0.5',
  ],
]
const VERDICTS = ['', '-j DROP', '-j RETURN', '-j REJECT', '-j MARK --xor-mark 0x1', '-j A', '-g B', '-j LOG']

function rulesOf(chains: readonly string[], verdicts: readonly string[]): fc.Arbitrary<readonly string[]> {
  const rule = fc.tuple(
    fc.constantFrom(...chains, 'A', 'B'),
    fc.constantFrom(...CONDITIONS),
    fc.constantFrom(...verdicts),
  )
  return fc.array(
    rule.map(([chain, condition, verdict]) =>
      ['-A', chain, condition, verdict].filter((word) => word !== '').join(' '),
    ),
    { maxLength: 10 },
  )
}

const HASH = { family: 'inet', hashsize: 1024, maxelem: 65536 } as const
const PLACE = { address: '10.0.0.3', protocol: 'tcp', port: 80 } as const
const SETS: IpsetState = {
  sets: [
    { ...HASH, name: 'PLACES', type: 'hash:ip,port', entries: [{ ...PLACE, kind: 'ip,port' }] },
    {
      ...HASH,
      name: 'HAIRPIN',
      type: 'hash:ip,port,ip',
      entries: [{ ...PLACE, kind: 'ip,port,ip', secondAddress: PLACE.address }],
    },
  ],
}

/** Enough rules for a lookup by destination. */
const DISPATCH = Array.from({ length: 20 }, (_, index) => `-A A -d 10.0.0.${2 * index}/32 -j MARK --xor-mark 0x1`)
const NAT_VERDICTS = ['-j MASQUERADE', '-j DNAT --to-destination 10.0.0.2:81', '-j REDIRECT --to-ports 81']

/** Generates a dump with arbitrary rules, which may translate a destination twice, possibly in different tables. */
const tables: fc.Arbitrary<NodeState> = fc
  .record({
    choosing: fc.constantFrom('nat', 'mangle'),
    mangle: fc.constant([]),
    filter: rulesOf(['INPUT', 'FORWARD', 'OUTPUT'], VERDICTS),
    nat: rulesOf(['POSTROUTING', 'INPUT', 'PREROUTING'], [...VERDICTS, ...NAT_VERDICTS]),
    security: rulesOf(['OUTPUT', 'INPUT', 'FORWARD'], [...VERDICTS, '-j ACCEPT']),
  })
  .map(({ choosing, ...rules }) => {
    const text = Object.entries(rules).map(([name, own]) =>
      [
        `*${name}`,
        ':A - [0:0]',
        ':B - [0:0]',
        ...(name === choosing ? CHOICE : []),
        ...(name === 'filter' ? DISPATCH : []),
        ...own,
        'COMMIT\n',
      ].join('\n'),
    )
    return { family: 'IPv4', iptables: readState(text.join('')), ipset: SETS }
  })

const packets: fc.Arbitrary<Packet> = fc.record({
  origin: fc.constantFrom('pod', 'node', 'outside'),
  protocol: fc.constant('TCP'),
  source: fc.constantFrom('10.0.0.3', '192.168.0.2', '203.0.113.2'),
  destination: fc.constant('10.96.0.1'),
  destinationPort: fc.constant(80),
})

const surroundings = fc.constantFrom({ addresses: ['192.168.0.2'] }, { addresses: ['10.0.0.2', '192.168.0.2'] }, {})

it('reused paths through arbitrary iptables rules equal paths that are traced separately', () => {
  leading.spared = 0
  fc.assert(fc.property(tables, packets, surroundings, expectSame), { numRuns: fewRuns(80) })
  expect(leading.spared).toBeGreaterThan(isWhole ? 100 : 0)
})

const NFT_CONDITIONS = [
  ...[
    '',
    'ip daddr 10.0.0.1',
    'ip daddr != { 10.0.0.0/31, 10.0.0.3 }',
    'tcp dport 80',
    'th dport 81',
    'ct status dnat',
  ],
  ...[
    'ip daddr . tcp dport @places',
    'fib daddr type local',
    'oifname "lo"',
    'meta mark & 0x1 == 0x1',
    'ip saddr 10.0.0.3',
  ],
]
const NFT_VERDICTS = [
  ...['accept', 'drop', 'return', 'reject', 'meta mark set meta mark xor 0x1', 'jump a', 'goto b'],
  ...['ip daddr . tcp dport vmap @verdicts', 'ip daddr vmap { 10.0.0.1 : drop, 10.0.0.2/31 : jump a }'],
]

function nftRules(extra: readonly string[] = []): fc.Arbitrary<string> {
  const rule = fc
    .tuple(fc.constantFrom(...NFT_CONDITIONS), fc.constantFrom(...NFT_VERDICTS, ...extra))
    .map((words) => words.join(' ').trim())
  return fc.array(rule, { maxLength: 4 }).map((rules) => rules.join('\n'))
}

const nftTables: fc.Arbitrary<NodeState> = fc
  .record({
    forward: nftRules(),
    output: nftRules(),
    input: nftRules(),
    post: nftRules(['masquerade']),
    a: nftRules(),
    b: nftRules(),
  })
  .map(({ forward, output, input, post, a, b }) => {
    const map = PLACES.map((place, index) => `${index} : ${place.replace(':', ' . ')}`).join(', ')
    const choice = `ip daddr 10.96.0.1 dnat ip to numgen random mod ${PLACES.length} map { ${map} }`
    const chains = [
      ['pre', `type nat hook prerouting priority -100;`, choice],
      ['out', `type nat hook output priority -100;`, choice],
      ['forward', `type filter hook forward priority 0;`, forward],
      ['output', `type filter hook output priority 0;`, output],
      ['input', `type filter hook input priority 0;`, input],
      ['post', `type nat hook postrouting priority 100;`, post],
      ['a', '', a],
      ['b', '', b],
    ].map(([name, head, rules]) => `chain ${name} {\n${head}\n${rules}\n}`)
    const set = 'set places {\ntype ipv4_addr . inet_service\nelements = { 10.0.0.1 . 80, 10.0.0.2 . 80 }\n}'
    const verdicts =
      'map verdicts {\ntype ipv4_addr . inet_service : verdict\nelements = { 10.0.0.2 . 81 : drop, 10.0.0.3 . 80 : goto b }\n}'
    return {
      family: 'IPv4',
      nftables: { tables: tablesOf(['table ip t {', set, verdicts, ...chains, '}\n'].join('\n')) },
    }
  })

it('reused paths through arbitrary nftables rules equal paths that are traced separately', () => {
  leading.spared = 0
  fc.assert(fc.property(nftTables, packets, surroundings, expectSame), { numRuns: fewRuns(500) })
  expect(leading.spared).toBeGreaterThan(isWhole ? 100 : 0)
})

it('reused paths count their rules towards the limit', () => {
  const endpoints = Array.from({ length: 200 }, (_, index) => `10.1.${index >> 8}.${index & 255}:80`)
  const choice = endpoints.map(
    (place, index) =>
      `-A PREROUTING -m statistic --mode random --probability ${(1 / (endpoints.length - index)).toFixed(10)} -j DNAT --to-destination ${place}`,
  )
  const many = Array.from({ length: 700 }, (_, index) => `-A FORWARD -m comment --comment ${index}`)
  const text = ['*nat', ...choice, 'COMMIT', '*filter', ...many, 'COMMIT\n'].join('\n')
  const packet: Packet = {
    origin: 'outside',
    protocol: 'TCP',
    source: '203.0.113.2',
    destination: '10.96.0.1',
    destinationPort: 80,
  }
  const state: NodeState = { family: 'IPv4', iptables: readState(text) }
  expectSame(state, packet, { addresses: [] })
  expect(tracedText(false, state, packet, { addresses: [] })).toContain('too many rules')
})

it('a match marked as independent of the destination never reads the destination', () => {
  const { packet, ...rest } = passage()
  const reading = () => {
    throw new Error('reads the destination')
  }
  const guarded = Object.defineProperties(
    { ...packet },
    { destination: { get: reading }, destinationPort: { get: reading } },
  )
  const given = {
    ...{
      name: 'x',
      address: '10.0.0.0/8',
      negated: false,
      protocol: 'tcp',
      first: 1,
      last: 2,
      port: 80,
      text: '',
      value: 0,
    },
    ...{ mask: 0, states: ['NEW'], probability: '0.5', action: 'rcheck', seconds: 1, reap: false, is: 'in' },
    ...{ side: 'source', type: 'LOCAL' },
  }
  const ignoring = Object.entries(MATCH_EVALUATORS).filter(([, { ignoresDestination }]) => ignoresDestination)
  expect(ignoring.length).toBeGreaterThan(9)
  for (const [kind, { evaluate }] of ignoring) {
    expect(() =>
      (evaluate as (...args: unknown[]) => unknown)({ kind, ...given }, { ...rest, packet: guarded }),
    ).not.toThrow()
  }
})
