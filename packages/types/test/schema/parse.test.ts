import { describe, expect, it } from 'vitest'
import type { Result } from '../../src/result.js'
import {
  safeParseEndpointSlice,
  safeParseEndpoints,
  safeParseKubeProxyConfiguration,
  safeParseNode,
  safeParseService,
  safeParseServiceCIDR,
} from '../../src/schema/index.js'

const metadata = { name: 'web', namespace: 'team-a' }

/** Formats every diagnostic as `code path: message (expected)`. */
function problems(result: Result<unknown>): readonly string[] {
  if (result.ok) return []
  return result.problems.map((d) => `${d.code} ${d.path}: ${d.message} (${d.expected})`)
}

function serviceProblems(spec: unknown): readonly string[] {
  return problems(safeParseService({ kind: 'Service', metadata, spec }))
}

describe('a safeParse function', () => {
  const parsers = [
    ['Service', safeParseService, { metadata }],
    ['EndpointSlice', safeParseEndpointSlice, { metadata, addressType: 'IPv4' }],
    ['Endpoints', safeParseEndpoints, { metadata }],
    ['Node', safeParseNode, { metadata: { name: 'worker-1.example.org' } }],
    ['ServiceCIDR', safeParseServiceCIDR, { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/12'] } }],
    ['KubeProxyConfiguration', safeParseKubeProxyConfiguration, {}],
  ] as const

  it.each(parsers)('returns a valid object of kind %s itself, without a copy', (_kind, safeParse, value) => {
    const result = safeParse(value)
    expect(result.ok && result.value).toBe(value)
  })

  it.each(parsers)('rejects an object of a kind other than %s', (kind, safeParse, value) => {
    const result = safeParse({ ...value, kind: 'Pod' })
    expect(problems(result)).toEqual([`invalidValue kind: got "Pod" (${kind})`])
  })

  it.each(parsers)('rejects values for kind %s that are not objects', (_kind, safeParse) => {
    expect(problems(safeParse(null))).toEqual(['invalidType undefined: got null (an object)'])
    expect(problems(safeParse([]))).toEqual(['invalidType undefined: got a list (an object)'])
    expect(problems(safeParse('x'))).toEqual(['invalidType undefined: got "x" (an object)'])
    expect(problems(safeParse(undefined))).toEqual(['missingField undefined: missing (an object)'])
    expect(problems(safeParse(() => 1))).toEqual(['invalidType undefined: got a function (an object)'])
  })

  it('accepts class instances and unknown fields', () => {
    class Port {
      port = 80
      targetPort = 'http'
    }
    class ServiceObject {
      metadata = { ...metadata, creationTimestamp: new Date(0), uid: '1' }
      spec = { ports: [new Port()], trafficDistribution: 'PreferClose' }
    }
    expect(problems(safeParseService(new ServiceObject()))).toEqual([])
  })

  it('reports each problem with the kind, namespace and name of the object', () => {
    const result = safeParseService({ metadata, spec: 1 })
    expect(!result.ok && result.problems).toEqual([
      {
        severity: 'error',
        code: 'invalidType',
        object: { kind: 'Service', namespace: 'team-a', name: 'web' },
        path: 'spec',
        message: 'got 1',
        expected: 'an object',
      },
    ])
  })
})

describe('safeParseService', () => {
  it('reports every problem at once', () => {
    const wrong = {
      metadata: { name: 'web"\n-A INPUT', namespace: 'Team A', labels: { 'a/b': 1 } },
      spec: {
        clusterIPs: '10.0.0.1',
        ports: [{ port: 70000 }, { port: '80', protocol: 'tcp' }, 3, { name: 'HTTP', nodePort: -1 }],
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } },
        healthCheckNodePort: 1.5,
      },
    }
    const label = "a DNS label of at most 63 characters: lower case letters, digits and '-'"
    expect(problems(safeParseService(wrong))).toEqual([
      `invalidName metadata.name: got "web\\"\\n-A INPUT" (${label})`,
      `invalidName metadata.namespace: got "Team A" (${label})`,
      'invalidType metadata.labels["a/b"]: got 1 (a string)',
      'invalidType spec.clusterIPs: got "10.0.0.1" (a list)',
      'invalidPort spec.ports[0].port: got 70000 (a whole number from 1 to 65535)',
      'invalidProtocol spec.ports[1].protocol: got "tcp" (TCP, UDP or SCTP)',
      'invalidType spec.ports[1].port: got "80" (a whole number from 1 to 65535)',
      'invalidType spec.ports[2]: got 3 (an object)',
      `invalidName spec.ports[3].name: got "HTTP" (${label})`,
      'missingField spec.ports[3].port: missing (a whole number from 1 to 65535)',
      'invalidPort spec.ports[3].nodePort: got -1 (a whole number from 0 to 65535)',
      'invalidValue spec.sessionAffinityConfig.clientIP.timeoutSeconds: got 86401 (a whole number from 1 to 86400)',
      'invalidPort spec.healthCheckNodePort: got 1.5 (a whole number from 0 to 65535)',
    ])
  })

  it.each([
    [
      'blank and invalid addresses and networks',
      { externalIPs: ['', ' ', 'x'], loadBalancerSourceRanges: [' 10.0.0.0/8 ', ''] },
    ],
    ['an unusual type', { type: 'Whatever', sessionAffinity: 'x', externalTrafficPolicy: '' }],
    ['no cluster address', { clusterIP: '' }],
    ['a headless service', { clusterIP: 'None', clusterIPs: ['None'] }],
    [
      'null lists',
      { clusterIPs: null, ipFamilies: null, ports: null, externalIPs: null, loadBalancerSourceRanges: null },
    ],
    [
      'ports without a name or node port',
      {
        ports: [
          { port: 1, name: '', nodePort: 0 },
          { port: 65535, name: null },
        ],
      },
    ],
    ['null sections', { sessionAffinityConfig: null, healthCheckNodePort: null }],
  ])('accepts %s because only the compiler checks this', (_what, spec) => {
    expect(serviceProblems(spec)).toEqual([])
  })

  it.each([0, 65536, 1e30, -1, 0.5])('rejects port %d with exactly one problem', (port) => {
    expect(serviceProblems({ ports: [{ port }] })).toEqual([
      `invalidPort spec.ports[0].port: got ${port} (a whole number from 1 to 65535)`,
    ])
  })

  it('requires a name, and rejects a name of more than 63 characters', () => {
    expect(problems(safeParseService({}))).toEqual(['missingField metadata: missing (an object)'])
    expect(problems(safeParseService({ metadata: {} }))[0]).toMatch(/^missingField metadata.name: missing/)
    expect(problems(safeParseService({ metadata: { name: 'a'.repeat(63) } }))).toEqual([])
    const tooLong = problems(safeParseService({ metadata: { name: 'a'.repeat(64) } }))
    expect(tooLong).toHaveLength(1)
    expect(tooLong[0]).toContain(`invalidName metadata.name: got "${'a'.repeat(60)}…"`)
  })

  it('ignores inherited fields and names of prototype members', () => {
    const hostile = JSON.parse(
      '{"metadata":{"name":"web","labels":{"__proto__":"x","constructor":"y"}},"__proto__":{"spec":1}}',
    )
    expect(problems(safeParseService(hostile))).toEqual([])
  })
})

describe('safeParseEndpointSlice', () => {
  it('accepts values that only the compiler checks, such as unknown address types and zones', () => {
    const slice = {
      metadata: { name: 'web-abc.1' },
      addressType: 'FQDN',
      endpoints: [
        { addresses: [] },
        { addresses: ['x'], zone: 'EU West 1A', hints: { forZones: [{ name: 'A' }], forNodes: null }, nodeName: null },
        { addresses: ['::1'], conditions: { ready: null, serving: true, terminating: false } },
      ],
      ports: [{ name: null, port: null }, { port: 0, protocol: null }, {}],
    }
    expect(problems(safeParseEndpointSlice(slice))).toEqual([])
    expect(problems(safeParseEndpointSlice({ ...slice, endpoints: null, ports: null }))).toEqual([])
  })

  it('rejects fields of the wrong type and ports out of range', () => {
    const wrong = {
      metadata,
      endpoints: [{ addresses: null, conditions: { ready: 'true', serving: 1 } }],
      ports: [{ port: 65536 }],
    }
    expect(problems(safeParseEndpointSlice(wrong))).toEqual([
      'missingField addressType: missing (a string)',
      'invalidType endpoints[0].addresses: got null (a list)',
      'invalidType endpoints[0].conditions.ready: got "true" (true or false)',
      'invalidType endpoints[0].conditions.serving: got 1 (true or false)',
      'invalidPort ports[0].port: got 65536 (a whole number from 0 to 65535)',
    ])
  })

  it.each(['yes', 'no', 'on', 'off', 'No', 'OFF'])(
    'rejects the YAML 1.1 boolean %s as a condition, and names the word',
    (word) => {
      const slice = { metadata, addressType: 'IPv4', endpoints: [{ addresses: [], conditions: { ready: word } }] }
      expect(problems(safeParseEndpointSlice(slice))).toEqual([
        `invalidType endpoints[0].conditions.ready: expected boolean, got the word ${word} (true or false)`,
      ])
    },
  )

  it('accepts YAML 1.1 booleans in text fields', () => {
    expect(problems(safeParseEndpointSlice({ metadata: { name: 'no' }, addressType: 'off' }))).toEqual([])
  })
})

describe('safeParseEndpoints', () => {
  it('accepts null lists and rejects invalid items', () => {
    const subsets = [
      { addresses: null, notReadyAddresses: null, ports: null },
      { addresses: [{}], ports: [{ port: -1 }] },
    ]
    expect(problems(safeParseEndpoints({ metadata, subsets }))).toEqual([
      'missingField subsets[1].addresses[0].ip: missing (a string)',
      'invalidPort subsets[1].ports[0].port: got -1 (a whole number from 0 to 65535)',
    ])
  })
})

describe('safeParseServiceCIDR', () => {
  it('accepts any text as a network, and rejects other types', () => {
    expect(safeParseServiceCIDR({ metadata: { name: 'a' }, spec: { cidrs: ['anything'] } }).ok).toBe(true)
    for (const cidrs of ['10.96.0.0/12', [7]]) {
      expect(problems(safeParseServiceCIDR({ metadata: { name: 'a' }, spec: { cidrs } }))).toHaveLength(1)
    }
  })
})

describe('safeParseNode', () => {
  it('rejects fields of the wrong type, and addresses that are not text', () => {
    const node = {
      metadata: { name: 'worker-1' },
      spec: { podCIDRs: [1] },
      status: { addresses: [{ type: 'InternalIP' }] },
    }
    expect(problems(safeParseNode(node))).toEqual([
      'invalidType spec.podCIDRs[0]: got 1 (a string)',
      'missingField status.addresses[0].address: missing (a string)',
    ])
  })

  it.each(['worker..1', '-worker', 'worker-', 'a b', 'Worker', ''])('rejects the name %j', (name) => {
    expect(problems(safeParseNode({ metadata: { name } }))).toHaveLength(1)
  })
})

describe('safeParseKubeProxyConfiguration', () => {
  it('checks only the types of fields, not their values', () => {
    const configuration = {
      mode: 'nonsense',
      clusterCIDR: 'x',
      iptables: { masqueradeBit: 99, syncPeriod: 'soon' },
      ipvs: null,
      featureGates: { Anything: true },
      logging: { flushFrequency: 5e9, vmodule: [{ filePattern: 'x', verbosity: 1 }], options: { json: {} } },
      unknown: 1,
    }
    expect(problems(safeParseKubeProxyConfiguration(configuration))).toEqual([])
  })

  it('rejects fields of the wrong type', () => {
    const configuration = {
      iptables: { masqueradeBit: 1.5, masqueradeAll: 'on', syncPeriod: 30 },
      nodePortAddresses: 'primary',
      featureGates: { A: 'true' },
      logging: { flushFrequency: true },
    }
    expect(problems(safeParseKubeProxyConfiguration(configuration))).toEqual([
      'invalidType nodePortAddresses: got "primary" (a list)',
      'invalidValue iptables.masqueradeBit: got 1.5 (a whole number)',
      'invalidType iptables.masqueradeAll: expected boolean, got the word on (true or false)',
      'invalidType iptables.syncPeriod: got 30 (a string)',
      'invalidType featureGates.A: got "true" (true or false)',
      'invalidValue logging.flushFrequency: got true (a duration)',
    ])
  })
})
