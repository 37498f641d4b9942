import type { CompileInput, CompileOptions } from '../../src/compilation/compile-result.js'
import { service, slice } from './objects.js'

/** The options of the clusters whose Services have colliding chain names. */
export const COLLIDING_OPTIONS = {
  nodeName: 'node-1',
  mode: 'iptables',
  families: ['IPv4'],
} as const satisfies CompileOptions

const ports = [{ name: 'p', port: 80 }]

function serviceObjects(namespace: string, name: string, clusterIP: string, endpoints: readonly string[]) {
  const addresses = endpoints.map((address) => ({ addresses: [address] }))
  const metadata = { namespace, name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } }
  return {
    services: [
      service(
        { clusterIP, ports, externalIPs: [`203.0.113.${clusterIP.slice(-1)}`] },
        { metadata: { namespace, name } },
      ),
    ],
    endpointSlices: [slice(addresses, { metadata, ports: [{ name: 'p', port: 8080 }] })],
  }
}

/** Builds a cluster with the Service `shop/web` and the given endpoints of `t/evil1` and `t/evil2`, if they exist. */
export function collidingCluster(evil1?: readonly string[], evil2?: readonly string[]) {
  const parts = [
    serviceObjects('shop', 'web', '10.0.0.9', ['10.244.1.9']),
    ...(evil1 === undefined ? [] : [serviceObjects('t', 'evil1', '10.0.0.1', evil1)]),
    ...(evil2 === undefined ? [] : [serviceObjects('t', 'evil2', '10.0.0.2', evil2)]),
  ]
  return {
    nodes: [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }],
    configuration: { clusterCIDR: '10.244.0.0/16' },
    host: { nfacctCounters: false },
    services: parts.flatMap(({ services }) => services),
    endpointSlices: parts.flatMap(({ endpointSlices }) => endpointSlices),
  }
}

/** The clusters, by name: which of the two Services exist, and with which endpoints. */
export const COLLIDING_CLUSTERS = {
  none: collidingCluster(),
  first: collidingCluster(['10.244.1.1']),
  second: collidingCluster(undefined, ['10.244.1.2']),
  both: collidingCluster(['10.244.1.1'], ['10.244.1.2']),
  bothWithMore: collidingCluster(['10.244.1.1'], ['10.244.1.2', '10.244.1.3']),
  firstIsEmpty: collidingCluster([], ['10.244.1.2']),
  secondIsEmpty: collidingCluster(['10.244.1.1'], []),
} as const satisfies Record<string, CompileInput>
