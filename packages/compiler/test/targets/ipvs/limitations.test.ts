import { describe, expect, it } from 'vitest'
import { featuresOf } from '../../../src/model/configuration/features.js'
import type { ServicePort } from '../../../src/model/services/service-port.js'
import { limitationsOf } from '../../../src/targets/ipvs/limitations.js'
import { createLoweringContext } from '../../../src/targets/ipvs/lowering-context.js'
import { buildPlan } from '../../support/build-plan.js'
import { cidr } from '../../support/decisions.js'
import { type IpvsConfiguration, ipvsModel } from '../../support/ipvs-states.js'
import { LIMITATIONS_OF_MODE } from '../../support/limitations.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

const local = endpoint({ ip: '10.180.0.1', local: true })
const remote = endpoint({ ip: '10.180.0.2' })
const served = { endpoints: [local, remote] }
const quiet = { settings: { localhostNodePorts: false } }
const nowhere = { node: { nodePorts: { all: false, addresses: [], containsLoopback: false } } }
const onAddresses = (...addresses: readonly string[]) => ({
  node: { nodePorts: { all: false, addresses, containsLoopback: true } },
})

const codesOf = (port: ServicePort, configuration: IpvsConfiguration = {}): readonly string[] => {
  const plan = buildPlan(ipvsModel([port], configuration))
  const context = createLoweringContext(plan)
  return plan.services.flatMap((service) => limitationsOf(service, context).map(({ code }) => code))
}

it('ipvs mode lists each of its limitations once', () => {
  expect(LIMITATIONS_OF_MODE.ipvs.map(({ code }) => code)).toEqual([
    'noShortCircuit',
    'localFallsBack',
    'emptyVirtualServer',
    'nodePortAddresses',
    'healthCheckSkipped',
    'zeroSourceRange',
    'otherLoadBalancerIPs',
    'externalIPRejected',
    'markedToDrop',
    'sctpMasquerading',
    'otherPortsRejected',
    'otherPortsReachNode',
    'healthChecksRejected',
    'boundEndpoint',
    'loopbackNotMasqueraded',
    'ownPacketsNotMasqueraded',
    'remoteHairpin',
    'fromClusterIP',
    'ownPacketsNotLimited',
    'fromLoadBalancerIP',
    'guardedAddress',
    'sharedEntries',
    'externalClusterIP',
    'directHairpin',
    'schedulerChooses',
  ])
})

describe('limitationsOf a service port in an older version', () => {
  const inVersion = (version: string): IpvsConfiguration => ({
    settings: { localhostNodePorts: false, features: featuresOf('ipvs', version, new Map()) },
  })
  const local11 = { endpoints: [local], externalIPs: ['192.168.99.11'], externalPolicyLocal: true }
  const guarded = { ...served, loadBalancerIPs: ['1.2.3.4'], sourceRanges: [cidr('203.0.113.0/24')] }
  const unserved = { endpoints: [remote], externalIPs: ['192.168.99.11'], externalPolicyLocal: true }
  const sctp = { ...served, nodePort: 3001, protocol: 'SCTP' } as const

  it.each<[string, Parameters<typeof servicePort>[0], string, readonly string[]]>([
    ['an external IP with policy Local', local11, '1.30', []],
    ['an external IP with policy Local', local11, '1.29', ['externalIPRejected']],
    ['an external IP with policy Local', local11, '1.25', []],
    ['source ranges', guarded, '1.25', []],
    ['source ranges', guarded, '1.24', ['markedToDrop']],
    ['policy Local without local endpoints', unserved, '1.24', ['localFallsBack']],
    ['policy Local without local endpoints', unserved, '1.23', ['noShortCircuit', 'emptyVirtualServer']],
    ['a node port over SCTP', sctp, '1.23', []],
    ['a node port over SCTP', sctp, '1.22', ['sctpMasquerading']],
  ])('for %s returns the limitations %j in %s', (_, fields, version, codes) => {
    expect(codesOf(servicePort(fields), inVersion(version))).toEqual(codes)
  })
})

describe('limitationsOf a service port', () => {
  it.each<[string, Parameters<typeof servicePort>[0], IpvsConfiguration, readonly string[]]>([
    ['a cluster IP with endpoints', served, {}, []],
    [
      'external IPs with policy Cluster',
      { ...served, externalIPs: ['192.168.99.11'], loadBalancerIPs: ['1.2.3.4'] },
      {},
      [],
    ],
    [
      'external policy Local with local and remote endpoints',
      { ...served, externalIPs: ['192.168.99.11'], externalPolicyLocal: true },
      {},
      ['noShortCircuit'],
    ],
    [
      'external policy Local with local endpoints only',
      { endpoints: [local], externalIPs: ['192.168.99.11'], externalPolicyLocal: true },
      {},
      [],
    ],
    [
      'external policy Local without local endpoints',
      { endpoints: [remote], externalIPs: ['192.168.99.11'], externalPolicyLocal: true },
      {},
      ['localFallsBack'],
    ],
    ['internal policy Local', { ...served, internalPolicyLocal: true }, {}, []],
    [
      'internal policy Local without local endpoints',
      { endpoints: [remote], internalPolicyLocal: true },
      {},
      ['emptyVirtualServer'],
    ],
    ['a cluster IP without endpoints', {}, {}, ['emptyVirtualServer']],
    ['a node port with localhostNodePorts', { ...served, nodePort: 3001 }, {}, ['nodePortAddresses']],
    ['a node port without localhostNodePorts', { ...served, nodePort: 3001 }, quiet, []],
    [
      'a node port with a loopback address selected',
      { ...served, nodePort: 3001 },
      onAddresses('127.0.0.1', '192.168.0.2'),
      ['nodePortAddresses'],
    ],
    ['a node port with only other addresses selected', { ...served, nodePort: 3001 }, onAddresses('192.168.0.2'), []],
    [
      'a node port while kube-ipvs0 already has addresses',
      { ...served, nodePort: 3001 },
      { ...quiet, node: { addresses: [{ interface: 'kube-ipvs0', address: '10.96.0.1' }] } },
      ['nodePortAddresses'],
    ],
    [
      'a health check on a node without addresses for node ports',
      { ...served, nodePort: 3001, healthCheckNodePort: 30000 },
      nowhere,
      ['healthCheckSkipped'],
    ],
    [
      'a health check without a node port on a node without addresses for node ports',
      { ...served, healthCheckNodePort: 30000 },
      nowhere,
      [],
    ],
    [
      'source ranges that do not contain the node',
      { ...served, loadBalancerIPs: ['1.2.3.4', '1.2.3.5'], sourceRanges: [cidr('203.0.113.0/24')] },
      {},
      [],
    ],
    [
      'a zero CIDR as source range',
      { ...served, loadBalancerIPs: ['1.2.3.4'], sourceRanges: [cidr('0.0.0.0/0')] },
      {},
      ['zeroSourceRange'],
    ],
    [
      'a zero CIDR and a narrower source range',
      { ...served, loadBalancerIPs: ['1.2.3.4'], sourceRanges: [cidr('203.0.113.0/24'), cidr('0.0.0.0/0')] },
      {},
      ['zeroSourceRange'],
    ],
    [
      'several load-balancer IPs with source ranges that contain the node',
      { ...served, loadBalancerIPs: ['1.2.3.4', '1.2.3.5'], sourceRanges: [cidr('192.168.0.0/24')] },
      {},
      ['otherLoadBalancerIPs'],
    ],
  ])('returns the limitations of %s', (_, fields, configuration, codes) => {
    expect(codesOf(servicePort(fields), configuration)).toEqual(codes)
  })
})
