import { describe, expect, it } from 'vitest'
import type { NodeState } from '../../src/dataplane/languages.js'
import type { Plan } from '../../src/plan/plan.js'
import type { CompiledMode } from '../../src/targets/modes.js'
import { trace } from '../../src/trace.js'
import { buildPlan } from '../support/build-plan.js'
import { type Configuration, packet } from '../support/decisions.js'
import { ipvsModel } from '../support/ipvs-states.js'
import { lowerIptables, lowerIpvs, lowerNftables } from '../support/lower.js'
import { model, nodeFacts, settings } from '../support/model-builder.js'
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
} from '../support/packet-matrix.js'

type Row = [
  configuration: ConfigurationName,
  from: SourceName,
  to: DestinationName,
  expected: Readonly<Record<CompiledMode, string>>,
]

// Of section 3.15 of kube-proxy's behaviour: who gets a packet, in each mode. Mode ipvs has one list of real servers for
// everybody, masquerades nothing that comes to a Local policy, and leaves 127.0.0.1 alone, as mode nftables does.
const ROWS: readonly Row[] = [
  ['base', 'pod', 'clusterIP', { iptables: ALL, ipvs: ALL, nftables: ALL }],
  ['base', 'pod', 'clusterIPLocal', { iptables: ONE, ipvs: ONE, nftables: ONE }],
  ['base', 'hairpin', 'clusterIP', { iptables: ALL_HAIRPIN, ipvs: ALL_HAIRPIN, nftables: ALL_HAIRPIN }],
  ['base', 'hairpin', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['base', 'node', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['base', 'node', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['base', 'outside', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['base', 'outside', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['base', 'pod', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['base', 'hairpin', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['base', 'node', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['base', 'outside', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['base', 'localhost', 'localhost', { iptables: ALL_MASQ, ipvs: 'passes', nftables: 'passes' }],
  ['base', 'pod', 'externalLocal', { iptables: ALL, ipvs: ONE, nftables: ALL }],
  ['base', 'hairpin', 'externalLocal', { iptables: ALL_HAIRPIN, ipvs: ONE_MASQ, nftables: ALL_HAIRPIN }],
  ['base', 'node', 'externalLocal', { iptables: ALL_MASQ, ipvs: ONE, nftables: ALL_MASQ }],
  ['base', 'outside', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE }],
  ['base', 'localhost', 'localhostLocal', { iptables: ALL_MASQ, ipvs: 'passes', nftables: 'passes' }],

  ['no detector', 'pod', 'clusterIP', { iptables: ALL, ipvs: ALL, nftables: ALL }],
  ['no detector', 'pod', 'clusterIPLocal', { iptables: ONE, ipvs: ONE, nftables: ONE }],
  ['no detector', 'hairpin', 'clusterIP', { iptables: ALL_HAIRPIN, ipvs: ALL_HAIRPIN, nftables: ALL_HAIRPIN }],
  ['no detector', 'hairpin', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['no detector', 'node', 'clusterIP', { iptables: ALL, ipvs: ALL, nftables: ALL }],
  ['no detector', 'node', 'clusterIPLocal', { iptables: ONE, ipvs: ONE, nftables: ONE }],
  ['no detector', 'outside', 'clusterIP', { iptables: ALL, ipvs: ALL, nftables: ALL }],
  ['no detector', 'outside', 'clusterIPLocal', { iptables: ONE, ipvs: ONE, nftables: ONE }],
  ['no detector', 'pod', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['no detector', 'hairpin', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['no detector', 'node', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['no detector', 'outside', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['no detector', 'localhost', 'localhost', { iptables: ALL_MASQ, ipvs: 'passes', nftables: 'passes' }],
  ['no detector', 'pod', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE }],
  ['no detector', 'hairpin', 'externalLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['no detector', 'node', 'externalLocal', { iptables: ALL_MASQ, ipvs: ONE, nftables: ALL_MASQ }],
  ['no detector', 'outside', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE }],
  ['no detector', 'localhost', 'localhostLocal', { iptables: ALL_MASQ, ipvs: 'passes', nftables: 'passes' }],

  ['masqueradeAll', 'pod', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['masqueradeAll', 'pod', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['masqueradeAll', 'hairpin', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['masqueradeAll', 'hairpin', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['masqueradeAll', 'node', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['masqueradeAll', 'node', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['masqueradeAll', 'outside', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['masqueradeAll', 'outside', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['masqueradeAll', 'pod', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['masqueradeAll', 'hairpin', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['masqueradeAll', 'node', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['masqueradeAll', 'outside', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['masqueradeAll', 'localhost', 'localhost', { iptables: ALL_MASQ, ipvs: 'passes', nftables: 'passes' }],
  ['masqueradeAll', 'pod', 'externalLocal', { iptables: ALL, ipvs: ONE, nftables: ALL }],
  ['masqueradeAll', 'hairpin', 'externalLocal', { iptables: ALL_HAIRPIN, ipvs: ONE_MASQ, nftables: ALL_HAIRPIN }],
  ['masqueradeAll', 'node', 'externalLocal', { iptables: ALL_MASQ, ipvs: ONE, nftables: ALL_MASQ }],
  ['masqueradeAll', 'outside', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE }],
  ['masqueradeAll', 'localhost', 'localhostLocal', { iptables: ALL_MASQ, ipvs: 'passes', nftables: 'passes' }],

  ['both', 'pod', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['both', 'pod', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['both', 'hairpin', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['both', 'hairpin', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['both', 'node', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['both', 'node', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['both', 'outside', 'clusterIP', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['both', 'outside', 'clusterIPLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['both', 'pod', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['both', 'hairpin', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['both', 'node', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['both', 'outside', 'external', { iptables: ALL_MASQ, ipvs: ALL_MASQ, nftables: ALL_MASQ }],
  ['both', 'localhost', 'localhost', { iptables: ALL_MASQ, ipvs: 'passes', nftables: 'passes' }],
  ['both', 'pod', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE }],
  ['both', 'hairpin', 'externalLocal', { iptables: ONE_MASQ, ipvs: ONE_MASQ, nftables: ONE_MASQ }],
  ['both', 'node', 'externalLocal', { iptables: ALL_MASQ, ipvs: ONE, nftables: ALL_MASQ }],
  ['both', 'outside', 'externalLocal', { iptables: ONE, ipvs: ONE, nftables: ONE }],
  ['both', 'localhost', 'localhostLocal', { iptables: ALL_MASQ, ipvs: 'passes', nftables: 'passes' }],
]

const MODES: readonly CompiledMode[] = ['iptables', 'ipvs', 'nftables']

function planOf({ node, settings: fields }: Configuration): Plan {
  return buildPlan(model({ node: nodeFacts(node), settings: settings(fields), servicePorts: SERVICES }))
}

const STATES: Readonly<Record<CompiledMode, (configuration: Configuration) => NodeState>> = {
  iptables: (configuration) => lowerIptables(planOf(configuration)),
  nftables: (configuration) => lowerNftables(planOf(configuration)),
  ipvs: (configuration) => lowerIpvs(buildPlan(ipvsModel(SERVICES, configuration))),
}

/** `10.180.0.1 10.180.1.1*`: the endpoints, masqueraded ones with an asterisk; or one word. */
function whoGetsIt(state: NodeState, configuration: ConfigurationName, from: SourceName, to: string): string {
  const sent = packet(SOURCES[from].source, to, { origin: SOURCES[from].origin, inInterface: 'eth0' })
  const { node }: Configuration = CONFIGURATIONS[configuration]
  const addresses = nodeFacts(node).addresses.map(({ address }) => address)
  const ways = trace(state, sent, { addresses })
  expect(ways.flatMap(({ assumptions }) => assumptions)).toEqual([])
  return ways
    .map(({ outcome }) =>
      outcome.kind === 'delivered' ? `${outcome.address}${outcome.masqueraded ? '*' : ''}` : outcome.kind,
    )
    .sort()
    .join(' ')
}

describe.each(MODES)('mode %s', (mode) => {
  const states = new Map(Object.entries(CONFIGURATIONS).map(([name, each]) => [name, STATES[mode](each)]))

  describe.each(ROWS)('%s: %s to %s', (configuration, from, to, { [mode]: expected }) => {
    it.each(DESTINATIONS[to])(`%s: ${expected}`, (destination) => {
      expect(whoGetsIt(states.get(configuration) as NodeState, configuration, from, destination)).toBe(expected)
    })
  })
})
