import type { EndpointSlice, Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import type { CompileInput } from '../../src/compilation/compile-result.js'
import { diff } from '../../src/diff/diff.js'

const dns: Service = {
  metadata: { namespace: 'ns1', name: 'dns' },
  spec: {
    clusterIP: '10.96.0.9',
    ports: [{ name: 'dns', port: 53, protocol: 'UDP', nodePort: 30053 }],
    type: 'NodePort',
  },
}
const headless: Service = { ...dns, spec: { ...dns.spec, clusterIP: 'None', type: 'ClusterIP' } }
const named = (name: string): Service => ({ ...dns, spec: { ...dns.spec, ports: [{ ...PORT, name }] } })
const PORT = { name: 'dns', port: 53, protocol: 'UDP', nodePort: 30053 } as const

function slice(...addresses: readonly string[]): EndpointSlice {
  return {
    metadata: { namespace: 'ns1', name: 'dns-1', labels: { 'kubernetes.io/service-name': 'dns' } },
    addressType: 'IPv4',
    ports: [
      { name: 'dns', port: 5353, protocol: 'UDP' },
      { name: 'new', port: 5354, protocol: 'UDP' },
    ],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  }
}

interface Step {
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
}

/** Compiles each step from the previous one, and returns the stale connections of the last step. */
function staleAfter(version: string, steps: readonly Step[], mode = 'iptables'): readonly string[] {
  const options = { kubernetesVersion: version, nodeName: 'node-1', families: ['IPv4'] } as const
  const inputOf = (step: Step): CompileInput => ({ ...step, configuration: { mode } })
  const [last, ...earlier] = [...steps].reverse().map(inputOf)
  const previous = earlier
    .reverse()
    .reduce<ReturnType<typeof compile> | undefined>(
      (before, input) => compile(input, { ...options, previous: before }),
      undefined,
    )
  if (last === undefined) return []
  const updated = diff(previous, compile(last, { ...options, previous }))
  const fresh = diff(previous, compile(last, options))
  const [stale, expected] = [updated, fresh].map(({ families }) =>
    families.flatMap(({ staleConnections }) =>
      staleConnections.map(({ protocol: _, ...rest }) => Object.values(rest).join(' ')),
    ),
  )
  expect(stale).toEqual(expected)
  return stale ?? []
}

const ONE = [slice('10.1.0.1')]
const FRONTENDS = ['address 10.96.0.9', 'nodePort 30053']

describe('the stale connections of a service port that appears after its endpoints', () => {
  const cases: readonly (readonly [string, Step, Step])[] = [
    ['the Service is added', { services: [], endpointSlices: ONE }, { services: [dns], endpointSlices: ONE }],
    [
      'the Service is no longer headless',
      { services: [headless], endpointSlices: ONE },
      { services: [dns], endpointSlices: ONE },
    ],
    [
      'the port gets the name of the slice',
      { services: [named('old')], endpointSlices: ONE },
      { services: [named('new')], endpointSlices: ONE },
    ],
  ]
  const withoutRemoved = (stale: readonly string[]) => stale.filter((each) => each !== 'address 10.96.0.9')

  it.each(cases)('do not exist up to 1.31 if %s', (_, before, after) => {
    for (const mode of ['iptables', 'ipvs']) {
      for (const version of ['1.23', '1.28', '1.29', '1.30', '1.31']) {
        // Up to 1.26, ipvs mode has other rules for node ports.
        if (mode === 'ipvs' && version === '1.23') continue
        expect(withoutRemoved(staleAfter(version, [before, after], mode))).toEqual([])
      }
    }
    expect(withoutRemoved(staleAfter('1.31', [before, after], 'nftables'))).toEqual([])
  })

  it.each(cases)('are those to all its frontends from 1.32 on if %s', (_, before, after) => {
    for (const mode of ['iptables', 'ipvs', 'nftables'])
      expect(staleAfter('1.32', [before, after], mode)).toEqual(FRONTENDS)
  })

  it('are those to all its frontends if the endpoints appear in the same update', () => {
    const [before, after] = [
      { services: [], endpointSlices: [] },
      { services: [dns], endpointSlices: ONE },
    ]
    for (const version of ['1.23', '1.30', '1.32']) expect(staleAfter(version, [before, after])).toEqual(FRONTENDS)
  })

  it('are those to a lost endpoint up to 1.31 if an endpoint disappears in the same update', () => {
    const before = { services: [], endpointSlices: [slice('10.1.0.1', '10.1.0.2')] }
    const after = { services: [dns], endpointSlices: [slice('10.1.0.2')] }
    const lost = ['addressAndEndpoint 10.96.0.9 10.1.0.1', 'nodePortAndEndpoint 30053 10.1.0.1']
    for (const version of ['1.23', '1.28', '1.30', '1.31']) expect(staleAfter(version, [before, after])).toEqual(lost)
    expect(staleAfter('1.32', [before, after])).toEqual(FRONTENDS)
  })

  it('do not exist if the Service was removed and returns', () => {
    const with_ = { services: [dns], endpointSlices: ONE }
    const without = { services: [], endpointSlices: ONE }
    expect(staleAfter('1.30', [with_, without])).toEqual(['address 10.96.0.9'])
    expect(staleAfter('1.30', [with_, without, with_])).toEqual([])
  })

  it('do not exist if the Service gets a second address family', () => {
    const families = { ipFamilies: ['IPv6', 'IPv4'], clusterIPs: ['fd00::9', '10.96.0.9'], clusterIP: 'fd00::9' }
    const single = { ipFamilies: ['IPv6'], clusterIPs: ['fd00::9'], clusterIP: 'fd00::9' }
    const steps = [single, families].map((spec) => ({
      services: [{ ...dns, spec: { ...dns.spec, ...spec } }],
      endpointSlices: ONE,
    }))
    expect(staleAfter('1.30', steps)).toEqual([])
    expect(staleAfter('1.32', steps)).toEqual(FRONTENDS)
  })
})

describe('the unassigned endpoints of a plan', () => {
  const unassigned = (version: string, services: readonly Service[], endpointSlices: readonly EndpointSlice[]) =>
    compile({ services, endpointSlices }, { kubernetesVersion: version, families: ['IPv4'] }).families.flatMap(
      ({ plan }) =>
        plan.unassignedEndpoints.map(({ id, endpoints }) =>
          [id.text, endpoints.map(({ text }) => text).join(' ')].join(' '),
        ),
    )

  it('are those of the UDP ports that no service port has, up to 1.31', () => {
    expect(unassigned('1.31', [dns], ONE)).toEqual(['ns1/dns:new 10.1.0.1:5354'])
    expect(unassigned('1.31', [], ONE)).toEqual(['ns1/dns:dns 10.1.0.1:5353', 'ns1/dns:new 10.1.0.1:5354'])
    expect(unassigned('1.32', [], ONE)).toEqual([])
  })

  it('exclude endpoints of other protocols and of slices that kube-proxy ignores', () => {
    const [one] = ONE
    if (one === undefined) return
    const tcp = { ...one, ports: [{ name: 'dns', port: 5353, protocol: 'TCP' as const }] }
    const labels = { ...one.metadata?.labels, 'service.kubernetes.io/headless': '' }
    const ignored = { ...one, metadata: { ...one.metadata, labels } }
    expect(unassigned('1.30', [], [tcp])).toEqual([])
    expect(unassigned('1.30', [], [ignored])).toEqual([])
  })
})
