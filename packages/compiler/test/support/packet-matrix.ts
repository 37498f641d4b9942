import type { Packet } from '@kube-rules/types'
import type { ServicePort } from '../../src/model/services/service-port.js'
import type { Configuration } from './decisions.js'
import { endpoint, servicePort } from './model-builder.js'

// The clusters, sources and destinations of kube-proxy's TestInternalExternalMasquerade, extended to external IPs and
// hairpins.

function service(name: string, fields: Partial<ServicePort>): ServicePort {
  const endpoints = [endpoint({ ip: '10.180.0.1', local: true }), endpoint({ ip: '10.180.1.1' })]
  return servicePort({ name, endpoints, ...fields })
}

export const SERVICES: readonly ServicePort[] = [
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

export const CONFIGURATIONS = {
  base: {},
  'no detector': { node: { localTrafficDetection: undefined } },
  masqueradeAll: { settings: { masqueradeAll: true } },
  both: { node: { localTrafficDetection: undefined }, settings: { masqueradeAll: true } },
} satisfies Readonly<Record<string, Configuration>>

export type ConfigurationName = keyof typeof CONFIGURATIONS

export const DESTINATIONS = {
  clusterIP: ['172.30.0.41:80', '172.30.0.42:80'],
  clusterIPLocal: ['172.30.0.43:80'],
  external: [
    ...['1.2.3.4:80', '192.168.99.1:80', '192.168.0.2:3001', '192.168.1.2:3001'],
    ...['9.10.11.12:80', '192.168.99.3:80', '192.168.0.2:3003', '192.168.1.2:3003'],
  ],
  externalLocal: ['5.6.7.8:80', '192.168.99.2:80', '192.168.0.2:3002', '192.168.1.2:3002'],
  localhost: ['127.0.0.1:3001', '127.5.5.5:3001', '127.0.0.1:3003'],
  localhostLocal: ['127.0.0.1:3002'],
} as const

export type DestinationName = keyof typeof DESTINATIONS

export const SOURCES = {
  pod: { origin: 'pod', source: '10.0.0.2' },
  /** The local endpoint itself. */
  hairpin: { origin: 'pod', source: '10.180.0.1' },
  node: { origin: 'node', source: '192.168.0.2' },
  localhost: { origin: 'node', source: '127.0.0.1' },
  outside: { origin: 'outside', source: '203.0.113.2' },
} satisfies Readonly<Record<string, Pick<Packet, 'origin' | 'source'>>>

export type SourceName = keyof typeof SOURCES

// An asterisk marks masqueraded endpoints.
export const ALL = '10.180.0.1 10.180.1.1'
export const ALL_MASQ = '10.180.0.1* 10.180.1.1*'
export const ALL_HAIRPIN = '10.180.0.1* 10.180.1.1'
export const ONE = '10.180.0.1'
export const ONE_MASQ = '10.180.0.1*'
