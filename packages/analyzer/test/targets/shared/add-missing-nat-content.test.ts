import { describe, expect, it } from 'vitest'
import type { IptablesState, Rule } from '../../../../compiler/src/dataplane/iptables/ast.js'
import type { StateCoverage } from '../../../../compiler/src/dataplane/netfilter/coverage.js'
import { print } from '../../../../compiler/src/print/print.js'
import { readDump } from '../../../../compiler/test/support/read-dump.js'
import { addMissingNatChains, addMissingNatJumps } from '../../../src/targets/shared/add-missing-nat-content.js'

const TAKEN = '-m comment --comment "missing in the dump; assumed to be as kube-proxy creates it"'

/** Builds a nat table with these rules, and a filter table with one. */
function stateOf(rules: readonly string[], declared: readonly string[] = []): IptablesState {
  const chains = new Set([...rules.map((rule) => rule.split(' ')[1] ?? ''), ...declared])
  const heads = Array.from(chains, (chain) => `:${chain} ${chain.startsWith('KUBE-') ? '-' : 'ACCEPT'} [0:0]`)
  const filter = ['*filter', ':KUBE-FORWARD - [0:0]', '-A KUBE-FORWARD -j ACCEPT', 'COMMIT']
  const state = readDump([...['*nat', ...heads, ...rules, 'COMMIT'], ...filter, ''].join('\n')).IPv4.iptables
  if (state === undefined) throw new Error('there are no rules')
  return state
}

/** Returns the rules of the nat table; `~` replaces the note after completed rules. */
function rulesOf(iptables: IptablesState): readonly string[] {
  const nat = { ...iptables, tables: iptables.tables.filter(({ name }) => name === 'nat') }
  const lines = print({ family: 'IPv4', iptables: nat }, { format: 'save' }).split('\n')
  return lines.filter((line) => line.startsWith('-A ')).map((line) => line.replace(TAKEN, '~'))
}

/** Returns the completed rules. */
function filled(rules: readonly string[], complete: readonly string[] = []): readonly string[] {
  return rulesOf(addMissingNatChains(stateOf(rules), { complete })).filter((line) => line.includes(' ~ '))
}

const MASQUERADE = [
  '-A POSTROUTING ~ -j KUBE-POSTROUTING',
  '-A KUBE-POSTROUTING ~ -m mark --mark 0x4000/0x4000 -j MASQUERADE',
]
const TO_SERVICES = ['-A PREROUTING ~ -j KUBE-SERVICES', '-A OUTPUT ~ -j KUBE-SERVICES']
const MARK = '-A KUBE-MARK-MASQ ~ -j MARK --set-xmark 0x4000/0x4000'
const TO_NODE_PORTS = '-A KUBE-SERVICES ~ -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS'

const AT_SERVICES = '-A KUBE-SERVICES -d 10.0.0.1/32 -p tcp -m tcp --dport 80 -j KUBE-SVC-A'
const AT_NODE_PORTS = '-A KUBE-NODEPORTS -p tcp -m tcp --dport 30080 -j KUBE-EXT-A'
const ENDPOINT = '-A KUBE-SVC-A -j KUBE-SEP-A'
const MARKING = '-A KUBE-SVC-A -d 10.0.0.1/32 -j KUBE-MARK-MASQ'
const EXTERNAL = '-A KUBE-EXT-A -m comment --comment "masquerade traffic for a/b" -j KUBE-MARK-MASQ'
const POD = '-A KUBE-EXT-A -s 10.0.0.0/8 -m comment --comment "pod traffic for a/b" -j KUBE-SVC-A'
const BALANCED = '-A KUBE-SVL-A -j KUBE-SEP-A'

describe('addMissingNatChains', () => {
  it.each([
    ['a chain of a service port', [ENDPOINT], MASQUERADE],
    ['a rule of KUBE-SERVICES', [AT_SERVICES], [...TO_SERVICES, ...MASQUERADE]],
    ['a rule of KUBE-NODEPORTS', [AT_NODE_PORTS], [...TO_SERVICES, ...MASQUERADE, TO_NODE_PORTS]],
    ['a jump to KUBE-MARK-MASQ', [MARKING], [...MASQUERADE, MARK]],
    [
      'the cluster IP of a chain that no rule jumps to',
      ['-A KUBE-SVC-A ! -s 10.0.0.0/8 -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j KUBE-MARK-MASQ'],
      [
        ...TO_SERVICES,
        ...MASQUERADE,
        MARK,
        '-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp ~ -m tcp --dport 80 -j KUBE-SVC-A',
      ],
    ],
    [
      'the cluster IP of a chain, and a jump to it',
      ['-A KUBE-SVC-A -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j KUBE-MARK-MASQ', '-A KUBE-NODEPORTS -j KUBE-SVC-A'],
      [...TO_SERVICES, ...MASQUERADE, MARK, TO_NODE_PORTS],
    ],
    [
      'a jump to KUBE-MARK-DROP',
      ['-A KUBE-XLB-A -j KUBE-MARK-DROP'],
      [...MASQUERADE, '-A KUBE-MARK-DROP ~ -j MARK --set-xmark 0x8000/0x8000'],
    ],
    [
      'a jump to KUBE-MARK-MASQ, and its rule',
      [MARKING, '-A KUBE-MARK-MASQ -j MARK --set-xmark 0x8000/0x8000'],
      MASQUERADE,
    ],
    ['the rule that masquerades', [ENDPOINT, '-A KUBE-POSTROUTING -j MASQUERADE'], MASQUERADE.slice(0, 1)],
    ['the jump to KUBE-POSTROUTING', [ENDPOINT, '-A POSTROUTING -j KUBE-POSTROUTING'], MASQUERADE.slice(1)],
    ['a jump to a chain of another program', [ENDPOINT, '-A POSTROUTING -j CNI'], MASQUERADE],
    [
      'one of the jumps to KUBE-SERVICES',
      [AT_SERVICES, '-A PREROUTING -j KUBE-SERVICES'],
      [...TO_SERVICES.slice(1), ...MASQUERADE],
    ],
    [
      'the jump to KUBE-NODEPORTS',
      [AT_NODE_PORTS, '-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS'],
      [...TO_SERVICES, ...MASQUERADE],
    ],
  ])('adds the missing rules if the dump contains %s', (_, rules, expected) => {
    expect([...filled(rules)].sort()).toEqual([...expected].sort())
  })

  it.each([
    ['the last rule to all endpoints', [EXTERNAL, ENDPOINT], ['-A KUBE-EXT-A ~ -j KUBE-SVC-A']],
    ['the last rule to local endpoints', [POD, BALANCED, ENDPOINT], ['-A KUBE-EXT-A ~ -j KUBE-SVL-A']],
    [
      'the rules to local endpoints before the rules to all endpoints',
      [EXTERNAL, BALANCED, ENDPOINT],
      ['-A KUBE-EXT-A ~ -j KUBE-SVL-A'],
    ],
    ['nothing if all rules exist', [EXTERNAL, '-A KUBE-EXT-A -j KUBE-SVC-A', ENDPOINT], []],
    ['nothing if the rules to local endpoints exist', [POD, '-A KUBE-EXT-A -j KUBE-SVL-A', BALANCED, ENDPOINT], []],
    ['nothing if no rule masquerades', [POD, ENDPOINT], []],
    ['nothing if there are no endpoints', [EXTERNAL], []],
    ['nothing for another service port', [EXTERNAL, '-A KUBE-SVC-B -j KUBE-SEP-B'], []],
    ['nothing if only some sources are masqueraded', ['-A KUBE-EXT-A -s 10.0.0.1/32 -j KUBE-MARK-MASQ', ENDPOINT], []],
  ])('adds for an external chain %s', (_, rules, expected) => {
    expect(filled(rules).filter((line) => line.includes('KUBE-EXT-'))).toEqual(expected)
  })

  it.each([
    ['the whole dump', ['iptables'], []],
    ['table nat', ['nat'], []],
    ['KUBE-POSTROUTING', ['nat/KUBE-POSTROUTING'], [TO_NODE_PORTS, MARK, MASQUERADE[0], ...TO_SERVICES]],
    ['KUBE-MARK-MASQ', ['nat/KUBE-MARK-MASQ'], [TO_NODE_PORTS, ...MASQUERADE, ...TO_SERVICES]],
    ['KUBE-SERVICES', ['nat/KUBE-SERVICES'], [MARK, ...MASQUERADE, ...TO_SERVICES]],
    ['PREROUTING', ['nat/PREROUTING'], [TO_NODE_PORTS, MARK, ...MASQUERADE, TO_SERVICES[1]]],
    ['OUTPUT', ['nat/OUTPUT'], [TO_NODE_PORTS, MARK, ...MASQUERADE, TO_SERVICES[0]]],
    ['POSTROUTING', ['nat/POSTROUTING'], [TO_NODE_PORTS, MARK, MASQUERADE[1], ...TO_SERVICES]],
  ])('adds no rules to a complete part: %s', (_, whole, expected) => {
    expect([...filled([AT_NODE_PORTS, MARKING], whole)].sort()).toEqual([...expected].sort())
  })

  // The names are from kube-proxy: the hash of the service port, its protocol and the endpoint.
  const TO_ENDPOINT =
    '-A KUBE-SVC-4SW47YFZTEDKD3PK -m comment --comment "ns4/svc4:p80 -> 10.180.0.5:80" -j KUBE-SEP-C6EBXVWJJZMIWKLZ'
  const OF_ENDPOINT = [
    '-A KUBE-SEP-C6EBXVWJJZMIWKLZ -s 10.180.0.5/32 ~ -j KUBE-MARK-MASQ',
    '-A KUBE-SEP-C6EBXVWJJZMIWKLZ -p tcp ~ -j DNAT --to-destination 10.180.0.5:80',
  ]

  it('adds the rules of an endpoint that the comment of a jump names', () => {
    expect([...filled([TO_ENDPOINT])].sort()).toEqual([...OF_ENDPOINT, MARK, ...MASQUERADE].sort())
  })

  it('adds the rules of an endpoint of IPv6', () => {
    const jump =
      '-A KUBE-SVC-67NZLRHBNDSAWJRO -m comment --comment "shop/web:http -> [fd00:10:244:2::7]:8080" -j KUBE-SEP-7QTA7V2MB73VPFY4'
    expect(filled([jump]).filter((line) => line.includes('DNAT'))).toEqual([
      '-A KUBE-SEP-7QTA7V2MB73VPFY4 -p tcp ~ -j DNAT --to-destination [fd00:10:244:2::7]:8080',
    ])
  })

  it.each([
    ['the name is the hash of another endpoint', [TO_ENDPOINT.replace('0.5:80', '0.6:80')], []],
    ['the name is the hash of another service port', [TO_ENDPOINT.replace(':p80 ', ':p81 ')], []],
    ['the comment names no endpoint', [TO_ENDPOINT.replace(' -> 10.180.0.5:80', '')], []],
    ['the dump has a rule of the chain', [TO_ENDPOINT, '-A KUBE-SEP-C6EBXVWJJZMIWKLZ -j RETURN'], []],
    ['the chain is complete', [TO_ENDPOINT], ['nat/KUBE-SEP-C6EBXVWJJZMIWKLZ']],
    ['the table is complete', [TO_ENDPOINT], ['nat']],
  ])('adds no rules of an endpoint if %s', (_, rules, complete) => {
    expect(filled(rules, complete).filter((line) => line.includes('-A KUBE-SEP-'))).toEqual([])
  })

  it('does not add a last rule to a complete chain', () => {
    expect(filled([EXTERNAL, ENDPOINT], ['nat/KUBE-EXT-A']).filter((line) => line.includes('-EXT-'))).toEqual([])
  })

  it('returns the identical state if nothing is missing', () => {
    const state = stateOf([AT_SERVICES, MARKING])
    for (const fragment of [undefined, { complete: ['iptables'] }] as const) {
      expect(addMissingNatChains(state, fragment).tables.map((table, at) => table === state.tables[at])).toEqual([
        true,
        true,
      ])
    }
    const some = addMissingNatChains(state, { complete: [] }).tables.map((table, at) => table === state.tables[at])
    expect(some).toEqual([false, true])
  })

  it('declares each added chain once', () => {
    const state = stateOf([MARKING, ENDPOINT], ['KUBE-POSTROUTING'])
    const [nat] = addMissingNatChains(state, { complete: [] }).tables
    const last = nat?.blocks.at(-1)
    expect([last?.owner, last?.chains]).toEqual(['', ['KUBE-MARK-MASQ']])
    const chains = nat?.blocks.flatMap((block) => block.chains) ?? []
    expect(new Set(chains).size).toBe(chains.length)
  })
})

describe('jumps from built-in chains', () => {
  const jumpTo = (chain: string, to: string, more: Partial<Rule> = {}): Rule => ({
    chain,
    matches: [{ kind: 'comment', text: 'its own' }],
    target: { kind: 'jump', chain: to },
    ...more,
  })
  const JUMPS = [
    jumpTo('PREROUTING', 'KUBE-A'),
    jumpTo('PREROUTING', 'KUBE-B', { appended: true }),
    jumpTo('OUTPUT', 'KUBE-A'),
    jumpTo('OUTPUT', 'KUBE-C'),
    { chain: 'OUTPUT', matches: [], target: { kind: 'accept' } } as const,
  ]
  const GIVEN = ['-A PREROUTING -j CNI', '-A KUBE-A -j ACCEPT', '-A KUBE-B -j ACCEPT']
  const jumpsOf = (rules: readonly string[], fragment: StateCoverage | undefined) =>
    rulesOf(addMissingNatJumps(stateOf(rules), fragment, JUMPS)).filter((line) =>
      /^-A (?:PREROUTING|OUTPUT) /.test(line),
    )

  it('are added for existing chains, before or after existing rules', () => {
    expect(jumpsOf(GIVEN, { complete: [] })).toEqual([
      '-A PREROUTING ~ -j KUBE-A',
      '-A PREROUTING -j CNI',
      '-A PREROUTING ~ -j KUBE-B',
      '-A OUTPUT ~ -j KUBE-A',
    ])
  })

  it('are not added if they exist or the dump is complete', () => {
    expect(jumpsOf([...GIVEN, '-A PREROUTING -j KUBE-A'], { complete: ['nat/OUTPUT'] })).toEqual([
      '-A PREROUTING -j CNI',
      '-A PREROUTING -j KUBE-A',
      '-A PREROUTING ~ -j KUBE-B',
    ])
    const state = stateOf(GIVEN)
    for (const fragment of [undefined, { complete: ['nat'] }] as const) {
      expect(addMissingNatJumps(state, fragment, JUMPS).tables[0]).toBe(state.tables[0])
    }
    expect(addMissingNatJumps(state, { complete: [] }, JUMPS).tables[1]).toBe(state.tables[1])
  })
})
