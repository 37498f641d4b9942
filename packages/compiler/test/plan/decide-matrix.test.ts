import { describe, expect, it } from 'vitest'
import type { ServicePort } from '../../src/model/model.js'
import { decide } from '../../src/plan/decide.js'
import { packet, planOf, summary } from '../support/decisions.js'
import { endpoint, servicePort } from '../support/model-builder.js'

// The flows of kube-proxy's TestInternalExternalMasquerade, and the same for external IPs and hairpins.

function service(name: string, fields: Partial<ServicePort>): ServicePort {
  const endpoints = [endpoint({ ip: '10.180.0.1', local: true }), endpoint({ ip: '10.180.1.1' })]
  return servicePort({ name, endpoints, ...fields })
}

const SERVICES = [
  service('plain', {
    clusterIP: '172.30.0.41',
    nodePort: 3001,
    externalIPs: ['192.168.99.1'],
    loadBalancerIPs: ['1.2.3.4'],
  }),
  service('external-local', {
    externalPolicyLocal: true,
    clusterIP: '172.30.0.42',
    nodePort: 3002,
    externalIPs: ['192.168.99.2'],
    loadBalancerIPs: ['5.6.7.8'],
  }),
  service('internal-local', {
    internalPolicyLocal: true,
    clusterIP: '172.30.0.43',
    nodePort: 3003,
    externalIPs: ['192.168.99.3'],
    loadBalancerIPs: ['9.10.11.12'],
  }),
]

const PLANS = {
  base: planOf(SERVICES),
  'no detector': planOf(SERVICES, { node: { podTraffic: undefined } }),
  masqueradeAll: planOf(SERVICES, { settings: { masqueradeAll: true } }),
  both: planOf(SERVICES, { node: { podTraffic: undefined }, settings: { masqueradeAll: true } }),
}

const CLUSTER_IP = ['172.30.0.41:80', '172.30.0.42:80']
const CLUSTER_IP_LOCAL = ['172.30.0.43:80']
const EXTERNAL = [
  ...['1.2.3.4:80', '192.168.99.1:80', '192.168.0.2:3001', '192.168.1.2:3001'],
  ...['9.10.11.12:80', '192.168.99.3:80', '192.168.0.2:3003', '192.168.1.2:3003'],
]
const EXTERNAL_LOCAL = ['5.6.7.8:80', '192.168.99.2:80', '192.168.0.2:3002', '192.168.1.2:3002']
const LOCALHOST = ['127.0.0.1:3001', '127.5.5.5:3001', '127.0.0.1:3003']
const LOCALHOST_LOCAL = ['127.0.0.1:3002']

const pod = { origin: 'pod', source: '10.0.0.2' } as const
/** The local endpoint itself. */
const hairpin = { origin: 'pod', source: '10.180.0.1' } as const
const node = { origin: 'node', source: '192.168.0.2' } as const
const localhost = { origin: 'node', source: '127.0.0.1' } as const
const outside = { origin: 'outside', source: '203.0.113.2' } as const

// Masqueraded endpoints carry an asterisk.
const ALL = '10.180.0.1 10.180.1.1'
const ALL_MASQ = '10.180.0.1* 10.180.1.1*'
const ALL_HAIRPIN = '10.180.0.1* 10.180.1.1'
const ONE = '10.180.0.1'
const ONE_MASQ = '10.180.0.1*'

describe('every kind of source to every kind of destination', () => {
  describe.each([
    ['base', pod, CLUSTER_IP, `${ALL} policy`],
    ['base', hairpin, CLUSTER_IP, `${ALL_HAIRPIN} policy`],
    ['base', node, CLUSTER_IP, `${ALL_MASQ} offCluster`],
    ['base', outside, CLUSTER_IP, `${ALL_MASQ} offCluster`],
    ['base', pod, CLUSTER_IP_LOCAL, `${ONE} policy`],
    ['base', hairpin, CLUSTER_IP_LOCAL, `${ONE_MASQ} policy`],
    ['base', node, CLUSTER_IP_LOCAL, `${ONE_MASQ} offCluster`],
    ['base', outside, CLUSTER_IP_LOCAL, `${ONE_MASQ} offCluster`],
    ['base', pod, EXTERNAL, `${ALL_MASQ} policy`],
    ['base', hairpin, EXTERNAL, `${ALL_MASQ} policy`],
    ['base', node, EXTERNAL, `${ALL_MASQ} policy`],
    ['base', outside, EXTERNAL, `${ALL_MASQ} policy`],
    ['base', localhost, LOCALHOST, `${ALL_MASQ} policy`],
    ['base', pod, EXTERNAL_LOCAL, `${ALL} podShortCircuit`],
    ['base', hairpin, EXTERNAL_LOCAL, `${ALL_HAIRPIN} podShortCircuit`],
    ['base', node, EXTERNAL_LOCAL, `${ALL_MASQ} nodeShortCircuit`],
    ['base', outside, EXTERNAL_LOCAL, `${ONE} policy`],
    ['base', localhost, LOCALHOST_LOCAL, `${ALL_MASQ} nodeShortCircuit`],

    ['no detector', pod, CLUSTER_IP, `${ALL} policy`],
    ['no detector', hairpin, CLUSTER_IP, `${ALL_HAIRPIN} policy`],
    ['no detector', node, CLUSTER_IP, `${ALL} policy`],
    ['no detector', outside, CLUSTER_IP, `${ALL} policy`],
    ['no detector', pod, CLUSTER_IP_LOCAL, `${ONE} policy`],
    ['no detector', hairpin, CLUSTER_IP_LOCAL, `${ONE_MASQ} policy`],
    ['no detector', node, CLUSTER_IP_LOCAL, `${ONE} policy`],
    ['no detector', outside, CLUSTER_IP_LOCAL, `${ONE} policy`],
    ['no detector', pod, EXTERNAL, `${ALL_MASQ} policy`],
    ['no detector', hairpin, EXTERNAL, `${ALL_MASQ} policy`],
    ['no detector', node, EXTERNAL, `${ALL_MASQ} policy`],
    ['no detector', outside, EXTERNAL, `${ALL_MASQ} policy`],
    ['no detector', localhost, LOCALHOST, `${ALL_MASQ} policy`],
    ['no detector', pod, EXTERNAL_LOCAL, `${ONE} policy`],
    ['no detector', hairpin, EXTERNAL_LOCAL, `${ONE_MASQ} policy`],
    ['no detector', node, EXTERNAL_LOCAL, `${ALL_MASQ} nodeShortCircuit`],
    ['no detector', outside, EXTERNAL_LOCAL, `${ONE} policy`],
    ['no detector', localhost, LOCALHOST_LOCAL, `${ALL_MASQ} nodeShortCircuit`],

    ['masqueradeAll', pod, CLUSTER_IP, `${ALL_MASQ} masqueradeAll`],
    ['masqueradeAll', hairpin, CLUSTER_IP, `${ALL_MASQ} masqueradeAll`],
    ['masqueradeAll', node, CLUSTER_IP, `${ALL_MASQ} masqueradeAll`],
    ['masqueradeAll', outside, CLUSTER_IP, `${ALL_MASQ} masqueradeAll`],
    ['masqueradeAll', pod, CLUSTER_IP_LOCAL, `${ONE_MASQ} masqueradeAll`],
    ['masqueradeAll', hairpin, CLUSTER_IP_LOCAL, `${ONE_MASQ} masqueradeAll`],
    ['masqueradeAll', node, CLUSTER_IP_LOCAL, `${ONE_MASQ} masqueradeAll`],
    ['masqueradeAll', outside, CLUSTER_IP_LOCAL, `${ONE_MASQ} masqueradeAll`],
    ['masqueradeAll', pod, EXTERNAL, `${ALL_MASQ} policy`],
    ['masqueradeAll', hairpin, EXTERNAL, `${ALL_MASQ} policy`],
    ['masqueradeAll', node, EXTERNAL, `${ALL_MASQ} policy`],
    ['masqueradeAll', outside, EXTERNAL, `${ALL_MASQ} policy`],
    ['masqueradeAll', localhost, LOCALHOST, `${ALL_MASQ} policy`],
    ['masqueradeAll', pod, EXTERNAL_LOCAL, `${ALL} podShortCircuit`],
    ['masqueradeAll', hairpin, EXTERNAL_LOCAL, `${ALL_HAIRPIN} podShortCircuit`],
    ['masqueradeAll', node, EXTERNAL_LOCAL, `${ALL_MASQ} nodeShortCircuit`],
    ['masqueradeAll', outside, EXTERNAL_LOCAL, `${ONE} policy`],
    ['masqueradeAll', localhost, LOCALHOST_LOCAL, `${ALL_MASQ} nodeShortCircuit`],

    ['both', pod, CLUSTER_IP, `${ALL_MASQ} masqueradeAll`],
    ['both', hairpin, CLUSTER_IP, `${ALL_MASQ} masqueradeAll`],
    ['both', node, CLUSTER_IP, `${ALL_MASQ} masqueradeAll`],
    ['both', outside, CLUSTER_IP, `${ALL_MASQ} masqueradeAll`],
    ['both', pod, CLUSTER_IP_LOCAL, `${ONE_MASQ} masqueradeAll`],
    ['both', hairpin, CLUSTER_IP_LOCAL, `${ONE_MASQ} masqueradeAll`],
    ['both', node, CLUSTER_IP_LOCAL, `${ONE_MASQ} masqueradeAll`],
    ['both', outside, CLUSTER_IP_LOCAL, `${ONE_MASQ} masqueradeAll`],
    ['both', pod, EXTERNAL, `${ALL_MASQ} policy`],
    ['both', hairpin, EXTERNAL, `${ALL_MASQ} policy`],
    ['both', node, EXTERNAL, `${ALL_MASQ} policy`],
    ['both', outside, EXTERNAL, `${ALL_MASQ} policy`],
    ['both', localhost, LOCALHOST, `${ALL_MASQ} policy`],
    ['both', pod, EXTERNAL_LOCAL, `${ONE} policy`],
    ['both', hairpin, EXTERNAL_LOCAL, `${ONE_MASQ} policy`],
    ['both', node, EXTERNAL_LOCAL, `${ALL_MASQ} nodeShortCircuit`],
    ['both', outside, EXTERNAL_LOCAL, `${ONE} policy`],
    ['both', localhost, LOCALHOST_LOCAL, `${ALL_MASQ} nodeShortCircuit`],
  ] as const)('%s', (configuration, { origin, source }, destinations, expected) => {
    it.each(destinations)(`${source} to %s: ${expected}`, (to) => {
      expect(summary(decide(PLANS[configuration], packet(source, to, { origin })))).toBe(expected)
    })
  })
})
