import type { HostFacts, IpFamily, Node, ServiceCIDR } from '@kube-rules/types'
import fc from 'fast-check'
import { NODE_NAMES } from './object-names.js'
import { anyOf, oneOf } from './weighted.js'

// Generators for the node of the rules: its objects and its machine. Usually the node is known.

/** The node of the rules. */
export const NODE_1: Node = {
  metadata: { name: NODE_NAMES[0], labels: { 'topology.kubernetes.io/zone': 'z1' } },
  spec: { podCIDRs: ['10.244.1.0/24', 'fd00:244:1::/64'] },
  status: {
    addresses: [
      { type: 'InternalIP', address: '192.168.0.2' },
      { type: 'InternalIP', address: '2001:db8::2' },
      { type: 'Hostname', address: 'node-1' },
    ],
  },
}
const NODE_2: Node = { metadata: { name: NODE_NAMES[1] }, spec: { podCIDR: '10.244.2.0/24' } }

export const nodeLists: fc.Arbitrary<readonly Node[]> = oneOf<readonly Node[]>(
  [6, [NODE_1, NODE_2]],
  [3, [NODE_1]],
  [1, [NODE_2]],
  [1, []],
)

/** Generates a Node with one or two families, a zone, and a version, or without them. */
export function nodeNamed(name: string): fc.Arbitrary<Node> {
  return fc
    .record({
      zone: oneOf([2, 'z1'], [1, 'z2'], [1, undefined]),
      families: oneOf<readonly IpFamily[]>([3, ['IPv4']], [3, ['IPv4', 'IPv6']], [1, ['IPv6']]),
      hasPodCIDRs: oneOf([4, true], [1, false]),
      version: oneOf([2, undefined], [1, 'v1.30.2'], [2, 'v1.34.1'], [1, 'v1.36.0']),
    })
    .map(({ zone, families, hasPodCIDRs, version }) => ({
      metadata: { name, ...(zone !== undefined && { labels: { 'topology.kubernetes.io/zone': zone } }) },
      ...(hasPodCIDRs && {
        spec: { podCIDR: POD_CIDRS[families[0] ?? 'IPv4'], podCIDRs: families.map((each) => POD_CIDRS[each]) },
      }),
      status: {
        addresses: [
          ...families.map((each) => ({ type: 'InternalIP', address: NODE_IPS[each] })),
          { type: 'Hostname', address: name },
        ],
        ...(version !== undefined && { nodeInfo: { kubeletVersion: version, kubeProxyVersion: '' } }),
      },
    }))
}

const POD_CIDRS: Readonly<Record<IpFamily, string>> = { IPv4: '10.244.1.0/24', IPv6: 'fd00:244:1::/64' }
const NODE_IPS: Readonly<Record<IpFamily, string>> = { IPv4: '192.168.0.2', IPv6: '2001:db8::2' }

export const serviceCIDRLists: fc.Arbitrary<readonly ServiceCIDR[]> = oneOf<readonly ServiceCIDR[]>(
  [2, []],
  [1, [{ metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/16', 'fd00:96::/112'] } }]],
  [
    1,
    [
      { metadata: { name: 'second' }, spec: { cidrs: ['198.51.100.0/24'] } },
      { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/16'] } },
    ],
  ],
)

const INTERFACES = oneOf<HostFacts['interfaces']>(
  [
    8,
    [
      { name: 'lo', addresses: ['127.0.0.1/8', '::1/128'] },
      { name: 'eth0', addresses: ['192.168.0.2/24', '2001:db8::2/64', 'fe80::1/64'] },
    ],
  ],
  [1, [{ name: 'eth0', addresses: ['10.0.0.1/8'] }]],
  [1, []],
)

export const hosts: fc.Arbitrary<HostFacts | undefined> = anyOf<HostFacts | undefined>(
  [1, fc.constant(undefined)],
  [
    6,
    fc.record({
      interfaces: INTERFACES,
      iptablesRandomFully: oneOf([2, undefined], [1, true], [1, false]),
      conntrackTcpBeLiberal: oneOf([2, undefined], [1, true], [1, false]),
      nfacctCounters: oneOf([2, undefined], [1, true]),
    }),
  ],
)
