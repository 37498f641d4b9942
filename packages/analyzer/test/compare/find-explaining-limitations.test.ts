import type { Outcome, Packet, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { FamilyResult } from '../../../compiler/src/compilation/compile-result.js'
import { decide } from '../../../compiler/src/plan/decide.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { at, service, slice } from '../../../compiler/test/support/objects.js'
import { areDecisionsEqual, findExplainingLimitations } from '../../src/compare/find-explaining-limitations.js'
import { trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'

function loadBalancer(name: string, ip: string, loadBalancerSourceRanges: readonly string[]): Service {
  const ports = [{ port: 80 }]
  return {
    metadata: { namespace: 'default', name },
    spec: { type: 'LoadBalancer', clusterIP: `10.96.0.${name.length}`, loadBalancerSourceRanges, ports },
    status: { loadBalancer: { ingress: [{ ip }] } },
  }
}

it.each<[string, Packet['origin'], string, readonly string[]]>([
  ['the node', 'node', '192.168.0.2', ['ownPacketsNotLimited', 'boundEndpoint']],
  ['a client that a source range allows', 'outside', '203.0.113.9', ['boundEndpoint']],
  ['a client outside all source ranges: none', 'outside', '198.51.100.77', []],
])(
  'findExplainingLimitations returns the ipvs limitations for packets from %s to a bound address',
  (_, origin, source, codes) => {
    const { families } = compile(
      {
        services: [loadBalancer('web', '198.51.100.1', ['203.0.113.0/24']), loadBalancer('other', '192.0.2.1', [])],
        endpointSlices: [
          {
            metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
            addressType: 'IPv4',
            ports: [{ name: '', port: 8080 }],
            endpoints: [{ addresses: ['192.0.2.1'] }],
          },
        ],
        host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }] },
      },
      { mode: 'ipvs', nodeName: 'node-1', families: ['IPv4'] },
    )
    const packet: Packet = { origin, source, protocol: 'TCP', destination: '198.51.100.1', destinationPort: 80 }
    const found = families.map(({ state, plan }) =>
      findExplainingLimitations({ mode: 'ipvs', plan }, packet, trace(state, packet, traceContextFor(plan))),
    )
    expect(found).toEqual([codes])
  },
)

it('findExplainingLimitations explains a rejected node port of two Services in iptables mode', () => {
  const nodePort = (name: string, clusterIP: string): Service => ({
    metadata: { namespace: 'default', name },
    spec: { type: 'NodePort', clusterIP, ports: [{ port: 80, nodePort: 30080 }] },
  })
  const { families } = compile(
    {
      services: [nodePort('served', '10.96.0.1'), nodePort('without-endpoints', '10.96.0.2')],
      endpointSlices: [
        {
          metadata: { namespace: 'default', name: 'served-1', labels: { 'kubernetes.io/service-name': 'served' } },
          addressType: 'IPv4',
          ports: [{ name: '', port: 8080 }],
          endpoints: [{ addresses: ['10.244.1.5'] }],
        },
      ],
      configuration: { nodePortAddresses: ['192.168.0.0/16'] },
      host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24', '10.9.0.2/24'] }] },
    },
    { mode: 'iptables', nodeName: 'node-1', families: ['IPv4'] },
  )
  const packet: Packet = {
    origin: 'outside',
    source: '203.0.113.9',
    protocol: 'TCP',
    destination: '10.9.0.2',
    destinationPort: 30080,
  }
  const found = families.map(({ state, plan }) =>
    findExplainingLimitations({ mode: 'iptables', plan }, packet, trace(state, packet, traceContextFor(plan))),
  )
  expect(found).toEqual([['nodePortsRejectedEverywhere']])
})

describe('findExplainingLimitations', () => {
  const EXTERNAL_IP = '198.51.100.9'
  const traced = (mode: ProxyMode, externalTrafficPolicy: string, packet: Packet) => {
    const spec = { externalIPs: [EXTERNAL_IP], externalTrafficPolicy, clusterIP: '10.96.0.1' }
    const { families } = compile(
      {
        services: [service(spec)],
        endpointSlices: [slice([{ addresses: ['10.244.1.5'], nodeName: 'node-1' }, ...at('10.244.2.7')])],
        configuration: { clusterCIDR: '10.244.0.0/16' },
        host: {
          interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }],
          ...(mode === 'userspace' && { proxyPorts: { 'ns1/web:http': 41_000 } }),
        },
      },
      { mode, nodeName: 'node-1', families: ['IPv4'] },
    )
    const [family] = families as readonly [FamilyResult]
    return { modePlan: { mode, plan: family.plan }, paths: trace(family.state, packet, traceContextFor(family.plan)) }
  }
  const toExternalIP = { protocol: 'TCP', destination: EXTERNAL_IP, destinationPort: 80 } as const

  it.each([
    ['ipvs', 'Local', { ...toExternalIP, origin: 'pod', source: '10.244.1.9' }, 'noShortCircuit'],
    ['userspace', 'Cluster', { ...toExternalIP, origin: 'node', source: '192.168.0.2' }, 'externalIPsOfOthers'],
  ] as const)('explains only the exact outcome of a limitation in %s mode', (mode, policy, packet, code) => {
    const { modePlan, paths } = traced(mode, policy, packet)
    expect(findExplainingLimitations(modePlan, packet, paths)).toEqual([code])
    const others: readonly Outcome[] = [
      { kind: 'dropped' },
      { kind: 'unmatched', to: 'network', masqueraded: true },
      { kind: 'delivered', address: '10.244.1.5', port: 8080, masqueraded: true },
      { kind: 'delivered', address: '10.244.1.6', port: 8080, masqueraded: false },
    ]
    for (const outcome of others) {
      const path = { outcome, weight: '1', probability: 1, assumptions: [], steps: [] }
      expect(findExplainingLimitations(modePlan, packet, [path])).toBeUndefined()
    }
  })
})

it('areDecisionsEqual distinguishes connections of the userspace proxy from packets to the same endpoint', () => {
  const input = { services: [service()], endpointSlices: [slice(at('10.244.1.1'))] }
  const options = { mode: 'userspace', kubernetesVersion: '1.25', nodeName: 'node-1', families: ['IPv4'] } as const
  const [{ plan }] = compile(input, options).families as [FamilyResult]
  const packet: Packet = {
    ...{ origin: 'pod', source: '10.244.9.9', protocol: 'TCP' },
    ...{ destination: '10.96.0.1', destinationPort: 80 },
  }
  const proxied = decide(plan, packet)
  if (proxied.kind !== 'proxy') throw new Error(`the decision is ${proxied.kind}`)
  const direct = { ...proxied, kind: 'endpoints' } as const
  const isEqual = (a: typeof proxied | typeof direct, b: typeof proxied | typeof direct) =>
    areDecisionsEqual(a, b, plan, packet)
  expect([isEqual(proxied, proxied), isEqual(direct, direct)]).toEqual([true, true])
  expect([isEqual(proxied, direct), isEqual(direct, proxied)]).toEqual([false, false])
  expect(isEqual(proxied, { ...proxied, candidates: [] })).toBe(false)
})
