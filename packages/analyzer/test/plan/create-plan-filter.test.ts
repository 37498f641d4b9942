import type { ServiceSpec } from '@kube-rules/types'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import { type Decision, decide, findClaimants } from '../../../compiler/src/plan/decide.js'
import { PROXY_MODES, type ProxyMode } from '../../../compiler/src/targets/modes.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { compileCase } from '../../../compiler/test/support/compiled.js'
import { fewRuns, isWhole } from '../../../compiler/test/support/runs.js'
import { anyPacket } from '../../../testing/src/arbitraries/packets.js'
import { anyOf } from '../../../testing/src/arbitraries/weighted.js'
import { createPlanFilter, type PacketFields } from '../../src/plan/create-plan-filter.js'
import { findPlanDifferences } from '../../src/plan/plan-differences.js'
import { computePlanReadSet } from '../../src/plan/plan-read-set.js'
import { MODE_DECISIONS } from '../../src/targets/mode-decisions.js'

/** Names, specs, and the addresses and port of the endpoints; 10.244.1.5 is on the node. */
const SERVICES: readonly (readonly [string, ServiceSpec, readonly string[], number])[] = [
  ['at-443', { clusterIP: '10.96.0.1', externalIPs: ['198.51.100.1'], ports: [{ port: 443 }] }, [], 8443],
  ['at-80', { clusterIP: '10.96.0.2', externalIPs: ['198.51.100.1'], ports: [{ port: 80 }] }, [], 8080],
  ['bound', { clusterIP: '10.96.0.3', ports: [{ port: 80 }] }, ['198.51.100.1'], 80],
  ['carried', { clusterIP: '10.96.0.4', ports: [{ port: 80 }] }, ['198.51.100.1'], 8080],
  ['caller', { clusterIP: '10.96.0.5', ports: [{ port: 80 }] }, ['10.244.1.5', '10.244.2.7'], 8080],
  ['friend', { clusterIP: '10.96.0.6', ports: [{ port: 80 }] }, ['10.244.1.5', '10.244.2.7'], 8080],
  ['on-node', { clusterIP: '10.96.0.7', ports: [{ port: 80 }] }, ['192.168.0.2'], 30090],
  ['one', { type: 'NodePort', clusterIP: '10.96.0.8', ports: [{ port: 80, nodePort: 30090 }] }, [], 8080],
  ['other', { type: 'NodePort', clusterIP: '10.96.0.9', ports: [{ port: 80, nodePort: 30090 }] }, [], 8080],
]

const CLIENT = '203.0.113.7'

const { families: FAMILIES } = compile(
  {
    services: SERVICES.map(([name, spec]) => ({ metadata: { namespace: 'default', name }, spec })),
    endpointSlices: SERVICES.map(([name, , addresses, port]) => ({
      metadata: { namespace: 'default', name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: '', port }],
      endpoints: addresses.map((address) => ({
        addresses: [address],
        nodeName: address === '10.244.1.5' ? 'node-1' : 'node-2',
      })),
    })),
    host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }] },
  },
  { mode: 'iptables', nodeName: 'node-1', families: ['IPv4'] },
)

it.each<[string, PacketFields, readonly string[]]>([
  [
    'of several Services: the Service with the port, and the other Services with the address',
    at('198.51.100.1', 80, CLIENT),
    ['at-443', 'at-80'],
  ],
  ['of Services that do not have the port: the owner of the address', at('198.51.100.1', 81, CLIENT), ['at-443']],
  [
    'of a Service with an endpoint at another Service: also the Services at the address and port of the endpoint',
    at('10.96.0.3', 80, CLIENT),
    ['at-443', 'at-80', 'bound'],
  ],
  [
    'of a Service with an endpoint at an address of another Service: also the owner of that address',
    at('10.96.0.4', 80, CLIENT),
    ['at-443', 'carried'],
  ],
  [
    'of a Service with an endpoint at a node port: also the Services with that node port',
    at('10.96.0.7', 80, CLIENT),
    ['on-node', 'one', 'other'],
  ],
  ['of a Service, without a source: only that Service', at('10.96.0.3', 80), ['bound']],
  [
    'of the node, with a node port: the Services with the node port, in order',
    at('192.168.0.2', 30090),
    ['one', 'other'],
  ],
  [
    'of a Service, if an endpoint on the node sends the packet: also the other Services of the endpoint',
    at('10.96.0.6', 80, '10.244.1.5'),
    ['caller', 'friend'],
  ],
  [
    'of a Service, if an endpoint on another node sends the packet: only that Service',
    at('10.96.0.6', 80, '10.244.2.7'),
    ['friend'],
  ],
  [
    'of a Service, if the source is an address of another Service: also that other Service',
    at('10.96.0.6', 80, '10.96.0.9'),
    ['friend', 'other'],
  ],
  [
    'of an endpoint that calls itself: the Services of the endpoint',
    at('10.244.1.5', 8080, '10.244.1.5'),
    ['caller', 'friend'],
  ],
  ['that belongs to no Service: none', at('203.0.113.9', 80, CLIENT), []],
])('createPlanFilter returns the relevant Services for an address %s', (_, place, names) => {
  const parts = FAMILIES.map(({ plan }) => createPlanFilter(plan)(place).services.map(({ id }) => id.text))
  expect(parts).toEqual([names.map((name) => `default/${name}`)])
})

function at(destination: string, destinationPort: number, source?: string): PacketFields {
  return { destination, destinationPort, source }
}

/** Cases with the address of a pod as an external IP. ipvs mode then binds the destinations of DNAT. */
const boundPods = cases.map(({ cluster, options }) => {
  const services = cluster.services.map((service, index) =>
    index === 0 ? { ...service, spec: { ...service.spec, externalIPs: ['10.244.1.1', 'fd00:244:1::1'] } } : service,
  )
  return { cluster: { ...cluster, services }, options }
})

it.each(PROXY_MODES)(
  'createPlanFilter returns a plan with the same decisions as the complete plan, in %s mode',
  (mode) => {
    const seen = new Set<string>()
    const samples = anyOf([4, cases], [1, boundPods]).chain(({ cluster, options }) => {
      const modes = [mode, mode === 'userspace' ? 'iptables' : 'userspace'] as const
      const all = modes.map((each) => optionsOfMode({ ...options, kubernetesVersion: undefined }, each))
      const { featureGates: _, nodePortAddresses, ...configuration } = cluster.configuration
      const addresses = nodePortAddresses?.filter((address) => address.includes('.'))
      const understood = all.reduce(understoodCluster, {
        ...cluster,
        configuration: { ...configuration, nodePortAddresses: addresses },
      })
      const [result, other] = all.map((each) => compileCase({ cluster: understood, options: each }))
      const families = result?.families ?? []
      return fc
        .tuple(...families.map(({ plan }) => fc.array(anyPacket(plan), { minLength: 12, maxLength: 12 })))
        .map((packets) =>
          families.map(({ family, plan }, index) => ({
            plan,
            packets: packets[index] ?? [],
            otherPlan: other?.families.find((each) => each.family === family)?.plan,
          })),
        )
    })
    fc.assert(
      fc.property(samples, (families) => {
        for (const { plan, packets, otherPlan } of families) {
          const partOf = createPlanFilter(plan)
          for (const packet of packets) {
            const part = partOf(packet)
            const decision = decide(plan, packet)
            expect(decide(part, packet)).toEqual(decision)
            expect(findClaimants(part, packet)).toEqual(findClaimants(plan, packet))
            const { protocol, destination, destinationPort } = packet
            const atPlace = partOf({ destination, destinationPort })
            const readSet = computePlanReadSet(plan, destination, protocol, destinationPort)
            expect(computePlanReadSet(atPlace, destination, protocol, destinationPort)).toEqual(readSet)
            const another = { plan: otherPlan ?? plan, decision: decide(otherPlan ?? plan, packet) }
            const differing = findPlanDifferences(packet, { plan, decision }, another)
            expect(findPlanDifferences(packet, { plan: part, decision }, another)).toEqual(differing)
            for (const expected of [decision, another.decision]) {
              const decided = MODE_DECISIONS[mode](plan, packet, expected)
              const withExpected = partOf({ ...packet, servicePort: servicePortOf(expected) })
              expect(MODE_DECISIONS[mode](withExpected, packet, expected)).toEqual(decided)
              for (const code of decided.limitations) seen.add(code)
            }
            if (part.services.length < plan.services.length) seen.add('fewer service ports')
          }
        }
      }),
      { numRuns: fewRuns(90) },
    )
    expect(seen).toContain('fewer service ports')
    if (isWhole) expect([...seen]).toEqual(expect.arrayContaining([...OFTEN[mode]]))
  },
)

function servicePortOf(decision: Decision): PacketFields['servicePort'] {
  return 'servicePort' in decision ? decision.servicePort : undefined
}

/** Limitations that must occur in every run of the test. */
const OFTEN: Readonly<Record<ProxyMode, readonly string[]>> = {
  iptables: ['nodePortsRejectedEverywhere', 'ownPacketsNotRejected'],
  ipvs: ['boundEndpoint', 'fromClusterIP', 'nodePortAddresses', 'otherPortsRejected'],
  nftables: ['otherPortsRejected', 'unallocatedDropped'],
  userspace: ['externalIPsOfOthers', 'policiesIgnored'],
}
