import { type HostFacts, IP_FAMILIES, type IpFamily, type Node } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolveConfiguration } from '../../../src/model/configuration/resolve-configuration.js'
import { type NodeInputs, resolveNode } from '../../../src/model/node/resolve-node.js'

const NODE: Node = {
  metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'zone-a' } },
  spec: { podCIDRs: ['10.244.1.0/24', 'fd00:10:244:1::/64'] },
  status: {
    addresses: [
      { type: 'InternalIP', address: '192.168.0.2' },
      { type: 'InternalIP', address: 'fd00::2' },
    ],
  },
}

const HOST: HostFacts = {
  interfaces: [
    { name: 'lo', addresses: ['127.0.0.1/8', '::1/128'] },
    { name: 'eth0', addresses: ['192.168.0.2/24', 'fd00::2/64'] },
    { name: 'eth1', addresses: ['172.31.0.7/16'] },
  ],
}

function resolve(configuration: object, request: Partial<NodeInputs> = {}, version = '1.37') {
  const resolved = resolveConfiguration({ configuration, kubernetesVersion: version })
  const full: NodeInputs = { nodes: [NODE], families: IP_FAMILIES, host: HOST, ...request }
  return resolveNode(full, resolved.configuration, resolved.features)
}

function problems(configuration: object, request: Partial<NodeInputs> = {}): readonly string[] {
  return resolve(configuration, request).diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path}`)
}

const CLUSTER = { clusterCIDR: '10.244.0.0/16,fd00:10:244::/48' }

describe('resolveNode in versions with one family', () => {
  const familiesIn = (version: string, configuration: object = {}, request: Partial<NodeInputs> = {}) =>
    resolve(configuration, request, version).families.map(({ family }) => family)

  it('returns only the family of the node up to version 1.20 unless the gate IPv6DualStack is on', () => {
    expect(familiesIn('1.20')).toEqual(['IPv4'])
    expect(familiesIn('1.20', { bindAddress: 'fd00::2' })).toEqual(['IPv6'])
    expect(familiesIn('1.20', { featureGates: { IPv6DualStack: true } })).toEqual(['IPv4', 'IPv6'])
    expect(familiesIn('1.21')).toEqual(['IPv4', 'IPv6'])
  })

  it('reports that there are no rules for the other family', () => {
    const { diagnostics } = resolve({ clusterCIDR: '10.244.0.0/16' }, {}, '1.20')
    expect(diagnostics).toMatchObject([{ severity: 'info', code: 'otherAddressFamily', path: 'bindAddress' }])
  })

  it('returns the requested family only', () => {
    expect(familiesIn('1.20', {}, { families: ['IPv6'] })).toEqual(['IPv6'])
  })
})

describe('resolveNode', () => {
  it('returns the addresses, node ports, pod networks and local traffic detection of each family', () => {
    const [ipv4, ipv6] = resolve(CLUSTER).families
    expect(ipv4?.node).toEqual({
      name: 'node-1',
      zone: 'zone-a',
      ip: '192.168.0.2',
      addresses: [
        { interface: 'lo', address: '127.0.0.1' },
        { interface: 'eth1', address: '172.31.0.7' },
        { interface: 'eth0', address: '192.168.0.2' },
      ],
      nodePorts: { all: true, addresses: [], containsLoopback: true },
      localTrafficDetection: {
        kind: 'cidr',
        cidr: { family: 'IPv4', text: '10.244.0.0/16', address: '10.244.0.0', prefixLength: 16 },
      },
      podCidrs: [{ family: 'IPv4', text: '10.244.1.0/24', address: '10.244.1.0', prefixLength: 24 }],
    })
    expect(ipv6?.node).toMatchObject({
      ip: 'fd00::2',
      addresses: [
        { interface: 'lo', address: '::1' },
        { interface: 'eth0', address: 'fd00::2' },
      ],
      nodePorts: { all: true, addresses: [], containsLoopback: false },
      localTrafficDetection: { kind: 'cidr', cidr: { text: 'fd00:10:244::/48' } },
      podCidrs: [{ text: 'fd00:10:244:1::/64' }],
    })
    expect(problems(CLUSTER)).toEqual([])
  })

  it('returns the families in the requested order', () => {
    const families: readonly IpFamily[] = ['IPv6', 'IPv4']
    expect(resolve(CLUSTER, { families }).families.map(({ family }) => family)).toEqual(families)
    expect(resolve(CLUSTER, { families: ['IPv6'] }).families.map(({ node }) => node.ip)).toEqual(['fd00::2'])
  })

  it('warns about a family if the node has no address that is in nodePortAddresses of this family', () => {
    const configuration = { ...CLUSTER, nodePortAddresses: ['10.99.0.0/16', 'fd00::/64'] }
    expect(problems(configuration)).toEqual(['warning noNodePortAddress nodePortAddresses'])
    expect(resolve(configuration).families.map(({ node }) => node.nodePorts.addresses)).toEqual([[], ['fd00::2']])
  })

  it('reports a family without local traffic detection', () => {
    const info = 'info noLocalTrafficDetection'
    expect(problems({})).toEqual([`${info} clusterCIDR`, `${info} clusterCIDR`])
    expect(problems({ clusterCIDR: '10.0.0.0/8' })).toEqual([`${info} clusterCIDR`])
    expect(problems({ detectLocalMode: 'NodeCIDR' })).toEqual([])
    const nodes = [{ ...NODE, spec: { podCIDRs: ['10.0.0.0/8'] } }]
    expect(problems({ detectLocalMode: 'NodeCIDR' }, { nodes })).toEqual([`${info} spec.podCIDRs`])
    const [ofNode] = resolve({ detectLocalMode: 'NodeCIDR' }, { nodes }).diagnostics
    expect(ofNode?.object).toEqual({ kind: 'Node', name: 'node-1' })
    expect(problems({ detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'br0' } })).toEqual([])
  })

  it('reports problems of the Node and the host only once, not once per family', () => {
    const nodes = [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: 'x' }] } }]
    const host = { interfaces: [{ name: 'eth0', addresses: ['y'] }] }
    expect(problems(CLUSTER, { nodes, host })).toEqual([
      'error invalidAddress status.addresses[0].address',
      'error invalidAddress interfaces[0].addresses[0]',
    ])
  })

  it('returns no zone and a loopback IP if the Node is missing', () => {
    const [ipv4, ipv6] = resolve(CLUSTER, { nodes: [], nodeName: 'node-9', host: undefined }).families
    expect(ipv4?.node).toMatchObject({ name: 'node-9', zone: '', ip: '127.0.0.1' })
    expect(ipv6?.node).toMatchObject({ name: 'node-9', zone: '', ip: '::1' })
    expect(ipv6?.node.addresses).toEqual([{ interface: 'lo', address: '::1' }])
  })

  it('does not throw for an arbitrary Node and host', () => {
    const keys = fc.constantFrom(
      'metadata',
      'spec',
      'status',
      'addresses',
      'podCIDRs',
      'labels',
      'interfaces',
      'name',
      '__proto__',
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue(),
        fc.dictionary(keys, tie('tree')),
        fc.array(tie('tree'), { maxLength: 3 }),
      ),
    }))
    fc.assert(
      fc.property(tree, tree, (node, host) => {
        const { families } = resolve(CLUSTER, { nodes: [node as Node], host: host as HostFacts })
        expect(families.map(({ family }) => family)).toEqual(IP_FAMILIES)
      }),
    )
  })
})

describe('resolveNode with start-up checks of kube-proxy', () => {
  const other = 'warning otherAddressFamily'

  it('warns about a setting that has only addresses of the secondary family', () => {
    const configuration = {
      clusterCIDR: 'fd00:10:244::/48',
      nodePortAddresses: ['fd00::/64'],
      healthzBindAddress: '[::]:10256',
    }
    expect(problems(configuration)).toEqual([
      `${other} clusterCIDR`,
      `${other} nodePortAddresses`,
      'info noLocalTrafficDetection clusterCIDR',
    ])
  })

  it('names the primary family and the field in the message of a warning', () => {
    const { diagnostics } = resolve({ clusterCIDR: 'fd00:244::/64' })
    expect(diagnostics.filter(({ code }) => code === 'otherAddressFamily').map(({ message }) => message)).toEqual([
      "the node's primary address family is IPv4, but clusterCIDR has only addresses of the other one",
    ])
  })

  it('determines the primary family from bindAddress, or from the first address of the node', () => {
    const configuration = { clusterCIDR: '10.0.0.0/8', bindAddress: 'fd00::2' }
    expect(problems(configuration)).toContain(`${other} clusterCIDR`)
    const addresses = [{ type: 'InternalIP', address: 'fd00::2' }]
    const nodes = [{ metadata: { name: 'node-1' }, status: { addresses }, spec: { podCIDRs: ['10.0.0.0/8'] } }]
    expect(problems(CLUSTER, { nodes })).toEqual([`${other} spec.podCIDRs`])
  })

  it('does not warn about invalid addresses, because validation reports them', () => {
    const configuration = { ...CLUSTER, healthzBindAddress: 'localhost', nodePortAddresses: ['x'] }
    expect(problems(configuration, { families: ['IPv4'] })).toEqual([])
  })

  it('checks more settings if only one family is requested', () => {
    const configuration = {
      ...CLUSTER,
      ipvs: { excludeCIDRs: ['fd00::/8'] },
      healthzBindAddress: '[::]:10256',
      metricsBindAddress: '[::1]:10249',
    }
    expect(problems(configuration)).toEqual([])
    expect(problems(configuration, { families: ['IPv4'] })).toEqual([
      `${other} ipvs.excludeCIDRs`,
      `${other} healthzBindAddress`,
      `${other} metricsBindAddress`,
    ])
  })
})
