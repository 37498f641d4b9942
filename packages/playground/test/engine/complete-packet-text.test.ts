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
    // Two Services have the first name, and none the others.
    ['web', 'web'],
    ['other:80', 'other:80'],
    ['10.9.9.9', '10.9.9.9'],
    ['node:30080', 'node:30080'],
    ['', ''],
  ])('completes %j to %j', (text, expected) => {
    expect(completePacketText(text, SERVICES)).toBe(expected)
  })

  it.each([
    ...[
      'ngx-dep-svc:80',
      'kube-dns',
      'http://10.107.159.92',
      '10.107.159.92',
      'localhost:30080',
      'curl 10.107.159.92:80',
    ],
    ...['from outside → node:30080', '10.96.0.10:53/udp', 'default/ngx-dep-svc:http', 'ngx-dep-svc.default:80'],
  ])('returns a text that the page accepts for %j', (packet) => {
    const { problem, sentence } = createEngine().answer('packet', { ...example('seed-ngx-nodeport'), packet })
    expect({ problem, isEmpty: sentence === '' }).toEqual({ problem: '', isEmpty: false })
  })
})
