import type { EndpointSlice, Service, ServiceSpec } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileOptions, CompileResult } from '../../../compiler/src/compilation/compile-result.js'
import { print } from '../../../compiler/src/print/print.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { compare } from '../../src/compare/compare.js'
import type { ComparedSide, Comparison } from '../../src/compare/comparison.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import { prove } from '../../src/prove/prove.js'

// kube-proxy selects one of the service ports with the same address and port at random. The rules contain one selection,
// which depends on the names of the Services here, but a comparison must not.

interface Objects {
  readonly services: readonly Service[]
  readonly endpointSlices: readonly EndpointSlice[]
}

function objects(namespace: string, name: string, endpoint: string | undefined, spec: ServiceSpec = {}): Objects {
  const ports = [{ name: 'p', port: 80 }]
  const endpoints = endpoint === undefined ? [] : [{ addresses: [endpoint], nodeName: 'node-2' }]
  const labels = { 'kubernetes.io/service-name': name }
  return {
    services: [{ metadata: { namespace, name }, spec: { clusterIP: '10.96.0.20', ports, ...spec } }],
    endpointSlices: [
      {
        metadata: { namespace, name: `${name}-1`, labels },
        addressType: 'IPv4',
        ports: [{ name: 'p', port: 8080 }],
        endpoints,
      },
    ],
  }
}

const NODE = {
  metadata: { name: 'node-1' },
  status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] },
} as const

const ADDRESSES = ['192.168.0.2']

function compiled(parts: readonly Objects[], options: CompileOptions = {}): CompileResult {
  const input = {
    nodes: [NODE],
    configuration: { clusterCIDR: '10.244.0.0/16' },
    services: parts.flatMap(({ services }) => services),
    endpointSlices: parts.flatMap(({ endpointSlices }) => endpointSlices),
  }
  return compile(input, { nodeName: 'node-1', families: ['IPv4'], ...options })
}

function familyOf({ mode, families }: CompileResult) {
  const [family] = families
  if (family === undefined) throw new Error('the result has no family')
  return { state: family.state, planned: { mode, plan: family.plan } }
}

function compared(before: CompileResult, after: CompileResult): Comparison {
  const [a, b] = [familyOf(before), familyOf(after)]
  return compare(a.state, b.state, { addresses: ADDRESSES, plans: { a: a.planned, b: b.planned } })
}

function chosen({ choices = [] }: ComparedSide): readonly unknown[] {
  return choices.map(({ servicePort, outcomes }) => [servicePort, Object.keys(outcomes).join()])
}

const WEB = objects('shop', 'web', '10.244.2.8')
const evilIn = (namespace: string, spec?: ServiceSpec) => objects(namespace, 'evil', '10.244.6.6', spec)

const MODES: readonly (readonly [ProxyMode, string])[] = [
  ['iptables', '1.20'],
  ['iptables', '1.34'],
  ['ipvs', '1.34'],
  ['nftables', '1.34'],
  ['userspace', '1.24'],
]

describe.each(MODES)('in %s mode of %s, a takeover of a cluster IP', (mode, kubernetesVersion) => {
  const options = { mode, kubernetesVersion }

  it.each(['aaa', 'zzz'])('is a difference if the namespace of the new Service is %s', (namespace) => {
    const { equal, differences, contested } = compared(
      compiled([WEB], options),
      compiled([WEB, evilIn(namespace)], options),
    )
    expect(equal).toBe(false)
    expect(contested).toBeUndefined()
    const taken = differences.filter(({ packet }) => packet.destination === '10.96.0.20')
    expect(taken.length).toBeGreaterThan(0)
    for (const { a, b, services, occupied, packetGroups } of taken) {
      expect(chosen(a)).toEqual([])
      expect(chosen(b).flat()).toEqual(
        expect.arrayContaining([`${namespace}/evil:p/TCP`, expect.stringMatching(/^10\.244\.6\.6:8080/)]),
      )
      expect(chosen(b).flat()).toEqual(
        expect.arrayContaining(['shop/web:p/TCP', expect.stringMatching(/^10\.244\.2\.8:8080/)]),
      )
      expect(services).toEqual(expect.arrayContaining([`${namespace}/evil:p/TCP`, 'shop/web:p/TCP']))
      expect(occupied).toEqual([{ destination: 'TCP 10.96.0.20:80', occupant: 'shop/web' }])
      expect(packetGroups[0]?.destinations).toEqual(['TCP 10.96.0.20:80'])
    }
    expect(taken.flatMap(({ packetGroups }) => packetGroups.flatMap(({ sources }) => sources))).toContain(
      'any other source',
    )
  })

  it('is a difference if it ends', () => {
    const { differences } = compared(compiled([WEB, evilIn('zzz')], options), compiled([WEB], options))
    expect(differences.filter(({ a, b }) => a.choices !== undefined && b.choices === undefined)).not.toEqual([])
  })

  it('is contested if it exists before and after, but not equal', () => {
    const before = compiled([WEB, evilIn('zzz')], options)
    const other = objects('zzzz', 'other', '10.244.2.9', { clusterIP: '10.96.0.30' })
    const after = compiled([WEB, evilIn('zzz'), other], options)
    const { equal, differences, inconclusive, contested = [] } = compared(before, after)
    expect(equal).toBe(false)
    expect(new Set(differences.map(({ packet }) => packet.destination))).toEqual(new Set(['10.96.0.30']))
    expect(inconclusive).toEqual([])
    expect(new Set(contested.map(({ packet }) => packet.destination))).toEqual(new Set(['10.96.0.20']))
    for (const { a, b } of contested) expect(chosen(a)).toEqual(chosen(b))
    expect(compared(before, before)).toMatchObject({ equal: false, differences: [], inconclusive: [] })
  })

  it('is a difference if the endpoints of one of the Services change', () => {
    const before = compiled([WEB, evilIn('zzz')], options)
    const after = compiled([WEB, objects('zzz', 'evil', '10.244.6.7')], options)
    const { differences, contested } = compared(before, after)
    expect(contested).toBeUndefined()
    expect(differences.map(({ b }) => chosen(b).flat().join())).toEqual(
      expect.arrayContaining([expect.stringContaining('10.244.6.7:8080')]),
    )
  })

  it('is listed in the certificate', () => {
    for (const namespace of ['aaa', 'zzz']) {
      const [proof] = prove(compiled([WEB, evilIn(namespace)], options))
      const contested = proof?.limitations.filter(({ code }) => code === 'contested') ?? []
      expect(contested).toEqual([
        expect.objectContaining({ packet: expect.objectContaining({ destination: '10.96.0.20' }) }),
      ])
      expect(contested[0]?.classes).toBeGreaterThan(2)
    }
    expect(prove(compiled([WEB], options))[0]?.limitations.map(({ code }) => code)).not.toContain('contested')
  })
})

describe.each([
  ['an external IP', { clusterIP: '10.96.0.7', externalIPs: ['10.96.0.20'] }, '10.96.0.20'],
  ['an external IP', { clusterIP: '10.96.0.7', externalIPs: ['203.0.113.5'] }, '203.0.113.5'],
  [
    'a node port',
    { clusterIP: '10.96.0.7', type: 'NodePort', ports: [{ name: 'p', port: 80, nodePort: 30080 }] },
    '192.168.0.2',
  ],
] as const)('a takeover by %s', (_, spec, destination) => {
  const victim = objects('shop', 'web', '10.244.2.8', {
    type: 'NodePort',
    externalIPs: ['203.0.113.5'],
    ports: [{ name: 'p', port: 80, nodePort: 30080 }],
  })

  it.each(MODES)('is a difference in %s mode of %s, whatever the namespace', (mode, kubernetesVersion) => {
    const options = { mode, kubernetesVersion }
    for (const namespace of ['aaa', 'zzz']) {
      const next = compiled([victim, evilIn(namespace, spec as ServiceSpec)], options)
      const { differences } = compared(compiled([victim], options), next)
      const random = differences.filter(
        ({ condition, b }) => condition.includes(`TCP ${destination}:`) && b.choices !== undefined,
      )
      expect(random.length).toBeGreaterThan(0)
      expect(prove(next)[0]?.limitations.map(({ code }) => code)).toContain('contested')
    }
  })
})

describe('contested packets', () => {
  const empty = objects('zzz', 'evil', undefined)

  it('do not exist if a Service without endpoints always loses', () => {
    const { differences, contested } = compared(compiled([WEB]), compiled([WEB, empty]))
    expect([differences, contested]).toEqual([[], undefined])
  })

  it('exist in ipvs mode even if a Service has no endpoints', () => {
    const options = { mode: 'ipvs' } as const
    const { differences } = compared(compiled([WEB], options), compiled([WEB, empty], options))
    expect(differences.map(({ b }) => chosen(b).flat().join())).toEqual(
      expect.arrayContaining([expect.stringContaining('rejected with icmp-port-unreachable')]),
    )
  })

  it('do not exist if both Services have the same endpoints', () => {
    const twin = objects('zzz', 'twin', '10.244.2.8')
    const { equal } = compared(compiled([WEB]), compiled([WEB, twin]))
    expect(equal).toBe(true)
    expect(prove(compiled([WEB, twin]))[0]?.limitations.map(({ code }) => code)).toContain('contested')
  })

  it('do not exist for a node port and an address of the node, except in ipvs mode', () => {
    const nodePort = objects('shop', 'web', '10.244.2.8', {
      type: 'NodePort',
      ports: [{ name: 'p', port: 80, nodePort: 30080 }],
    })
    const ports = [{ name: 'p', port: 30080 }]
    const atNode = objects('zzz', 'evil', '10.244.6.6', { clusterIP: '10.96.0.7', externalIPs: ['192.168.0.2'], ports })
    for (const [mode, isRandom] of [
      ['iptables', false],
      ['nftables', false],
      ['ipvs', true],
    ] as const) {
      const { differences } = compared(compiled([nodePort], { mode }), compiled([nodePort, atNode], { mode }))
      const taken = differences.filter(({ packet }) => packet.destinationPort === 30080)
      expect(taken.some(({ b }) => b.choices !== undefined)).toBe(isRandom)
      expect(taken.length).toBeGreaterThan(0)
    }
  })

  it('are not known without the plans', () => {
    const [a, b] = [compiled([WEB]), compiled([WEB, evilIn('zzz')])].map((result) => familyOf(result).state)
    if (a === undefined || b === undefined) throw new Error('no states')
    expect(compare(a, b, { addresses: ADDRESSES }).differences).toEqual([])
  })

  it('are known from the plans for known limitations', () => {
    const [a, b] = [compiled([WEB]), compiled([WEB, evilIn('zzz')])].map(familyOf)
    if (a === undefined || b === undefined) throw new Error('no states')
    const knownLimitationsOf = { a: a.planned, b: b.planned }
    expect(compare(a.state, b.state, { addresses: ADDRESSES, knownLimitationsOf }).equal).toBe(false)
  })

  it('include the packets of session affinity', () => {
    const sticky = evilIn('zzz', { sessionAffinity: 'ClientIP' })
    const { differences } = compared(compiled([WEB]), compiled([WEB, sticky]))
    const [choice] = differences[0]?.b.choices?.filter(({ servicePort }) => servicePort === 'zzz/evil:p/TCP') ?? []
    expect(choice?.affinitySeconds).toBe(10800)
  })
})

describe('the dump of a node with a conflict', () => {
  const expected = compiled([WEB, evilIn('zzz')])
  const dumpOf = (result: CompileResult) => {
    const dump = parseDump(print(familyOf(result).state, { format: 'save' }))
    if (!dump.ok) throw new Error('the text of a state is valid')
    return dump.value.IPv4
  }
  const against = (result: CompileResult) => {
    const { state, planned } = familyOf(expected)
    return compare(state, dumpOf(result), { addresses: ADDRESSES, plans: { a: planned } })
  }

  it('is contested with either selection', () => {
    for (const result of [expected, compiled([WEB, evilIn('aaa')])]) {
      const { equal, differences, contested = [] } = against(result)
      expect([equal, differences]).toEqual([false, []])
      expect(contested.length).toBeGreaterThan(0)
    }
  })

  it('differs with any other outcome', () => {
    const { differences } = against(compiled([objects('shop', 'web', '10.244.2.99')]))
    expect(differences.map(({ packet }) => packet.destination)).toContain('10.96.0.20')
  })
})

describe('the destinations of a takeover', () => {
  const externalIPs = [
    ...Array.from({ length: 11 }, (_, index) => `203.0.113.${101 + index}`),
    '192.168.0.2',
    '10.244.2.8',
  ]
  const ports = [{ name: 'p', port: 10250 }]
  const hiding = objects('aaa', 'metrics', '10.244.6.6', { clusterIP: '10.96.7.7', externalIPs, ports })
  const { differences } = compared(compiled([WEB]), compiled([WEB, hiding]))

  it('are first in the list of differences, and in each difference', () => {
    const ofNode = differences.find(({ packet }) => packet.destination === '192.168.0.2')
    expect(ofNode?.occupied).toEqual([{ destination: 'TCP 192.168.0.2:10250', occupant: 'the node' }])
    expect(Object.keys(ofNode?.a.outcomes ?? {})).toEqual(['to the node, not handled by kube-proxy'])
    const ofPod = differences.find(({ occupied = [] }) => occupied.some(({ occupant }) => /endpoint/.test(occupant)))
    expect(ofPod?.occupied).toEqual([{ destination: 'TCP 10.244.2.8:10250', occupant: 'an endpoint of shop/web' }])
    expect(ofPod?.condition).toMatch(/^TCP 10\.244\.2\.8:10250/)
    const taken = differences.filter(({ occupied }) => occupied !== undefined)
    expect(differences.slice(0, taken.length)).toEqual(taken)
  })

  it('include a new port at the address of a different Service', () => {
    const atOther = objects('aaa', 'metrics', '10.244.6.6', {
      clusterIP: '10.96.7.7',
      externalIPs: ['10.96.0.20'],
      ports,
    })
    const [first] = compared(compiled([WEB]), compiled([WEB, atOther])).differences
    expect(first?.occupied).toEqual([{ destination: 'TCP 10.96.0.20:10250', occupant: 'shop/web' }])
  })

  it('do not include addresses that the Service itself had before', () => {
    const changed = objects('shop', 'web', '10.244.2.9')
    for (const { occupied } of compared(compiled([WEB]), compiled([changed])).differences)
      expect(occupied).toBeUndefined()
  })
})
