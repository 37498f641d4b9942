import { describe, expect, it } from 'vitest'
import { parseIptables } from '../../../../analyzer/src/dataplane/iptables/parse/parse.js'
import type { IptablesState } from '../../../src/dataplane/iptables/ast.js'
import { printSave } from '../../../src/dataplane/iptables/print/print-save.js'
import type { ToolCommand } from '../../../src/dataplane/netfilter/tool-command.js'
import { type Features, featuresOf } from '../../../src/model/configuration/features.js'
import { cleanUpIptables } from '../../../src/targets/iptables/clean-up.js'
import { loaded, stateOf, textsOf } from '../../support/iptables-states.js'
import { afterRuns, EMPTY_MACHINE } from '../../support/machine.js'
import { endpoint, features, servicePort } from '../../support/model-builder.js'

const V1_30 = features({ cleanupRemovesProxyFirewall: false })
const V1_31 = features()

const STATE = stateOf([servicePort({ endpoints: [endpoint()], nodePort: 30_080 })])
const NEW = ['-m', 'conntrack', '--ctstate', 'NEW']

function comment(text: string): readonly string[] {
  return ['-m', 'comment', '--comment', text]
}

/** The jumps that cleanup removes from built-in chains: table, chain, matches and target. */
const JUMPS: readonly (readonly string[])[] = [
  ['filter', 'INPUT', ...NEW, ...comment('kubernetes load balancer firewall'), '-j', 'KUBE-PROXY-FIREWALL'],
  ['filter', 'INPUT', ...comment('kubernetes health check service ports'), '-j', 'KUBE-NODEPORTS'],
  [
    'filter',
    'INPUT',
    ...NEW,
    ...comment('kubernetes externally-visible service portals'),
    '-j',
    'KUBE-EXTERNAL-SERVICES',
  ],
  ['filter', 'FORWARD', ...NEW, ...comment('kubernetes load balancer firewall'), '-j', 'KUBE-PROXY-FIREWALL'],
  ['filter', 'FORWARD', ...comment('kubernetes forwarding rules'), '-j', 'KUBE-FORWARD'],
  ['filter', 'FORWARD', ...NEW, ...comment('kubernetes service portals'), '-j', 'KUBE-SERVICES'],
  [
    'filter',
    'FORWARD',
    ...NEW,
    ...comment('kubernetes externally-visible service portals'),
    '-j',
    'KUBE-EXTERNAL-SERVICES',
  ],
  ['filter', 'OUTPUT', ...NEW, ...comment('kubernetes load balancer firewall'), '-j', 'KUBE-PROXY-FIREWALL'],
  ['filter', 'OUTPUT', ...NEW, ...comment('kubernetes service portals'), '-j', 'KUBE-SERVICES'],
  ['nat', 'PREROUTING', ...comment('kubernetes service portals'), '-j', 'KUBE-SERVICES'],
  ['nat', 'OUTPUT', ...comment('kubernetes service portals'), '-j', 'KUBE-SERVICES'],
  ['nat', 'POSTROUTING', ...comment('kubernetes postrouting rules'), '-j', 'KUBE-POSTROUTING'],
]

const NAT = `*nat
:KUBE-SERVICES - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-EXT-XPGD46QRK7WJZT7O - [0:0]
:KUBE-SEP-SXIVWICOYRO3J4NJ - [0:0]
:KUBE-SVC-XPGD46QRK7WJZT7O - [0:0]
-X KUBE-SERVICES
-X KUBE-NODEPORTS
-X KUBE-POSTROUTING
-X KUBE-EXT-XPGD46QRK7WJZT7O
-X KUBE-SEP-SXIVWICOYRO3J4NJ
-X KUBE-SVC-XPGD46QRK7WJZT7O
COMMIT
`

const FILTER_1_30 = `*filter
:KUBE-SERVICES - [0:0]
:KUBE-EXTERNAL-SERVICES - [0:0]
:KUBE-FORWARD - [0:0]
:KUBE-NODEPORTS - [0:0]
-X KUBE-SERVICES
-X KUBE-EXTERNAL-SERVICES
-X KUBE-FORWARD
-X KUBE-NODEPORTS
COMMIT
`

const FILTER_1_31 = FILTER_1_30.replace(
  ':KUBE-NODEPORTS - [0:0]\n',
  ':KUBE-NODEPORTS - [0:0]\n:KUBE-PROXY-FIREWALL - [0:0]\n',
).replace('-X KUBE-NODEPORTS\n', '-X KUBE-NODEPORTS\n-X KUBE-PROXY-FIREWALL\n')

/** Returns the commands of `cleanUp` for a node with only this state. */
function runsFor(iptables: IptablesState, version: Features): readonly ToolCommand[] {
  return cleanUpIptables({ family: iptables.family, iptables }, version)
}

/** Reads the state back from its iptables-save output. */
function dumped(state: IptablesState): IptablesState {
  const parsed = parseIptables(printSave(state, { backend: 'nft' }), state.family)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.value
}

describe('cleanUp of iptables mode', () => {
  const [jumps, restores] = [runsFor(STATE, V1_30).slice(0, 12), runsFor(STATE, V1_30).slice(12)]

  it('removes the jumps from built-in chains first, with one command per jump that may fail', () => {
    const runs = JUMPS.map(([table = '', chain = '', ...words]) => ({
      tool: 'iptables',
      args: ['-w', '5', '-t', table, '-D', chain, ...words],
      input: '',
      purpose: `remove a jump from ${chain}`,
      allowFailure: true,
      nothingToDo: [1, 2],
    }))
    expect(jumps).toEqual(runs)
  })

  it('removes the chains after the jumps, with one command per table', () => {
    expect(restores).toEqual([
      {
        tool: 'iptables-restore',
        args: ['-w', '5', '-T', 'nat', '--noflush', '--counters'],
        input: NAT,
        purpose: 'remove the chains of table nat',
      },
      {
        tool: 'iptables-restore',
        args: ['-w', '5', '-T', 'filter', '--noflush', '--counters'],
        input: FILTER_1_30,
        purpose: 'remove the chains of table filter',
      },
    ])
  })

  it('removes the chain KUBE-PROXY-FIREWALL in version 1.31 and later', () => {
    const inputs = runsFor(STATE, V1_31).map(({ input }) => input)
    expect(inputs.slice(12)).toEqual([NAT, FILTER_1_31])
  })

  it('returns the same commands for a state that was parsed from a dump', () => {
    for (const version of [V1_30, V1_31]) {
      expect(runsFor(dumped(STATE), version)).toEqual(runsFor(STATE, version))
    }
  })

  it('removes stale service port chains, but no chains of other programs', () => {
    const text = `*nat
:PREROUTING ACCEPT [0:0]
:KUBE-MARK-DROP - [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-SEP-OLD - [0:0]
:KUBE-FW-OLD - [0:0]
:KUBE-SVL-OLD - [0:0]
:CNI-HOSTPORT - [0:0]
COMMIT
*mangle
:KUBE-PROXY-CANARY - [0:0]
COMMIT
`
    const parsed = parseIptables(text, 'IPv4')
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    expect(
      runsFor(parsed.value, V1_30)
        .slice(12)
        .map(({ input }) => input),
    ).toEqual([
      `*nat
:KUBE-FW-OLD - [0:0]
:KUBE-SEP-OLD - [0:0]
:KUBE-SVL-OLD - [0:0]
-X KUBE-FW-OLD
-X KUBE-SEP-OLD
-X KUBE-SVL-OLD
COMMIT
`,
    ])
  })

  it('removes only jumps if the state has no tables', () => {
    const runs = runsFor({ family: 'IPv4', tables: [] }, V1_31)
    expect(runs.map(({ tool }) => tool)).toEqual(Array.from({ length: 12 }, () => 'iptables'))
  })

  it('uses ip6tables and ip6tables-restore for IPv6', () => {
    const tools = runsFor({ ...STATE, family: 'IPv6' }, V1_30).map(({ tool }) => tool)
    expect(new Set(tools.slice(0, 12))).toEqual(new Set(['ip6tables']))
    expect(tools.slice(12)).toEqual(['ip6tables-restore', 'ip6tables-restore'])
  })

  it('keeps the chains that kubelets also create', () => {
    const machine = afterRuns({ ...EMPTY_MACHINE, IPv4: loaded(STATE) }, runsFor(STATE, V1_31))
    const { nat, filter } = textsOf(machine.IPv4)
    expect(nat).toEqual({
      ...{ PREROUTING: [], INPUT: [], OUTPUT: [], POSTROUTING: [] },
      'KUBE-MARK-MASQ': ['-j MARK --or-mark 0x00004000'],
    })
    expect(filter).toEqual({
      ...{ INPUT: ['-j KUBE-FIREWALL'], FORWARD: [], OUTPUT: ['-j KUBE-FIREWALL'] },
      'KUBE-FIREWALL': [
        '-m comment --comment "block incoming localnet connections" -d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP',
      ],
    })
  })

  it('returns commands that have no effect when they are executed again', () => {
    const runs = runsFor({ family: 'IPv4', tables: [] }, V1_31)
    expect(afterRuns(EMPTY_MACHINE, runs)).toEqual(EMPTY_MACHINE)
  })
})

describe('cleanUpIptables for older versions', () => {
  const OLD_CHAINS = [
    'KUBE-SVC-A',
    'KUBE-SVL-A',
    'KUBE-EXT-A',
    'KUBE-FW-A',
    'KUBE-XLB-A',
    'KUBE-SEP-A',
    'KUBE-MARK-DROP',
  ]
  const FILTER_CHAINS = ['KUBE-SERVICES', 'KUBE-EXTERNAL-SERVICES', 'KUBE-FORWARD', 'KUBE-NODEPORTS']
  const held: IptablesState = {
    family: 'IPv4',
    tables: [
      { name: 'nat', jumps: [], blocks: [{ owner: '', chains: OLD_CHAINS, rules: [] }] },
      { name: 'filter', jumps: [], blocks: [{ owner: '', chains: FILTER_CHAINS, rules: [] }] },
    ],
  }
  const runsOf = (version: string) =>
    cleanUpIptables({ family: 'IPv4', iptables: held }, featuresOf('iptables', version, new Map()))
  const removedIn = (version: string, table: string) =>
    runsOf(version)
      .filter(({ args }) => args.includes(table))
      .flatMap(({ input }) => Array.from(input.matchAll(/^-X (\S+)$/gm), ([, chain]) => chain))

  it.each([
    ['1.28', ['KUBE-EXT-A', 'KUBE-FW-A', 'KUBE-SEP-A', 'KUBE-SVC-A', 'KUBE-SVL-A']],
    ['1.27', ['KUBE-EXT-A', 'KUBE-FW-A', 'KUBE-SEP-A', 'KUBE-SVC-A', 'KUBE-SVL-A', 'KUBE-XLB-A']],
    ['1.23', ['KUBE-FW-A', 'KUBE-SEP-A', 'KUBE-SVC-A', 'KUBE-XLB-A']],
  ])('in %s removes the chains %j from nat', (version, chains) => {
    expect(removedIn(version, 'nat')).toEqual(chains)
  })

  it('removes KUBE-NODEPORTS from filter only in versions that have this chain', () => {
    expect(removedIn('1.21', 'filter')).toEqual(FILTER_CHAINS)
    expect(removedIn('1.20', 'filter')).toEqual(FILTER_CHAINS.slice(0, 3))
  })

  it.each([
    ['1.18', true],
    ['1.24', true],
    ['1.25', false],
  ])('in %s removes the jump from INPUT to KUBE-SERVICES: %s', (version, isRemoved) => {
    const args = runsOf(version).map((run) => run.args.join(' '))
    expect(args.some((text) => /INPUT .*-j KUBE-SERVICES$/.test(text))).toBe(isRemoved)
  })
})
