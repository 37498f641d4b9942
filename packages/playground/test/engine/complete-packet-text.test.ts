import { describe, expect, it } from 'vitest'
import { completePacketText } from '../../src/engine/complete-packet-text.js'
import { createEngine } from '../../src/engine/engine.js'
import { example } from '../support/answers.js'

const service = (namespace: string, name: string, clusterIP: string, protocol?: string) => ({
  metadata: { namespace, name },
  spec: { clusterIP, ports: [{ port: 53, ...(protocol && { protocol }) }] },
})
const SERVICES = [
  service('kube-system', 'kube-dns', '10.96.0.10', 'UDP'),
  service('a', 'web', '10.96.0.1'),
  service('b', 'web', '10.96.0.2'),
  service('c', 'six', 'fd00::1'),
]

const NODES = [
  { metadata: { name: 'kind-worker' }, status: { addresses: [{ type: 'InternalIP', address: '172.18.0.3' }] } },
  { metadata: { name: 'worker.six' }, status: { addresses: [{ type: 'InternalIP', address: 'fd00::3' }] } },
]

describe('completePacketText', () => {
  it.each([
    ['kube-dns', 'kube-system/kube-dns'],
    ['kube-dns:53', 'kube-system/kube-dns:53'],
    ['from pod → kube-dns', 'from pod → kube-system/kube-dns'],
    ['10.96.0.10', '10.96.0.10:53/udp'],
    ['from outside -> 10.96.0.2', 'from outside -> 10.96.0.2:53'],
    ['fd00::1', '[fd00::1]:53'],
    ['http://10.96.0.1', '10.96.0.1:80'],
    ['https://10.96.0.1/path?x=1', '10.96.0.1:443'],
    ['curl 10.96.0.1:8080', '10.96.0.1:8080'],
    ['curl -s http://10.96.0.1:8080/', '10.96.0.1:8080'],
    ['localhost:30080', 'from node → 127.0.0.1:30080'],
    ['from node to localhost:30080', 'from node to 127.0.0.1:30080'],
    // Two Services have the first name, and no Service has one of the other names.
    ['web', 'web'],
    ['other:80', 'other:80'],
    ['10.9.9.9', '10.9.9.9'],
    ['node:30080', 'node:30080'],
    ['30080', 'from outside → node:30080'],
    ['from pod → 30080/udp', 'from pod → node:30080/udp'],
    ['kind-worker:30080', 'from outside → 172.18.0.3:30080'],
    ['from node → worker.six:30080', 'from node → [fd00::3]:30080'],
    ['svc/kube-dns', 'kube-system/kube-dns'],
    ['from pod 10.244.1.5 to 10.96.0.1:53', 'from 10.244.1.5 to 10.96.0.1:53'],
    ['from pod → 10.96.0.1:53', 'from pod → 10.96.0.1:53'],
    ['', ''],
  ])('completes %j to %j', (text, expected) => {
    expect(completePacketText(text, { services: SERVICES, nodes: NODES })).toBe(expected)
  })

  /** The packet of the sentence for each text that people type, on the example with the node 192.168.0.41. */
  it.each([
    ['from pod → 10.96.0.10:53/udp', 'A UDP packet from a pod to 10.96.0.10:53 goes to one of 2'],
    ['10.96.0.10:53', 'A TCP packet from a pod to 10.96.0.10:53 goes to one of 2'],
    ['10.96.0.10:53/UDP', 'A UDP packet from a pod to 10.96.0.10:53 goes to one of 2'],
    ['from outside → node:30080', 'A TCP packet from outside to 192.168.0.41:30080 goes to one of 3'],
    ['node:30080', 'A TCP packet from a pod to 192.168.0.41:30080 goes to one of 3'],
    ['outside -> 192.168.0.41:30080', 'A TCP packet from outside to 192.168.0.41:30080 goes to one of 3'],
    ['from node to 10.96.0.1:443', 'A TCP packet from the node to 10.96.0.1:443 goes to 192.168.0.41:6443'],
    ['from 10.244.2.93 => default/ngx-dep-svc:http', 'A TCP packet from a pod to 10.107.159.92:80 goes to one of 3'],
    ['default/ngx-dep-svc', 'A TCP packet from a pod to 10.107.159.92:80 goes to one of 3'],
    ['default/ngx-dep-svc:80', 'A TCP packet from a pod to 10.107.159.92:80 goes to one of 3'],
    ['ngx-dep-svc.default:80', 'A TCP packet from a pod to 10.107.159.92:80 goes to one of 3'],
    ['ngx-dep-svc.default.svc.cluster.local:80', 'A TCP packet from a pod to 10.107.159.92:80 goes to one of 3'],
    ['kube-system/kube-dns:dns', 'A UDP packet from a pod to 10.96.0.10:53 goes to one of 2'],
    ['ngx-dep-svc:80', 'A TCP packet from a pod to 10.107.159.92:80 goes to one of 3'],
    ['kube-dns', 'A UDP packet from a pod to 10.96.0.10:53 goes to one of 2'],
    ['http://10.107.159.92', 'A TCP packet from a pod to 10.107.159.92:80 goes to one of 3'],
    ['10.107.159.92', 'A TCP packet from a pod to 10.107.159.92:80 goes to one of 3'],
    ['localhost:30080', 'A TCP packet from the node to 127.0.0.1:30080 goes to one of 3'],
    ['curl 10.107.159.92:80', 'A TCP packet from a pod to 10.107.159.92:80 goes to one of 3'],
  ])('completes %j to a packet with the expected outcome', (packet, sentence) => {
    const { problem, sentence: found } = createEngine().answer('packet', { ...example('seed-ngx-nodeport'), packet })
    expect(problem).toBe('')
    expect(found.slice(0, sentence.length)).toBe(sentence)
  })

  it('reports an error for a port that does not exist', () => {
    const request = { ...example('seed-ngx-nodeport'), packet: '10.107.159.92:99999' }
    expect(createEngine().answer('packet', request).problem).toContain('99999')
  })
})
