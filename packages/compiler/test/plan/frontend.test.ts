import { describe, expect, it } from 'vitest'
import type { ServicePort } from '../../src/model/services/service-port.js'
import { blockingVerdictOf, isFirewalled, isServed, isServedExternally } from '../../src/plan/frontend.js'
import { cidr, planOf } from '../support/decisions.js'
import { endpoint, servicePort } from '../support/model-builder.js'

const LOCAL = endpoint({ ip: '10.180.0.1', local: true })
const REMOTE = endpoint({ ip: '10.180.0.2' })
const BROKEN = endpoint({ ip: '10.180.0.3', ready: false, serving: false })
const RANGES = { sourceRanges: [cidr('203.0.113.0/24')] }

/** Describes the cluster IP, an external IP, a load-balancer IP and the node port. */
function words(fields: Partial<ServicePort>): readonly string[] {
  const everywhere = { externalIPs: ['192.0.2.1'], loadBalancerIPs: ['198.51.100.1'], nodePort: 30_080 }
  const [service] = planOf([servicePort({ ...everywhere, ...fields })]).services
  return (service?.frontends ?? []).map((frontend) =>
    [
      ...(isServed(frontend) ? ['served'] : []),
      ...(isServedExternally(frontend) ? ['externally'] : []),
      ...(isFirewalled(frontend) ? ['firewalled'] : []),
      blockingVerdictOf(frontend) ?? 'taken',
    ].join(' '),
  )
}

const ANYWHERE = 'served externally taken'
const GUARDED = 'served externally firewalled taken'
const UNLESS_SHORT_CIRCUIT = 'served externally drop'

describe('a frontend', () => {
  it.each<[string, Partial<ServicePort>, readonly string[]]>([
    ['remote endpoints', { endpoints: [REMOTE] }, ['served taken', ANYWHERE, ANYWHERE, ANYWHERE]],
    ['source ranges and endpoints', { ...RANGES, endpoints: [REMOTE] }, ['served taken', ANYWHERE, GUARDED, ANYWHERE]],
    ['no usable endpoint', { endpoints: [BROKEN] }, ['reject', 'reject', 'reject', 'reject']],
    ['source ranges without endpoints', { ...RANGES }, ['reject', 'reject', 'reject', 'reject']],
    [
      'external policy Local and a local endpoint',
      { endpoints: [LOCAL, REMOTE], externalPolicyLocal: true },
      ['served taken', ANYWHERE, ANYWHERE, ANYWHERE],
    ],
    [
      'external policy Local and remote endpoints only',
      { ...RANGES, endpoints: [REMOTE], externalPolicyLocal: true },
      ['served taken', UNLESS_SHORT_CIRCUIT, 'served externally firewalled drop', UNLESS_SHORT_CIRCUIT],
    ],
    [
      'internal policy Local and remote endpoints only',
      { endpoints: [REMOTE], internalPolicyLocal: true },
      ['drop', ANYWHERE, ANYWHERE, ANYWHERE],
    ],
  ])('is served, rejected, dropped or firewalled according to its clauses: %s', (_name, fields, expected) => {
    expect(words(fields)).toEqual(expected)
  })
})
