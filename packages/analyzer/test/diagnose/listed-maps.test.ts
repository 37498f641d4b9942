import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { diagnosePacket } from '../../src/diagnose/diagnose-packet.js'
import { explain } from '../../src/explain/explain.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'

/** A part of a map, as a report about packets that are lost on some nodes shows it. */
const mapWith = (verdict: string) => `    map no-endpoint-services {
        type ipv4_addr . inet_proto . inet_service : verdict
        comment "vmap to drop or reject packets to services with no endpoints"
        elements = {
            203.0.113.9 . tcp . 80 comment "shop/web:http" : ${verdict},
`

const PACKET: Packet = {
  ...{ origin: 'pod', protocol: 'TCP', source: '10.244.1.9' },
  ...{ destination: '203.0.113.9', destinationPort: 80 },
}

describe('a part of the map of Services without endpoints', () => {
  it.each([
    [
      'drop',
      'droppedNoLocalEndpoints',
      'may be dropped: kube-proxy knows no usable endpoint of shop/web:http on this node',
    ],
    [
      'goto reject-chain',
      'rejectedNoEndpoints',
      'may be rejected: kube-proxy on this node knows no usable endpoint of shop/web:http',
    ],
  ])('shows the element that may decide: %s', (verdict, code, summary) => {
    const state = annotateOwners(readDump(mapWith(verdict), { lenient: true }).IPv4)
    expect(diagnosePacket(explain(state, PACKET), state)).toMatchObject([
      {
        code,
        summary: `Packets from a pod to 203.0.113.9:80/TCP ${summary}`,
        object: 'Service shop/web',
        rule: 'element for 203.0.113.9 . tcp . 80',
        ruleStatus: 'in nftables ip kube-proxy',
      },
    ])
  })

  it('is not reported for another address', () => {
    const state = annotateOwners(readDump(mapWith('drop'), { lenient: true }).IPv4)
    const diagnoses = diagnosePacket(explain(state, { ...PACKET, destination: '203.0.113.8' }), state)
    expect(diagnoses.map(({ code }) => code)).not.toContain('droppedNoLocalEndpoints')
  })
})
