import { compileNodes } from '@kube-rules/compiler'
import { describe, expect, it } from 'vitest'
import { readCluster, toCompileInput } from '../../src/cluster.js'
import { createDoctor } from '../../src/doctor.js'
import { createNodeFromResult } from '../../src/explain.js'

const NODES = ['node-1', 'node-2', 'node-3']

const node = (name: string, index: number) => ({
  ...{ apiVersion: 'v1', kind: 'Node', metadata: { name } },
  status: { addresses: [{ type: 'InternalIP', address: `192.168.0.${index + 1}` }] },
})

const service = (name: string, index: number, spec: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'default' } },
  spec: { clusterIP: `10.0.0.${index}`, ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...spec },
})

const slice = (name: string, address: string, nodeName: string) => ({
  ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4' },
  metadata: { name: `${name}-1`, namespace: 'default', labels: { 'kubernetes.io/service-name': name } },
  ...{ endpoints: [{ addresses: [address], nodeName }], ports: [{ name: 'http', port: 8080 }] },
})

const nodePort = (port: number) => ({
  ...{ type: 'NodePort', externalTrafficPolicy: 'Local' },
  ports: [{ name: 'http', port: 80, targetPort: 8080, nodePort: port }],
})

const OBJECTS = [
  ...NODES.map(node),
  service('web', 1),
  slice('web', '10.1.0.1', 'node-1'),
  service('local', 2, nodePort(30_080)),
  slice('local', '10.1.1.1', 'node-2'),
  service('empty', 3),
  service('off', 4, nodePort(30_081)),
]

function clusterOf(mode: string, objects: readonly object[]) {
  const configuration = { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration', mode }
  const items = [...objects, { ...configuration, clusterCIDR: '10.1.0.0/16' }]
  return readCluster({
    objects: [{ name: 'objects', text: JSON.stringify({ kind: 'List', apiVersion: 'v1', items }) }],
  })
}

/** Checks nodes, each with the computed rules. */
function check(mode: string, names: readonly string[] = NODES, objects: readonly object[] = OBJECTS) {
  const cluster = clusterOf(mode, objects)
  const doctor = createDoctor()
  for (const { nodeName, result } of compileNodes(toCompileInput(cluster), { nodeNames: names, families: ['IPv4'] })) {
    doctor.add(nodeName, createNodeFromResult(cluster, {}, result), false)
  }
  return doctor.report()
}

const outline = ({ causes }: ReturnType<typeof check>) =>
  causes.map(({ kind, code, nodes, servicePorts, origins, packets }) => ({
    kind,
    code,
    nodes,
    servicePorts,
    origins,
    packets,
  }))

describe('createDoctor', () => {
  it('groups lost packets by cause, worst first', () => {
    const report = check('iptables')
    expect(report.checked.servicePorts).toBe(4)
    expect(outline(report)).toEqual([
      {
        ...{ kind: 'lost', code: 'rejectedNoEndpoints', nodes: NODES, origins: ['pod', 'node', 'outside'] },
        // Three frontends, three origins and three nodes: the cluster IPs of both, and the node port of one.
        ...{ servicePorts: ['default/empty:http/TCP', 'default/off:http/TCP'], packets: 27 },
      },
      {
        ...{ kind: 'specified', code: 'droppedNoLocalEndpoints', nodes: ['node-1', 'node-3'], origins: ['outside'] },
        ...{ servicePorts: ['default/local:http/TCP'], packets: 2 },
      },
    ])
  })

  it('counts packets of policy Local as lost if no checked node delivers them', () => {
    expect(outline(check('iptables', ['node-3']))[1]).toMatchObject({ kind: 'lost', code: 'droppedNoLocalEndpoints' })
  })

  it.each(['iptables', 'ipvs', 'nftables'])(
    'does not count packets from no source range as lost in mode %s',
    (mode) => {
      const spec = {
        type: 'LoadBalancer',
        loadBalancerSourceRanges: ['203.0.113.0/24', '10.0.0.0/8', '192.168.0.0/24'],
      }
      const status = { loadBalancer: { ingress: [{ ip: '198.51.100.10' }] } }
      const objects = [...NODES.map(node), { ...service('web', 1, spec), status }, slice('web', '10.1.0.1', 'node-1')]
      const report = check(mode, NODES, objects)
      expect(outline(report).map(({ kind, origins, packets }) => ({ kind, origins, packets }))).toEqual([
        { kind: 'specified', origins: ['outside'], packets: 3 },
      ])
    },
  )

  const SHARED = [
    ...OBJECTS,
    // Two Services claim an address, and only one of them has endpoints.
    service('first', 11, { externalIPs: ['203.0.113.1'] }),
    service('second', 12, { externalIPs: ['203.0.113.1'] }),
    slice('second', '10.1.2.1', 'node-3'),
    // An address and an endpoint are addresses of nodes.
    service('own', 13, { externalIPs: ['192.168.0.2'] }),
    slice('own', '192.168.0.3', 'node-3'),
    service('port', 14, { type: 'NodePort', ports: [{ name: 'http', port: 81, targetPort: 8080, nodePort: 30_090 }] }),
    service('taken', 15, { externalIPs: ['192.168.0.1'], ports: [{ name: 'http', port: 30_090, targetPort: 8080 }] }),
    slice('taken', '10.1.2.2', 'node-2'),
    service('inside', 16, { internalTrafficPolicy: 'Local' }),
    slice('inside', '10.1.2.3', 'node-1'),
  ]

  it.each(
    ['iptables', 'ipvs', 'nftables'].flatMap((mode) => [OBJECTS, SHARED].map((objects) => [mode, objects] as const)),
  )('has the same result in mode %s as a check of each node on its own', (mode, objects) => {
    const together = check(mode, NODES, objects)
    const alone = NODES.map((name) => check(mode, [name], objects))
    expect(together.checked.packets).toBe(alone.reduce((sum, { checked }) => sum + checked.packets, 0))
    const packetsOf = (reports: readonly ReturnType<typeof check>[]) => {
      const counts = new Map<string, number>()
      for (const { causes } of reports) {
        for (const { code, packets } of causes) counts.set(code, (counts.get(code) ?? 0) + packets)
      }
      return Object.fromEntries(counts)
    }
    expect(packetsOf([together])).toEqual(packetsOf(alone))
  })
})
