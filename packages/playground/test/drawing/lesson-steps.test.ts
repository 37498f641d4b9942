import { describe, expect, it } from 'vitest'
import { createLessonSteps } from '../../src/drawing/lesson-steps.js'
import { answerTo, example } from '../support/answers.js'

const MEANINGS: Readonly<Record<string, string>> = {
  'KUBE-SERVICES': 'The entry: one rule for each address and port of a Service.',
  ACCEPT: 'Ends the table for this packet and lets it pass.',
}

function lesson(name: string, fields = {}) {
  const { packet, paths } = answerTo(name, fields)
  const [path] = paths
  if (packet === undefined || path === undefined) throw new Error('a packet has a path')
  return createLessonSteps(packet, path, paths, (word) => MEANINGS[word])
}

describe('createLessonSteps', () => {
  it('explains each rule on the path of a node port in one sentence', () => {
    expect(lesson('node-port').map(({ sentence }) => sentence)).toEqual([
      'A packet from 198.51.100.1 to 192.168.0.11:30080 arrives at the node.',
      'The packet continues in chain KUBE-SERVICES (the entry, one rule for each address and port of a Service).',
      'The packet continues in chain KUBE-NODEPORTS.',
      'The packet continues in chain KUBE-EXT-67NZLRHBNDSAWJRO.',
      'The packet continues in chain KUBE-MARK-MASQ.',
      'The packet gets the mark 0x4000, so that its source is replaced later.',
      'The packet continues in chain KUBE-SVC-67NZLRHBNDSAWJRO.',
      '1/2 of these packets take this branch: the packet continues in chain KUBE-SEP-34ZZ2QFGO32YYXXO.',
      'The destination becomes 10.244.1.5:8080, an endpoint of shop/web:http/TCP.',
      'The packet continues in chain KUBE-PROXY-FIREWALL.',
      'The packet continues in chain KUBE-FORWARD.',
      'ACCEPT ends the table for this packet and lets it pass.',
      'The packet continues in chain KUBE-POSTROUTING.',
      'The mark is cleared, so that the packet is masqueraded only once.',
      'The source becomes an address of the node, so that replies return through the node.',
      'The packet reaches 10.244.1.5:8080 with the address of the node as its source, as 1/2 of these packets do.',
    ])
  })

  it.each(['iptables', 'ipvs', 'nftables'])('shows in mode %s the step at which each field changes', (mode) => {
    const changes = lesson('node-port', { mode }).flatMap(({ changed, packet }) =>
      changed.map((field) => `${field} ${packet[field]}`),
    )
    expect(changes.toSorted()).toEqual(['destination 10.244.1.5:8080', 'mark 0', 'mark 0x4000', 'source the node'])
  })

  it('lists both branches with their weights at the random choice', () => {
    const forks = lesson('node-port').filter(({ branches }) => branches.length > 0)
    expect(forks.map(({ branches }) => branches)).toEqual([
      [
        { weight: '1/2', outcome: '10.244.1.5:8080, masqueraded', isFollowed: true },
        { weight: '1/2', outcome: '10.244.2.7:8080, masqueraded', isFollowed: false },
      ],
    ])
  })

  it('explains the end of packets that are rejected, dropped or not for a Service', () => {
    const { objects } = example('node-port')
    const elsewhere = objects
      .replace('Policy: Cluster', 'Policy: Local')
      .replace('nodeName: node-1', 'nodeName: node-3')
    const ends = [
      lesson('node-port', { packet: 'from outside → node:30081' }),
      lesson('node-port', { objects: elsewhere }),
      lesson('11-host-port-refused'),
    ].map((steps) => steps.at(-1)?.sentence)
    expect(ends).toEqual([
      'No rule of a Service matches, so the packet continues to 192.168.0.11:30081.',
      'The packet is dropped, and the client waits until its timeout.',
      'The packet is rejected, and the client gets an error at once.',
    ])
  })
})
