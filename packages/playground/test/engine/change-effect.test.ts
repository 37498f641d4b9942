import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine/engine.js'
import { DEFAULT_REQUEST } from '../../src/question/playground-request.js'

function clusterOf({ spec = '', endpoints = [1, 2, 3], port = 8080, nodePort = 30080 } = {}): string {
  const items = endpoints.map((number) => `{ addresses: [10.244.0.${number}], nodeName: node-${number} }`)
  return `apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec: { type: NodePort, clusterIP: 10.96.0.1, ports: [{ name: http, port: 80, nodePort: ${nodePort} }]${spec} }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-a, namespace: default, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ name: http, port: ${port} }]
endpoints: [${items.join(', ')}]
---
apiVersion: v1
kind: Node
metadata: { name: node-1 }
spec: { podCIDR: 10.244.0.0/24 }
status: { addresses: [{ type: InternalIP, address: 192.168.0.2 }] }
`
}

describe('the effect of a change', () => {
  it.each([
    ['an added endpoint', { endpoints: [1, 2, 3, 4] }, 'each endpoint 1/3 → 1/4'],
    ['a replaced endpoint', { endpoints: [1, 2, 4] }, '10.244.0.3:8080 → 10.244.0.4:8080'],
    ['another target port', { port: 8081 }, '3 endpoints → 3 others'],
    ['session affinity', { spec: ', sessionAffinity: ClientIP' }, 'session affinity: none → 10800 s'],
    [
      'the traffic policy Local',
      { spec: ', externalTrafficPolicy: Local' },
      'each endpoint 1/3 → 1; masqueraded → client IP',
    ],
    ['the last endpoint removed', { endpoints: [] }, '3 endpoints → rejected or dropped'],
    [
      'another node port',
      { nodePort: 30081 },
      '3 endpoints → not handled by kube-proxy or dropped; not handled by kube-proxy or dropped → 3 endpoints',
    ],
  ])('describes %s', (_name, fields, effect) => {
    const request = { ...DEFAULT_REQUEST, before: clusterOf(), objects: clusterOf(fields) }
    const { groups } = createEngine().answer('change', request)
    expect(groups.map(({ object, effect: found }) => [object, found])).toEqual([['Service default/web', effect]])
  })

  it('is empty without changed traffic', () => {
    const request = {
      ...DEFAULT_REQUEST,
      before: clusterOf(),
      objects: clusterOf({ spec: ', publishNotReadyAddresses: true' }),
    }
    const { groups } = createEngine().answer('change', request)
    expect(groups.map(({ effect }) => effect)).toEqual([''])
  })

  it('describes packets that reach no endpoint before and after', () => {
    const spec = ', externalTrafficPolicy: Local'
    const [before, objects] = [clusterOf({ spec, endpoints: [2] }), clusterOf({ spec, endpoints: [] })]
    const { groups } = createEngine().answer('change', { ...DEFAULT_REQUEST, before, objects })
    expect(groups[0]?.effect.split('; ')).toContain('dropped → rejected')
  })

  it.each(['iptables', 'ipvs', 'nftables'])('names the first endpoint in mode %s', (mode) => {
    const before = clusterOf({ endpoints: [] })
    const request = { ...DEFAULT_REQUEST, mode, before, objects: clusterOf({ endpoints: [1] }) }
    const { groups } = createEngine().answer('change', request)
    expect(groups[0]?.effect).toContain(' → 10.244.0.1:8080')
  })
})
