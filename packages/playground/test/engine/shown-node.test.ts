import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine/engine.js'
import { DEFAULT_REQUEST, type PlaygroundRequest } from '../../src/question/playground-request.js'

const node = (name: string, address: string, version = 'v1.33.1') => `
apiVersion: v1
kind: Node
metadata: { name: ${name} }
status:
  addresses: [{ type: InternalIP, address: ${address} }]
  nodeInfo: { kubeletVersion: ${version}, kubeProxyVersion: ${version} }
---`

const SERVICE = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec:
  type: NodePort
  clusterIP: 10.96.120.7
  externalTrafficPolicy: Local
  ports: [{ name: http, port: 80, nodePort: 31080 }]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: shop, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ name: http, port: 8080 }]
endpoints:
  - { addresses: [10.244.1.4], nodeName: worker-2 }
  - { addresses: [10.244.2.3], nodeName: worker-1 }
`

const NODES = node('worker-2', '172.18.0.4') + node('worker-1', '172.18.0.3') + node('old', '172.18.0.9', 'v1.29.2')

function ask(fields: Partial<PlaygroundRequest>) {
  const engine = createEngine()
  const request = { ...DEFAULT_REQUEST, objects: NODES + SERVICE, ...fields }
  const { node, nodeReason, otherNode, version, problems, failure } = engine.answer('rules', request)
  const { sentence, problem } = engine.answer('packet', request)
  return { node, nodeReason, otherNode, version, problems, failure, sentence, problem }
}

describe('the node', () => {
  it('is the first of several Nodes by name, with its version', () => {
    expect(ask({})).toMatchObject({ node: 'old', nodeReason: 'the first of 3 Nodes', otherNode: '', version: '1.29' })
  })

  it.each(['from outside → 172.18.0.3:31080', 'worker-1:31080'])('is the Node that the packet %j goes to', (packet) => {
    expect(ask({ packet })).toMatchObject({
      node: 'worker-1',
      nodeReason: 'the packet goes to its address 172.18.0.3',
      version: '1.33',
      sentence: expect.stringContaining('172.18.0.3:31080 goes to 10.244.2.3:8080'),
    })
  })

  it('is the Node with an address of the dump, and the Node that the packet goes to is offered', () => {
    const rules = createEngine().answer('rules', {
      ...DEFAULT_REQUEST,
      objects: NODES + SERVICE,
      node: 'worker-2',
    }).text
    const dump = `${rules}1: lo    inet 127.0.0.1/8 scope host lo\n2: eth0    inet 172.18.0.4/16 scope global eth0\n`
    const nodeReason = 'the dump has its address 172.18.0.4'
    expect(ask({ dump })).toMatchObject({ node: 'worker-2', nodeReason, otherNode: '', version: '1.33' })
    const request = { ...DEFAULT_REQUEST, objects: NODES + SERVICE, dump }
    expect(createEngine().answer('dump', request).reportText).toBe('no drift\n')
    const packet = 'from outside → 172.18.0.3:31080'
    expect(ask({ dump, packet })).toMatchObject({ node: 'worker-2', nodeReason, otherNode: 'worker-1' })
    expect(ask({ dump, node: 'old' })).toMatchObject({ node: 'old', nodeReason: '' })
    // The addresses of two Nodes are of no help.
    expect(ask({ dump: `${dump}3: eth1    inet 172.18.0.9/16 scope global eth1\n` }).node).toBe('old')
  })

  it('stays the one that the user chose, and the other Node is offered', () => {
    const asked = { node: 'worker-2', packet: 'from outside → 172.18.0.3:31080' }
    expect(ask(asked)).toMatchObject({ node: 'worker-2', nodeReason: '', otherNode: 'worker-1', version: '1.33' })
    expect(ask({ ...asked, node: 'worker-1' }).otherNode).toBe('')
    expect(ask({ ...asked, packet: 'shop/web' }).otherNode).toBe('')
  })

  it('is the first with endpoints if there are no Nodes', () => {
    const { node: name, nodeReason, problems } = ask({ objects: SERVICE })
    expect([name, nodeReason]).toEqual(['worker-1', 'the first of 2 nodes with endpoints'])
    expect(problems.filter(({ text }) => text.includes('no node is named'))).toEqual([])
  })

  it('needs no reason if there is only one', () => {
    expect(ask({ objects: node('only', '172.18.0.3') + SERVICE })).toMatchObject({ node: 'only', nodeReason: '' })
  })

  it('is the same before and after an edit', () => {
    const request = { ...DEFAULT_REQUEST, before: node('a', '172.18.0.1') + NODES + SERVICE, objects: NODES + SERVICE }
    const { groups, runs } = createEngine().answer('change', request)
    expect(groups.map(({ sentence }) => sentence)).toEqual([expect.stringMatching(/^Node a .*removed$/)])
    expect(runs).toBe('')
  })
})
