import { describe, expect, it } from 'vitest'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import type { Plan } from '../../../compiler/src/plan/plan.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { buildPlan } from '../../../compiler/test/support/build-plan.js'
import { type Configuration, packet } from '../../../compiler/test/support/decisions.js'
import { ipvsModel } from '../../../compiler/test/support/ipvs-states.js'
import { lowerIptables, lowerIpvs, lowerNftables, lowerUserspace } from '../../../compiler/test/support/lower.js'
import { features, model, nodeFacts, settings } from '../../../compiler/test/support/model-builder.js'
import {
  ALL,
  ALL_HAIRPIN,
  ALL_MASQ,
  CONFIGURATIONS,
  type ConfigurationName,
  DESTINATIONS,
  type DestinationName,
  ONE,
  ONE_MASQ,
  SERVICES,
  SOURCES,
  type SourceName,
} from '../../../compiler/test/support/packet-matrix.js'
import { proxiedPlan } from '../../../compiler/test/support/proxied-plan.js'
import { trace } from '../../src/trace/trace.js'

type Row = [
  configuration: ConfigurationName,
  from: SourceName,
  to: DestinationName,
  expected: Readonly<Record<ProxyMode, string>>,
]

// The receivers of packets, in each mode, from section 3.15 of kube-proxy's behavior. ipvs mode has one list of real
// servers for all senders, does not masquerade packets to a Local policy, and ignores 127.0.0.1, as nftables mode does.
// In userspace mode a process accepts all packets, except those to external IPs in `atExternalIP`.
const PROXY = 'proxy'

const ROWS: readonly Row[] = [
  ['base', 'pod', 'clusterIP', { iptables: ALL, ipvs: ALL, nftables: ALL, userspace: PROXY }],
  ['base', 'pod', 'clusterIPLocal', { iptables: ONE, ipvs: ONE, nftables: ONE, userspace: PROXY }],
  [
    'base',
    'hairpin',
    'clusterIP',
    { iptables: ALL_HAIRPIN, ipvs: ALL_HAIRPIN, nftables: ALL_HAIRPIN, userspace: PROXY },
  ],
  ['base', 'hairpin', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY }],
  ['base', 'node', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['base', 'node', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY }],
  ['base', 'outside', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['base', 'outside', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY }],
  ['base', 'pod', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['base', 'hairpin', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['base', 'node', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['base', 'outside', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  [
    'base',
    'localhost',
    'localhost',
    { iptables: ALL_MASQ, ipvs: 'unmatched', nftables: 'unmatched', userspace: PROXY },
  ],
  ['base', 'pod', 'externalLocal', { iptables: ALL, ipvs: ONE, nftables: ALL, userspace: PROXY }],
  [
    'base',
    'hairpin',
    'externalLocal',
    { iptables: ALL_HAIRPIN, ipvs: ONE_MASQ, nftables: ALL_HAIRPIN, userspace: PROXY },
  ],
  ['base', 'node', 'externalLocal', { iptables: ALL_MASQ, ipvs: ONE, nftables: ALL_MASQ, userspace: PROXY }],
  ['base', 'outside', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE, userspace: PROXY }],
  [
    'base',
    'localhost',
    'localhostLocal',
    { iptables: ALL_MASQ, ipvs: 'unmatched', nftables: 'unmatched', userspace: PROXY },
  ],

  ['no detector', 'pod', 'clusterIP', { iptables: ALL, ipvs: ALL, nftables: ALL, userspace: PROXY }],
  ['no detector', 'pod', 'clusterIPLocal', { iptables: ONE, ipvs: ONE, nftables: ONE, userspace: PROXY }],
  [
    'no detector',
    'hairpin',
    'clusterIP',
    { iptables: ALL_HAIRPIN, ipvs: ALL_HAIRPIN, nftables: ALL_HAIRPIN, userspace: PROXY },
  ],
  [
    'no detector',
    'hairpin',
    'clusterIPLocal',
    { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY },
  ],
  ['no detector', 'node', 'clusterIP', { iptables: ALL, ipvs: ALL, nftables: ALL, userspace: PROXY }],
  ['no detector', 'node', 'clusterIPLocal', { iptables: ONE, ipvs: ONE, nftables: ONE, userspace: PROXY }],
  ['no detector', 'outside', 'clusterIP', { iptables: ALL, ipvs: ALL, nftables: ALL, userspace: PROXY }],
  ['no detector', 'outside', 'clusterIPLocal', { iptables: ONE, ipvs: ONE, nftables: ONE, userspace: PROXY }],
  ['no detector', 'pod', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['no detector', 'hairpin', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['no detector', 'node', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['no detector', 'outside', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  [
    'no detector',
    'localhost',
    'localhost',
    { iptables: ALL_MASQ, ipvs: 'unmatched', nftables: 'unmatched', userspace: PROXY },
  ],
  ['no detector', 'pod', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE, userspace: PROXY }],
  [
    'no detector',
    'hairpin',
    'externalLocal',
    { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY },
  ],
  ['no detector', 'node', 'externalLocal', { iptables: ALL_MASQ, ipvs: ONE, nftables: ALL_MASQ, userspace: PROXY }],
  ['no detector', 'outside', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE, userspace: PROXY }],
  [
    'no detector',
    'localhost',
    'localhostLocal',
    { iptables: ALL_MASQ, ipvs: 'unmatched', nftables: 'unmatched', userspace: PROXY },
  ],

  ['masqueradeAll', 'pod', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  [
    'masqueradeAll',
    'pod',
    'clusterIPLocal',
    { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY },
  ],
  [
    'masqueradeAll',
    'hairpin',
    'clusterIP',
    { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY },
  ],
  [
    'masqueradeAll',
    'hairpin',
    'clusterIPLocal',
    { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY },
  ],
  ['masqueradeAll', 'node', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  [
    'masqueradeAll',
    'node',
    'clusterIPLocal',
    { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY },
  ],
  [
    'masqueradeAll',
    'outside',
    'clusterIP',
    { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY },
  ],
  [
    'masqueradeAll',
    'outside',
    'clusterIPLocal',
    { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY },
  ],
  ['masqueradeAll', 'pod', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  [
    'masqueradeAll',
    'hairpin',
    'external',
    { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY },
  ],
  ['masqueradeAll', 'node', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  [
    'masqueradeAll',
    'outside',
    'external',
    { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY },
  ],
  [
    'masqueradeAll',
    'localhost',
    'localhost',
    { iptables: ALL_MASQ, ipvs: 'unmatched', nftables: 'unmatched', userspace: PROXY },
  ],
  ['masqueradeAll', 'pod', 'externalLocal', { iptables: ALL, ipvs: ONE, nftables: ALL, userspace: PROXY }],
  [
    'masqueradeAll',
    'hairpin',
    'externalLocal',
    { iptables: ALL_HAIRPIN, ipvs: ONE_MASQ, nftables: ALL_HAIRPIN, userspace: PROXY },
  ],
  ['masqueradeAll', 'node', 'externalLocal', { iptables: ALL_MASQ, ipvs: ONE, nftables: ALL_MASQ, userspace: PROXY }],
  ['masqueradeAll', 'outside', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE, userspace: PROXY }],
  [
    'masqueradeAll',
    'localhost',
    'localhostLocal',
    { iptables: ALL_MASQ, ipvs: 'unmatched', nftables: 'unmatched', userspace: PROXY },
  ],

  ['both', 'pod', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['both', 'pod', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY }],
  ['both', 'hairpin', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['both', 'hairpin', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY }],
  ['both', 'node', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['both', 'node', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY }],
  ['both', 'outside', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['both', 'outside', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY }],
  ['both', 'pod', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['both', 'hairpin', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['both', 'node', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  ['both', 'outside', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ, userspace: PROXY }],
  [
    'both',
    'localhost',
    'localhost',
    { iptables: ALL_MASQ, ipvs: 'unmatched', nftables: 'unmatched', userspace: PROXY },
  ],
  ['both', 'pod', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE, userspace: PROXY }],
  ['both', 'hairpin', 'externalLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ, userspace: PROXY }],
  ['both', 'node', 'externalLocal', { iptables: ALL_MASQ, ipvs: ONE, nftables: ALL_MASQ, userspace: PROXY }],
  ['both', 'outside', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE, userspace: PROXY }],
  [
    'both',
    'localhost',
    'localhostLocal',
    { iptables: ALL_MASQ, ipvs: 'unmatched', nftables: 'unmatched', userspace: PROXY },
  ],
]

const MODES: readonly ProxyMode[] = ['iptables', 'ipvs', 'nftables', 'userspace']

function planOf({ node, settings: fields }: Configuration): Plan {
  return buildPlan(model({ node: nodeFacts(node), settings: settings(fields), servicePorts: SERVICES }))
}

function ofNftables({ settings: fields, ...rest }: Configuration): Configuration {
  return { ...rest, settings: { features: features({}, 'nftables'), ...fields } }
}

const STATES: Readonly<Record<ProxyMode, (configuration: Configuration) => NodeState>> = {
  iptables: (configuration) => lowerIptables(planOf(configuration)),
  nftables: (configuration) => lowerNftables(planOf(ofNftables(configuration))),
  ipvs: (configuration) => lowerIpvs(buildPlan(ipvsModel(SERVICES, configuration))),
  userspace: (configuration) => lowerUserspace(proxiedPlan(SERVICES, configuration)),
}

/**
 * Returns the outcome in userspace mode at external IPs that are not addresses of the node. Only packets that arrive on
 * an interface, and not on a bridge, go to the process. For packets of pods, this is unknown.
 */
function atExternalIP(from: SourceName): string {
  const { origin } = SOURCES[from]
  if (origin === 'node') return 'unmatched'
  return origin === 'pod' ? 'proxy unmatched' : PROXY
}

/** Formats endpoints as `10.180.0.1 10.180.1.1*`, with an asterisk if masqueraded; or one word. */
function whoGetsIt(state: NodeState, configuration: ConfigurationName, from: SourceName, to: string): string {
  const sent = packet(SOURCES[from].source, to, { origin: SOURCES[from].origin, inInterface: 'eth0' })
  const { node }: Configuration = CONFIGURATIONS[configuration]
  const addresses = nodeFacts(node).addresses.map(({ address }) => address)
  const paths = trace(state, sent, { addresses })
  const given = paths.flatMap(({ assumptions }) => assumptions.map(({ condition }) => condition))
  expect(given.filter((what) => !what.includes('--physdev-is-in'))).toEqual([])
  return paths
    .map(({ outcome }) =>
      outcome.kind === 'delivered' ? `${outcome.address}${outcome.masqueraded ? '*' : ''}` : outcome.kind,
    )
    .sort()
    .join(' ')
}

describe.each(MODES)('%s mode', (mode) => {
  const states = new Map(Object.entries(CONFIGURATIONS).map(([name, each]) => [name, STATES[mode](each)]))

  describe.each(ROWS)(
    'with configuration "%s", a packet from %s to %s',
    (configuration, from, to, { [mode]: expected }) => {
      it.each(DESTINATIONS[to])(`%s has the outcome: ${expected}`, (destination) => {
        const isApart = mode === 'userspace' && destination.startsWith('192.168.99.')
        const found = whoGetsIt(states.get(configuration) as NodeState, configuration, from, destination)
        expect(found).toBe(isApart ? atExternalIP(from) : expected)
      })
    },
  )
})
