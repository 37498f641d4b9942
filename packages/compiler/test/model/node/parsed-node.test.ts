import type { Node } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { resolveConfiguration } from '../../../src/model/configuration/resolve-configuration.js'
import { readNode, selectNode } from '../../../src/model/node/parsed-node.js'

function read(node: unknown) {
  const { object, diagnostics } = readNode(node as Node)
  return {
    zone: object.zone,
    addresses: object.addresses.map(({ text }) => text),
    podCidrs: object.podCidrs.map(({ text }) => text),
    problems: diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path}`),
  }
}

describe('readNode', () => {
  it('reads the zone, addresses and pod networks of a Node', () => {
    const node = {
      metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'zone-a' } },
      spec: { podCIDR: '10.244.1.0/24', podCIDRs: ['10.244.1.0/24', 'fd00:10:244:1::/64'] },
      status: {
        addresses: [
          { type: 'ExternalIP', address: '198.51.100.7' },
          { type: 'Hostname', address: 'node-1' },
          { type: 'InternalIP', address: '192.168.0.2' },
          { type: 'InternalIP', address: '2001:DB8::2' },
        ],
      },
    }
    expect(read(node)).toEqual({
      zone: 'zone-a',
      addresses: ['192.168.0.2', '2001:db8::2', '198.51.100.7'],
      podCidrs: ['10.244.1.0/24', 'fd00:10:244:1::/64'],
      problems: [],
    })
  })

  it('uses podCIDR if podCIDRs is empty', () => {
    expect(read({ spec: { podCIDR: '10.244.1.0/24' } }).podCidrs).toEqual(['10.244.1.0/24'])
    expect(read({ spec: { podCIDR: '10.244.1.0/24', podCIDRs: [] } }).podCidrs).toEqual(['10.244.1.0/24'])
    expect(read({ spec: { podCIDR: '' } })).toMatchObject({ podCidrs: [], problems: [] })
  })

  it.each([undefined, null, {}, { metadata: null, spec: null, status: null }])(
    'returns an empty result for %j',
    (node) => {
      expect(read(node)).toEqual({ zone: '', addresses: [], podCidrs: [], problems: [] })
    },
  )

  it.each<[unknown, string]>([
    [5, 'error invalidType '],
    [{ metadata: 'x' }, 'error invalidType metadata'],
    [{ metadata: { labels: [] } }, 'error invalidType metadata.labels'],
    [
      { metadata: { labels: { 'topology.kubernetes.io/zone': 7 } } },
      'error invalidType metadata.labels[topology.kubernetes.io/zone]',
    ],
    [{ status: { addresses: {} } }, 'error invalidType status.addresses'],
    [{ status: { addresses: [null, 'x'] } }, 'error invalidType status.addresses[1]'],
    [{ status: { addresses: [{ type: 1, address: '10.0.0.1' }] } }, 'error invalidType status.addresses[0].type'],
    [{ status: { addresses: [{ type: 'InternalIP' }] } }, 'error invalidAddress status.addresses[0].address'],
    [
      { status: { addresses: [{ type: 'ExternalIP', address: 'x' }] } },
      'error invalidAddress status.addresses[0].address',
    ],
    [
      { status: { addresses: [{ type: 'InternalIP', address: {} }] } },
      'error invalidAddress status.addresses[0].address',
    ],
    [{ spec: { podCIDR: 'x' } }, 'error invalidCidr spec.podCIDR'],
    [{ spec: { podCIDRs: 'x' } }, 'error invalidType spec.podCIDRs'],
    [{ spec: { podCIDRs: ['10.0.0.0'] } }, 'error invalidCidr spec.podCIDRs[0]'],
    [{ spec: { podCIDRs: [3] } }, 'error invalidType spec.podCIDRs[0]'],
  ])('reports exactly one problem for %j: %s', (node, problem) => {
    expect(read(node).problems).toEqual([problem])
  })

  it('keeps valid fields if other fields are invalid', () => {
    const addresses = [
      { type: 'InternalIP', address: '1.2.3.400' },
      { type: 'InternalIP', address: '1.2.3.4' },
    ]
    expect(read({ status: { addresses }, spec: { podCIDRs: ['x', '10.0.0.0/8'] } })).toMatchObject({
      addresses: ['1.2.3.4'],
      podCidrs: ['10.0.0.0/8'],
    })
  })
})

describe('selectNode', () => {
  const first: Node = { metadata: { name: 'node-1' } }
  const second: Node = { metadata: { name: 'node-2' } }
  const choose = (nodes: readonly unknown[], nodeName?: string, hostnameOverride = '') =>
    selectNode(nodes as Node[], nodeName, resolveConfiguration({ configuration: { hostnameOverride } }).configuration)

  it('selects a Node by the nodeName option, else by hostnameOverride, else the only Node', () => {
    expect(choose([first, second], 'node-2', 'node-1')).toEqual({ name: 'node-2', node: second, diagnostics: [] })
    expect(choose([first, second], undefined, ' Node-2 ')).toEqual({ name: 'node-2', node: second, diagnostics: [] })
    expect(choose([first])).toEqual({ name: 'node-1', node: first, diagnostics: [] })
  })

  it('warns about a nodeName if there are no Nodes, and returns the name', () => {
    const { name, node, diagnostics } = choose([], 'node-9')
    expect([name, node]).toEqual(['node-9', undefined])
    expect(diagnostics).toMatchObject([
      { severity: 'warning', code: 'unknownNode', object: { kind: 'Node', name: 'node-9' } },
    ])
  })

  it.each([
    [[second, first], 'one of "node-1", "node-2"'],
    [['a', 'c', 'b', 'e', 'd'].map((name) => ({ metadata: { name } })), 'one of "a", "b", "c", "d", "e"'],
    [['a', 'c', 'b', 'f', 'e', 'd'].map((name) => ({ metadata: { name } })), 'one of "a", "b", "c", "d", "e", …'],
  ])('reports an error if no Node has the nodeName, and lists the existing names', (nodes, expected) => {
    const { name, node, diagnostics } = choose(nodes, 'node-9')
    expect([name, node]).toEqual(['node-9', undefined])
    expect(diagnostics).toMatchObject([
      { severity: 'error', code: 'unknownNode', object: { kind: 'Node', name: 'node-9' }, expected },
    ])
  })

  it.each([[[]], [[first, second]], [[{}]], [[null]], [[{ metadata: { name: 5 } }]]])(
    'warns if no Node is requested and the Nodes are %j',
    (nodes) => {
      const { name, diagnostics } = choose(nodes)
      expect(name).toBe('')
      expect(diagnostics).toMatchObject([{ severity: 'warning', code: 'unknownNode' }])
    },
  )
})
