import { describe, expect, it } from 'vitest'
import { LOCAL_TRAFFIC_DETECTION_READERS } from '../../../analyzer/src/targets/local-traffic-detection-readers.js'
import { MODE_LOWERINGS } from '../../src/compilation/mode-lowerings.js'
import { getBlockRules } from '../../src/dataplane/iptables/lazy-block.js'
import { type NodeState, presentSubsystemsOf } from '../../src/dataplane/node-state.js'
import type { Plan } from '../../src/plan/plan.js'
import { MODE_OWNERSHIPS } from '../../src/reconcile/mode-ownerships.js'
import { isProxyMode, PROXY_MODES, type ProxyMode, SUBSYSTEMS_OF_MODE } from '../../src/targets/modes.js'
import { type Configuration, cidr, planOf } from '../support/decisions.js'
import { allParts } from '../support/lower.js'
import { endpoint, servicePort } from '../support/model-builder.js'

const PORTS = ['a', 'b', 'c'].map((name, index) =>
  servicePort({ name, clusterIP: `172.30.0.${index}`, endpoints: [endpoint()] }),
)

it('PROXY_MODES contains exactly the modes that isProxyMode accepts', () => {
  expect(PROXY_MODES).toEqual(['iptables', 'ipvs', 'nftables', 'userspace'])
  expect(['iptables', 'ipvs', 'nftables', 'userspace', 'kernelspace', 'constructor', ''].map(isProxyMode)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

const OTHER_FRAMES: readonly [string, Configuration][] = [
  ['masqueradeAll', { settings: { masqueradeAll: true } }],
  ['the masquerade mark', { settings: { masqueradeMark: 0x10 } }],
  ['node ports on loopback addresses', { settings: { localhostNodePorts: false } }],
  [
    'the addresses of node ports',
    { node: { nodePorts: { all: false, addresses: ['192.168.1.2'], containsLoopback: false } } },
  ],
  ['local traffic detection', { node: { localTrafficDetection: { kind: 'interface', interface: 'cbr0' } } }],
  ['the handling of invalid packets', { settings: { conntrackTcpBeLiberal: true } }],
  ['the networks of cluster IPs', { settings: { serviceNetworks: ['172.30.0.0/16'] } }],
]

describe.each(PROXY_MODES)('%s mode', (name) => {
  const mode = MODE_LOWERINGS[name]
  const partsOf = (plan: Plan) => plan.services.map((service) => mode.lowerService(service, mode.lowering(plan)))
  const assembled = (plan: Plan) => mode.assemble(allParts(mode, partsOf(plan)), plan).state
  const blocksOf = ({ iptables }: NodeState) => iptables?.tables.map(({ blocks }) => blocks) ?? []

  it('has a state for each of its subsystems, whether there are service ports or not', () => {
    for (const plan of [planOf([]), planOf(PORTS)]) {
      expect(presentSubsystemsOf(assembled(plan))).toEqual(SUBSYSTEMS_OF_MODE[name])
    }
  })

  it('reuses the unchanged parts of an earlier state', () => {
    const [before, after] = [planOf(PORTS), planOf(PORTS.slice(0, 2))]
    const [parts, left] = [partsOf(before), partsOf(before).slice(0, 2)]
    const { counts, list } = allParts(mode, parts)
    const { state, memory } = mode.assemble(allParts(mode, parts), before)
    const replacements = [{ at: 2, removed: 1, added: [] }]
    const earlier = { state, memory, header: before, parts: list(), counts, replacements }
    const kept = mode.assemble(allParts(mode, left), after, earlier).state
    for (const [table, blocks] of blocksOf(kept).entries()) {
      const known = new Set(blocksOf(state)[table])
      expect(blocks.filter((block) => !known.has(block))).toEqual([])
    }
    expect(kept.nftables?.staticTable).toBe(state.nftables?.staticTable)
    expect(textsOf(kept)).toEqual(textsOf(mode.assemble(allParts(mode, left), after).state))
    expect(kept.nftables?.tables).toEqual(mode.assemble(allParts(mode, left), after).state.nftables?.tables)
  })

  it.each(OTHER_FRAMES)('after a change of %s has the same rules as a new state', (_, configuration) => {
    const [before, after] = [planOf(PORTS), planOf(PORTS, configuration)]
    const parts = allParts(mode, partsOf(before))
    const { state, memory } = mode.assemble(parts, before)
    const earlier = { state, memory, header: before, parts: parts.list(), counts: parts.counts, replacements: [] }
    const changed = mode.assemble(parts, after, earlier)
    const anew = mode.assemble(parts, after)
    expect(textsOf(changed.state)).toEqual(textsOf(anew.state))
    expect(changed.state.nftables?.tables).toEqual(anew.state.nftables?.tables)
    expect([changed.counts, changed.diagnostics]).toEqual([anew.counts, anew.diagnostics])
    const same = mode.assemble(parts, planOf(PORTS), earlier).state
    for (const [place, table] of (same.iptables?.tables ?? []).entries()) {
      const known = state.iptables?.tables[place]
      expect(table.blocks.map((block, at) => block === known?.blocks[at])).toEqual(table.blocks.map(() => true))
    }
  })

  it('determines local traffic detection from the rules alone', () => {
    const plan = planOf(PORTS)
    // userspace mode does not distinguish local traffic.
    const expected = name === 'userspace' ? undefined : { kind: 'cidr', cidr: cidr('10.0.0.0/8') }
    expect(LOCAL_TRAFFIC_DETECTION_READERS[name](assembled(plan))).toEqual(expected)
    expect(LOCAL_TRAFFIC_DETECTION_READERS[name]({ family: 'IPv4' })).toBeUndefined()
  })

  it('recognizes its own leftovers, but no foreign resources', () => {
    expect(LEFT_BEHIND[name].filter((id) => !MODE_OWNERSHIPS[name].isModeSpecific(id))).toEqual([])
    expect(OF_OTHERS.filter((id) => MODE_OWNERSHIPS[name].isModeSpecific(id))).toEqual([])
  })
})

const CHAINS = ['nat/KUBE-SERVICES', 'nat/KUBE-POSTROUTING', 'nat/KUBE-MARK-MASQ']
const TABLES = [
  'nftables ip kube-proxy',
  'nftables ip6 kube-proxy',
  'nftables ip kube-proxy chain services',
  'nftables ip kube-proxy element service-ips 10.96.0.1 . tcp . 443',
]
const LEFT_BEHIND: Readonly<Record<ProxyMode, readonly string[]>> = {
  iptables: CHAINS,
  ipvs: CHAINS,
  nftables: TABLES,
  userspace: ['nat/KUBE-PORTALS-HOST', 'nat/KUBE-NODEPORT-CONTAINER', 'filter/KUBE-NODEPORT-NON-LOCAL'],
}
const OF_OTHERS = [
  'nat/CNI-HOSTPORT',
  'filter/KUBE-ROUTER-INPUT',
  'nat/PREROUTING',
  'filter/DOCKER',
  'nftables inet kube-proxy',
  'nftables ip kube-proxy-2',
  'nftables ip filter chain services',
]

/** Returns the materialized rules by table. */
function textsOf({ iptables }: NodeState) {
  return iptables?.tables.map(({ name, blocks }) => [name, blocks.map((block) => [block.owner, getBlockRules(block)])])
}
