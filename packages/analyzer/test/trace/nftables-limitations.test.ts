import type { Packet } from '@kube-rules/types'
import { expect, it } from 'vitest'
import { type Features, featuresOf } from '../../../compiler/src/model/configuration/features.js'
import type { ServicePort } from '../../../compiler/src/model/services/service-port.js'
import { decide } from '../../../compiler/src/plan/decide.js'
import { cidr, packet, planOf } from '../../../compiler/test/support/decisions.js'
import { LIMITATIONS_OF_MODE } from '../../../compiler/test/support/limitations.js'
import { lowerNftables } from '../../../compiler/test/support/lower.js'
import { endpoint, features, servicePort } from '../../../compiler/test/support/model-builder.js'
import { pathsText } from '../../../compiler/test/support/paths-text.js'
import { formatDecision } from '../../src/plan/format-decision.js'
import { findAlphaLimitation } from '../../src/targets/nftables/find-alpha-limitation.js'
import { findNftablesLimitation } from '../../src/targets/nftables/find-limitation.js'
import { trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'

// Every limitation of nftables mode once, including limitations that generated packets rarely reach. The node has
// 192.168.0.2.

const ALPHA = featuresOf('nftables', '1.29', new Map([['NFTablesProxyMode', true]]))
const UNTIL_1_33 = featuresOf('nftables', '1.33', new Map())
/** Within one service port, the first frontend of an address has precedence. */
const UNTIL_1_31 = featuresOf('nftables', '1.31', new Map())
const NEWEST = features({}, 'nftables')

interface Row {
  readonly services: readonly ServicePort[]
  readonly features?: Features
  readonly serviceNetworks?: readonly string[]
  readonly masqueradeAll?: boolean
  readonly packet: Packet
  readonly decided: readonly string[]
  readonly traced: readonly string[]
}

const ELSEWHERE = endpoint({ ip: '10.180.1.1' })
const web = (fields: Parameters<typeof servicePort>[0]) => servicePort({ endpoints: [ELSEWHERE], ...fields })
const fromNode = { origin: 'node' } as const
const GUARDED = { loadBalancerIPs: ['1.2.3.4'], sourceRanges: [cidr('198.51.100.0/24')] }

const ROWS: Readonly<Record<string, Row>> = {
  commentTooLong: {
    services: [servicePort({ namespace: 'n'.repeat(63), name: 's'.repeat(63), portName: 'http' })],
    features: UNTIL_1_33,
    packet: packet('203.0.113.2', '172.30.0.41:80'),
    decided: ['rejected'],
    traced: ['rejected'],
  },
  guardedWithoutEndpoints: {
    services: [servicePort(GUARDED)],
    packet: packet('203.0.113.2', '1.2.3.4:80'),
    decided: ['rejected'],
    traced: ['dropped'],
  },
  otherPortsRejected: {
    services: [web({})],
    packet: packet('203.0.113.2', '172.30.0.41:81'),
    decided: ['unmatched'],
    traced: ['rejected'],
  },
  unallocatedDropped: {
    services: [web({})],
    serviceNetworks: ['172.30.0.0/16'],
    packet: packet('203.0.113.2', '172.30.0.99:80'),
    decided: ['unmatched'],
    traced: ['dropped'],
  },
  healthCheckNotAccepted: {
    services: [web({ nodePort: 30080, externalPolicyLocal: true, healthCheckNodePort: 30500 })],
    packet: packet('203.0.113.2', '192.168.0.2:30500'),
    decided: ['unmatched'],
    traced: ['unmatched'],
  },
  ownPacketsNotShortCircuited: {
    services: [web({ externalIPs: ['192.168.99.2'], externalPolicyLocal: true })],
    features: UNTIL_1_33,
    packet: packet('192.168.0.2', '192.168.99.2:80', fromNode),
    decided: ['10.180.1.1:80* 1'],
    traced: ['dropped'],
  },
  conflictingVerdicts: {
    services: [web({ ...GUARDED, externalIPs: ['1.2.3.4'] })],
    features: UNTIL_1_31,
    packet: packet('203.0.113.2', '1.2.3.4:81'),
    decided: ['unmatched'],
    traced: ['unmatched'],
  },
  guardedAddress: {
    services: [web({ ...GUARDED, externalIPs: ['1.2.3.4'] })],
    features: UNTIL_1_31,
    packet: packet('203.0.113.2', '1.2.3.4:80'),
    decided: ['10.180.1.1:80* 1'],
    traced: ['dropped'],
  },
  sourceRangesUnchecked: {
    services: [web(GUARDED)],
    features: ALPHA,
    packet: packet('203.0.113.2', '1.2.3.4:80'),
    decided: ['dropped'],
    traced: ['10.180.1.1:80* 1'],
  },
  overlappingSourceRanges: {
    services: [web({ ...GUARDED, sourceRanges: [cidr('203.0.113.0/24'), cidr('203.0.113.0/25')] })],
    features: ALPHA,
    packet: packet('203.0.113.2', '1.2.3.4:81'),
    decided: ['unmatched'],
    traced: ['unmatched'],
  },
  ownPacketsRejected: {
    services: [
      web({ externalIPs: ['198.51.100.9'] }),
      servicePort({ name: 'empty', clusterIP: '172.30.0.77', externalIPs: ['198.51.100.9'] }),
    ],
    features: UNTIL_1_33,
    packet: packet('192.168.0.2', '198.51.100.9:80', fromNode),
    decided: ['10.180.1.1:80* 1'],
    traced: ['rejected'],
  },
  endpointRejected: {
    services: [
      web({ endpoints: [endpoint({ ip: '172.30.0.77' })] }),
      servicePort({ name: 'other', clusterIP: '172.30.0.77' }),
    ],
    packet: packet('10.0.0.9', '172.30.0.41:80', { origin: 'pod' }),
    decided: ['172.30.0.77:80 1'],
    traced: ['rejected'],
  },
  externalClusterIP: {
    services: [
      web({ externalIPs: ['172.30.0.77'], externalPolicyLocal: true, endpoints: [{ ...ELSEWHERE, local: true }] }),
      servicePort({ name: 'other', clusterIP: '172.30.0.77', port: 81 }),
    ],
    masqueradeAll: true,
    packet: packet('203.0.113.2', '172.30.0.77:80'),
    decided: ['10.180.1.1:80 1'],
    traced: ['10.180.1.1:80* 1'],
  },
  remoteHairpin: {
    services: [web({})],
    packet: packet('10.180.1.1', '172.30.0.41:80', { origin: 'pod', inInterface: 'eth0' }),
    decided: ['10.180.1.1:80* 1'],
    traced: ['10.180.1.1:80 1'],
  },
}

it('every limitation of nftables mode has test rows', () => {
  expect(Object.keys(ROWS).sort()).toEqual(LIMITATIONS_OF_MODE.nftables.map(({ code }) => code).sort())
})

it.each(Object.entries(ROWS))(
  'the limitation %s explains its packet',
  (code, {
    services,
    features: ofVersion = NEWEST,
    serviceNetworks = [],
    masqueradeAll = false,
    packet: sent,
    ...row
  }) => {
    const plan = planOf(services, { settings: { features: ofVersion, serviceNetworks, masqueradeAll } })
    const decision = decide(plan, sent)
    const paths = pathsText(trace(lowerNftables(plan), sent, traceContextFor(plan)))
    expect({ decided: formatDecision(decision), traced: paths }).toEqual(row)
    const isSame = row.decided.join() === row.traced.join()
    const limitedBy = ofVersion.alphaTable ? findAlphaLimitation : findNftablesLimitation
    const limited = limitedBy(plan, sent, decision)
    expect([limited?.code, limited?.texts]).toEqual(isSame ? [undefined, undefined] : [code, row.traced])
  },
)

it('a packet is masqueraded if it reaches an endpoint that is not rejected', () => {
  const services = [
    web({ endpoints: [endpoint({ ip: '172.30.0.77' }), ELSEWHERE] }),
    servicePort({ name: 'other', clusterIP: '172.30.0.77' }),
  ]
  const plan = planOf(services, { settings: { features: NEWEST } })
  const sent = packet('203.0.113.2', '172.30.0.41:80')
  const traced = pathsText(trace(lowerNftables(plan), sent, traceContextFor(plan)))
  expect(traced).toEqual(['10.180.1.1:80* 1/2', 'rejected'])
  expect(findNftablesLimitation(plan, sent, decide(plan, sent))?.texts).toEqual(['10.180.1.1:80* 1/2', 'rejected'])
})

// The filters of 1.29 see packets before DNAT only at the output hook.
it.each([
  ['an allowed client', packet('198.51.100.2', '1.2.3.4:80'), ['10.180.1.1:80* 1']],
  ['a client of the node that is not allowed', packet('192.168.0.2', '1.2.3.4:80', fromNode), ['dropped']],
])('a source range in version 1.29 applies to %s', (_, sent, traced) => {
  const plan = planOf([web(GUARDED)], { settings: { features: ALPHA } })
  expect(pathsText(trace(lowerNftables(plan), sent, traceContextFor(plan)))).toEqual(traced)
  expect(findAlphaLimitation(plan, sent, decide(plan, sent))?.texts ?? traced).toEqual(traced)
})
