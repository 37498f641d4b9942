import type { Service, ServicePortSpec, ServiceSpec } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { featuresOf } from '../../../src/model/configuration/features.js'
import { codes, DUAL_STACK, loadBalancer, messagesOf, NEWEST, portsOf, service } from '../../support/objects.js'

const NAMED = { namespace: 'ns1', name: 'web' }
const CONFIG_60 = { clientIP: { timeoutSeconds: 60 } }
const IGNORED = 'warning sourceRangesIgnored spec.loadBalancerSourceRanges'

function clusterIPs(spec: ServiceSpec): readonly (string | undefined)[] {
  const ip = (family: 'IPv4' | 'IPv6') => portsOf(service(spec), {}, family)[0]?.clusterIP
  return [ip('IPv4'), ip('IPv6')]
}

describe('a Service', () => {
  const cases: readonly (readonly [string, Service])[] = [
    ['is headless', service({ clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv4'] })],
    ['is headless without ports', service({ clusterIP: 'None', ports: [] })],
    ['is an ExternalName', service({ type: 'ExternalName', clusterIP: '' })],
    ['is an ExternalName with a cluster IP', service({ type: 'ExternalName' })],
    [
      'has the label of another proxy',
      service({}, { metadata: { ...NAMED, labels: { 'service.kubernetes.io/service-proxy-name': '' } } }),
    ],
    [
      'has the headless label',
      service({}, { metadata: { ...NAMED, labels: { 'service.kubernetes.io/headless': 'false' } } }),
    ],
    ['has no ports', service({ ports: [] })],
    ['has null as ports', service({ ports: null })],
  ]
  it.each(cases)('has no service ports and is not reported if it %s', (_name, object) => {
    expect(portsOf(object)).toEqual([])
    expect(codes({ services: [object] })).toEqual([])
  })

  it('has service ports if its labels are empty', () => {
    expect(portsOf(service({}, { metadata: { ...NAMED, labels: {} } }))).toHaveLength(1)
  })

  it.each([
    ['empty', service({ clusterIP: '' }), 'warning missingField spec.clusterIP'],
    ['missing', service({ clusterIP: null, clusterIPs: ['10.0.0.1'] }), 'warning missingField spec.clusterIP'],
    ['missing in clusterIPs', service({ ipFamilies: ['IPv4'] }), 'warning missingField spec.clusterIPs'],
  ])('has no service ports and is reported if its cluster IP is %s', (_name, object, code) => {
    expect(portsOf(object)).toEqual([])
    expect(codes({ services: [object] })).toEqual([code])
  })
})

describe('the cluster IPs of a Service', () => {
  it.each<[string, ServiceSpec, readonly (string | undefined)[]]>([
    ['are clusterIP only, if ipFamilies is missing', { clusterIP: '10.96.0.7' }, ['10.96.0.7', undefined]],
    [
      'are clusterIP only, in its own family, if ipFamilies is empty',
      { clusterIP: 'fd00::7', ipFamilies: [] },
      [undefined, 'fd00::7'],
    ],
    [
      'do not include those of clusterIPs if ipFamilies is missing',
      { clusterIPs: ['10.96.0.1', 'fd00::7'] },
      ['10.96.0.1', undefined],
    ],
    ['include one per family if the Service is dual-stack', DUAL_STACK, ['10.96.0.1', 'fd00:96::1']],
    [
      'include one per family if the first one is IPv6',
      { clusterIP: 'fd00::1', clusterIPs: ['fd00::1', '10.96.0.9'], ipFamilies: ['IPv6', 'IPv4'] },
      ['10.96.0.9', 'fd00::1'],
    ],
    [
      'include one only, if clusterIPs has one for two families',
      { clusterIPs: ['10.96.0.1'], ipFamilies: ['IPv4', 'IPv6'] },
      ['10.96.0.1', undefined],
    ],
    ['are converted to canonical notation', { clusterIP: '010.096.000.001' }, ['10.96.0.1', undefined]],
  ])('%s', (_name, spec, expected) => {
    expect(clusterIPs(spec)).toEqual(expected)
  })
})

describe('the service ports of a Service', () => {
  it('contain the name, addresses, policies and endpoints of each port', () => {
    expect(portsOf(service({ ports: [{ name: 'dns', protocol: 'UDP', port: 53, nodePort: 30053 }] }))).toEqual([
      {
        id: { namespace: 'ns1', name: 'web', portName: 'dns', protocol: 'UDP', text: 'ns1/web:dns' },
        clusterIP: '10.96.0.1',
        port: 53,
        nodePort: 30053,
        externalIPs: [],
        loadBalancerIPs: [],
        sourceRanges: [],
        affinitySeconds: undefined,
        internalPolicyLocal: false,
        externalPolicyLocal: false,
        healthCheckNodePort: 0,
        topologyHints: false,
        endpoints: [],
      },
    ])
  })

  it('without a name and protocol have a text without a colon and the protocol TCP', () => {
    const ids = portsOf(service({ ports: [{ port: 80 }] })).map(({ id }) => id)
    expect(ids).toEqual([{ namespace: 'ns1', name: 'web', portName: '', protocol: 'TCP', text: 'ns1/web' }])
  })

  it('are sorted by their text in code-unit order, then by protocol', () => {
    const named = (name: string, ports: readonly ServicePortSpec[]) =>
      service({ ports }, { metadata: { namespace: 'ns1', name } })
    const services = [
      named('b', [{ port: 1 }]),
      named('a', [
        { name: 'p', port: 80 },
        { port: 1, protocol: 'UDP' },
        { port: 1, protocol: 'TCP' },
        { port: 1, protocol: 'SCTP' },
      ]),
      named('a-1', [{ name: 'p', port: 80 }]),
    ]
    expect(portsOf({ services }).map(({ id }) => `${id.text} ${id.protocol}`)).toEqual([
      'ns1/a SCTP',
      'ns1/a TCP',
      'ns1/a UDP',
      'ns1/a-1:p TCP',
      'ns1/a:p TCP',
      'ns1/b TCP',
    ])
  })

  it('include only the later of two ports with the same name and protocol, and cause a warning', () => {
    const object = service({
      ports: [
        { name: 'p', port: 1 },
        { name: 'p', port: 2, protocol: 'UDP' },
        { name: 'p', port: 3, protocol: 'TCP' },
      ],
    })
    expect(portsOf(object).map(({ port }) => port)).toEqual([3, 2])
    expect(codes({ services: [object] })).toEqual(['warning invalidValue spec.ports[2]'])
  })

  it('have node ports, load-balancer IPs and external IPs for every Service type', () => {
    const object = service(
      { ports: [{ name: 'http', port: 80, nodePort: 30080 }], externalIPs: ['198.51.100.1'] },
      { metadata: NAMED, status: { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } } },
    )
    const [port] = portsOf(object)
    expect(port).toMatchObject({ nodePort: 30080, externalIPs: ['198.51.100.1'], loadBalancerIPs: ['203.0.113.1'] })
  })
})

describe('the external IPs of a Service', () => {
  it('are split by family, in order and in canonical notation, with duplicates', () => {
    const externalIPs = ['198.51.100.2', '', 'fd00::b', 'nonsense', '198.051.100.001', '198.51.100.2', 'FD00::A']
    const object = service({ ...DUAL_STACK, externalIPs })
    expect(portsOf(object)[0]?.externalIPs).toEqual(['198.51.100.2', '198.51.100.1', '198.51.100.2'])
    expect(portsOf(object, {}, 'IPv6')[0]?.externalIPs).toEqual(['fd00::b', 'fd00::a'])
    expect(codes({ services: [object] })).toEqual([
      'warning addressIgnored spec.externalIPs[1]',
      'warning addressIgnored spec.externalIPs[3]',
      'warning nonCanonicalAddress spec.externalIPs[4]',
      'warning nonCanonicalAddress spec.externalIPs[6]',
    ])
  })

  it('are reported if they belong to a family without cluster IP', () => {
    const object = service({ externalIPs: ['fd00::b'], loadBalancerSourceRanges: ['fd00::/8'] })
    expect(codes({ services: [object] })).toEqual([
      'warning otherAddressFamily spec.externalIPs',
      'warning otherAddressFamily spec.loadBalancerSourceRanges',
    ])
  })
})

describe('the load-balancer IPs of a Service', () => {
  const ingress = [
    { ip: '203.0.113.2' },
    { hostname: 'lb.example.com' },
    { ip: '203.0.113.1', ipMode: 'VIP' },
    { ip: '203.0.113.3', ipMode: 'Proxy' },
    { ip: '203.0.113.4', ipMode: '' },
    { ip: '', hostname: 'x' },
    { ip: 'fd00::c' },
    { ip: 'bad' },
  ]
  const object = service(DUAL_STACK, { metadata: NAMED, status: { loadBalancer: { ingress } } })

  it('are the ingress IPs with mode VIP, in their order', () => {
    expect(portsOf(object)[0]?.loadBalancerIPs).toEqual(['203.0.113.2', '203.0.113.1'])
    expect(portsOf(object, {}, 'IPv6')[0]?.loadBalancerIPs).toEqual(['fd00::c'])
    expect(codes({ services: [object] })).toEqual(['warning addressIgnored status.loadBalancer.ingress[7].ip'])
  })

  it('are all ingress IPs if the gate LoadBalancerIPMode is off', () => {
    const features = { ...NEWEST, loadBalancerIPMode: false }
    const ips = portsOf(object, { features })[0]?.loadBalancerIPs
    expect(ips).toEqual(['203.0.113.2', '203.0.113.1', '203.0.113.3', '203.0.113.4'])
  })
})

describe('the source ranges of a Service', () => {
  const ranges = (given: readonly string[], features = NEWEST) =>
    portsOf(loadBalancer({ loadBalancerSourceRanges: given }), { features })[0]?.sourceRanges.map(({ text }) => text)

  it('are the ranges of the family, in their order, without spaces and with masked addresses', () => {
    const given = [' 10.1.2.3/8 ', '', 'fd00::/8', '192.168.0.0/33', '010.0.0.0/8', '\t192.168.1.0/24']
    expect(ranges(given)).toEqual(['10.0.0.0/8', '10.0.0.0/8', '192.168.1.0/24'])
    expect(codes({ services: [loadBalancer({ loadBalancerSourceRanges: given })] })).toEqual([
      'warning addressIgnored spec.loadBalancerSourceRanges[1]',
      'warning addressIgnored spec.loadBalancerSourceRanges[3]',
      'warning otherAddressFamily spec.loadBalancerSourceRanges',
    ])
  })

  it('are read without every character that Go regards as space', () => {
    expect(ranges(['\u00a010.0.0.0/8\v', '\x8510.1.0.0/16\x85', '10.2.0.0\x85/16'])).toEqual([
      '10.0.0.0/8',
      '10.1.0.0/16',
    ])
  })

  it('are empty if they include the zero CIDR of the family, as in kube-proxy', () => {
    const given = ['10.0.0.0/8', '0.0.0.0/0']
    const services = [loadBalancer({ loadBalancerSourceRanges: given })]
    expect(ranges(given)).toEqual([])
    expect(codes({ services }, { features: NEWEST })).toEqual([IGNORED])
    expect(codes({ services })).toEqual([])
  })

  it('in version 1.30 include the zero CIDR of their own family, but not of the other family', () => {
    const given = ['10.0.0.0/8', '0.0.0.0/0']
    const v130 = portsOf(loadBalancer({ loadBalancerSourceRanges: given }))[0]?.sourceRanges
    expect(v130?.map(({ text }) => text)).toEqual(given)
    expect(ranges(['10.0.0.0/8', '::/0'])).toEqual(['10.0.0.0/8'])
  })

  it('are empty if no range is valid, and cause a warning', () => {
    expect(ranges(['fd00::/8'])).toEqual([])
    expect(codes({ services: [loadBalancer({ loadBalancerSourceRanges: ['nonsense'] })] })).toEqual([
      'warning addressIgnored spec.loadBalancerSourceRanges[0]',
      IGNORED,
    ])
  })

  it('state in the warning the reason for a Service that is open to every source', () => {
    const messages = (given: readonly string[]) =>
      messagesOf(
        'sourceRangesIgnored',
        { services: [loadBalancer({ loadBalancerSourceRanges: given })] },
        { features: NEWEST },
      )
    const open = 'so the IPv4 load-balancer IPs are open to every source'
    expect(messages(['nonsense', 'fd00::/8'])).toEqual([`kube-proxy drops every source range, ${open}`])
    expect(messages(['0.0.0.0/0'])).toEqual([`a source range contains every address, ${open}`])
    expect(messages(['nonsense', '10.0.0.0/8'])).toEqual([])
  })

  it.each([
    ['::ffff:10.0.0.0/104', ['10.0.0.0/8']],
    ['::FFFF:203.0.113.7/128', ['203.0.113.7/32']],
    [' ::ffff:10.1.2.3/104 ', ['10.0.0.0/8']],
    ['::ffff:10.0.0.0/90', []],
  ])('are IPv4 networks if they are IPv4-mapped: %j', (given, expected) => {
    for (const version of ['1.20', '1.29', '1.30', '1.36']) {
      expect(ranges([given], featuresOf('iptables', version, new Map()))).toEqual(expected)
    }
  })

  it('contain an IPv4-mapped range of every IPv4 address, which kube-proxy does not count as a zero CIDR', () => {
    expect(ranges(['::ffff:0.0.0.0/96'])).toEqual(['0.0.0.0/0'])
  })

  it('cause no warning if the Service has no load-balancer IP', () => {
    expect(codes({ services: [service({ loadBalancerSourceRanges: ['0.0.0.0/0'] })] })).toEqual([])
  })
})

describe('session affinity', () => {
  function clientIPFor(timeoutSeconds: number): ServiceSpec {
    return { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds } } }
  }

  it.each<[string, ServiceSpec, number | undefined]>([
    ['none if affinity is not set', {}, undefined],
    [
      'none if affinity is None, even if a timeout is configured',
      { sessionAffinity: 'None', sessionAffinityConfig: CONFIG_60 },
      undefined,
    ],
    [
      'the configured timeout if affinity is ClientIP',
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: CONFIG_60 },
      60,
    ],
    ['a second, which is the minimum', clientIPFor(1), 1],
    ['a day, which is the maximum', clientIPFor(86_400), 86_400],
    ['the default timeout without a configuration', { sessionAffinity: 'ClientIP' }, 10800],
    [
      'the default timeout with an empty configuration',
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: {} } },
      10800,
    ],
  ])('has the timeout in seconds: %s', (_name, spec, expected) => {
    expect(portsOf(service(spec))[0]?.affinitySeconds).toBe(expected)
  })

  it.each([0, -1, 86_401, 1.5, '60'])('rejects the timeout %j', (timeoutSeconds) => {
    const sessionAffinityConfig = { clientIP: { timeoutSeconds: timeoutSeconds as number } }
    const object = service({ sessionAffinity: 'ClientIP', sessionAffinityConfig })
    expect(codes({ services: [object] })).toEqual([
      'error invalidValue spec.sessionAffinityConfig.clientIP.timeoutSeconds',
    ])
    expect(portsOf(object)).toEqual([])
  })
})

describe('external IPs of a Service', () => {
  const externalIPs = ['198.51.100.1', 'nonsense']
  const of = (version: string, gates: Readonly<Record<string, boolean>> = {}) => {
    const fields = { features: featuresOf('iptables', version, new Map(Object.entries(gates))) }
    const object = service({ externalIPs, externalTrafficPolicy: 'Local' })
    return {
      port: portsOf(object, fields)[0],
      codes: codes({ services: [object] }, fields),
    }
  }
  const ignored = 'warning addressIgnored spec.externalIPs[1]'

  it('are used, but are reported as deprecated from version 1.36', () => {
    expect(of('1.35').port?.externalIPs).toEqual(['198.51.100.1'])
    expect(of('1.35').codes).toEqual([ignored])
    expect(of('1.36').port?.externalIPs).toEqual(['198.51.100.1'])
    expect(of('1.36').codes).toEqual(['info deprecated spec.externalIPs', ignored])
  })

  it('are ignored with a warning if the gate AllowServiceExternalIPs is off', () => {
    const { port, codes: problems } = of('1.36', { AllowServiceExternalIPs: false })
    expect(port?.externalIPs).toEqual([])
    expect(problems).toEqual(['warning addressIgnored spec.externalIPs'])
    expect(port?.externalPolicyLocal).toBe(true)
  })

  it('are not reported if the list is empty', () => {
    expect(codes({ services: [service({ externalIPs: [] })] }, { features: NEWEST })).toEqual([])
  })
})

describe('the traffic policies of a Service', () => {
  it.each<[string, ServiceSpec, boolean]>([
    ['ClusterIP', {}, false],
    ['ClusterIP with external IPs of another family', { externalIPs: ['fd00::1'] }, true],
    ['ClusterIP with invalid external IPs', { externalIPs: ['nonsense'] }, true],
    ['no type, with external IPs', { type: null, externalIPs: ['198.51.100.1'] }, true],
    ['NodePort', { type: 'NodePort' }, true],
    ['LoadBalancer', { type: 'LoadBalancer', healthCheckNodePort: 30100 }, true],
    ['LoadBalancer with policy Cluster', { type: 'LoadBalancer', externalTrafficPolicy: 'Cluster' }, false],
  ])('include external policy Local for a Service of type %s with %j: %s', (_name, spec, expected) => {
    const object = service({ externalTrafficPolicy: 'Local', ...spec })
    expect(portsOf(object)[0]?.externalPolicyLocal).toBe(expected)
  })

  it.each<[string | null, boolean]>([
    [null, false],
    ['Cluster', false],
    ['Local', true],
  ])('include internal policy Local if the value is %s: %s', (internalTrafficPolicy, expected) => {
    expect(portsOf(service({ internalTrafficPolicy }))[0]?.internalPolicyLocal).toBe(expected)
  })

  it('have the default if the value is unknown, and cause a warning', () => {
    const object = service({ type: 'Other', internalTrafficPolicy: 'local', sessionAffinity: 'clientIP' })
    expect(portsOf(object)[0]).toMatchObject({ internalPolicyLocal: false, affinitySeconds: undefined })
    expect(codes({ services: [object] })).toEqual([
      'warning invalidValue spec.type',
      'warning invalidValue spec.sessionAffinity',
      'warning invalidValue spec.internalTrafficPolicy',
    ])
  })
})

describe('the health-check node port of a Service', () => {
  it.each<[string, ServiceSpec, number]>([
    ['LoadBalancer with Local', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }, 30100],
    ['LoadBalancer with Cluster', { type: 'LoadBalancer', externalTrafficPolicy: 'Cluster' }, 0],
    ['NodePort with Local', { type: 'NodePort', externalTrafficPolicy: 'Local' }, 0],
    ['ClusterIP', {}, 0],
  ])('is the configured port only for type LoadBalancer with policy Local: %s', (_name, spec, expected) => {
    expect(portsOf(service({ healthCheckNodePort: 30100, ...spec }))[0]?.healthCheckNodePort).toBe(expected)
  })

  it('is missing with a warning if it is required but not set', () => {
    const object = loadBalancer({ externalTrafficPolicy: 'Local' })
    expect(portsOf(object)[0]).toMatchObject({ externalPolicyLocal: true, healthCheckNodePort: 0 })
    expect(codes({ services: [object] })).toEqual(['warning missingHealthCheckNodePort spec.healthCheckNodePort'])
  })
})

describe('topology hints', () => {
  const HINTS = 'service.kubernetes.io/topology-aware-hints'
  const MODE = 'service.kubernetes.io/topology-mode'
  const used = (annotations: Readonly<Record<string, string>>, features = {}) =>
    portsOf(service({}, { metadata: { ...NAMED, annotations } }), features)[0]?.topologyHints

  it.each<[Readonly<Record<string, string>>, boolean]>([
    [{}, false],
    [{ [MODE]: 'Auto' }, true],
    [{ [MODE]: 'auto' }, true],
    [{ [MODE]: 'anything' }, true],
    [{ [MODE]: '' }, false],
    [{ [MODE]: 'disabled' }, false],
    [{ [MODE]: 'Disabled' }, false],
    [{ [MODE]: 'DISABLED' }, true],
    [{ [HINTS]: 'auto' }, true],
    [{ [HINTS]: '', [MODE]: 'Auto' }, false],
    [{ [HINTS]: 'disabled', [MODE]: 'Auto' }, false],
    [{ [HINTS]: 'Auto', [MODE]: 'disabled' }, true],
  ])('are enabled in version 1.30 by the annotations %j: %s', (annotations, expected) => {
    expect(used(annotations)).toBe(expected)
  })

  it('require that the values of annotations are strings', () => {
    const annotated = (annotations: unknown) =>
      codes({ services: [service({}, { metadata: { ...NAMED, annotations: annotations as never } })] })
    expect(annotated(7)).toEqual(['error invalidType metadata.annotations'])
    expect(annotated({ [MODE]: 7 })).toEqual([`error invalidType metadata.annotations[${MODE}]`])
  })

  it('are enabled in newer versions by an arbitrary annotation value', () => {
    expect(used({ [MODE]: 'disabled' }, { features: NEWEST })).toBe(true)
  })

  it('are disabled if the version does not support them', () => {
    expect(used({ [MODE]: 'Auto' }, { features: { ...NEWEST, topologyHints: false } })).toBe(false)
  })
})

describe('an invalid Service', () => {
  it('is omitted, and all its problems are reported at once', () => {
    const object = {
      metadata: { namespace: 'a b', name: 'Web' },
      spec: {
        clusterIP: 'localhost',
        ipFamilies: ['IPv5'],
        ports: [{ name: 'x y', port: 0, protocol: 'ICMP', nodePort: 70000 }, 'no port', { port: '80' }],
      },
    } as unknown as Service
    expect(portsOf(object)).toEqual([])
    expect(codes({ services: [object, service()] }).filter((code) => code.startsWith('error'))).toEqual([
      'error invalidName metadata.namespace',
      'error invalidName metadata.name',
      'error invalidValue spec.ipFamilies[0]',
      'error invalidAddress spec.clusterIP',
      'error invalidName spec.ports[0].name',
      'error invalidProtocol spec.ports[0].protocol',
      'error invalidPort spec.ports[0].port',
      'error invalidPort spec.ports[0].nodePort',
      'error invalidType spec.ports[1]',
      'error missingField spec.ports[1].port',
      'error invalidPort spec.ports[2].port',
    ])
    expect(portsOf({ services: [object, service()] })).toHaveLength(1)
  })

  it.each<[string, unknown, readonly string[]]>([
    ['null', null, ['error invalidType']],
    ['a list', [], ['error invalidType']],
    [
      'one without metadata',
      { spec: { clusterIP: '10.0.0.1' } },
      ['error missingField metadata.namespace', 'error missingField metadata.name'],
    ],
    ['one with text as metadata', { metadata: 'x', spec: { clusterIP: 'None' } }, ['error invalidType metadata']],
    [
      'one with a cluster IP of the other family',
      service({
        clusterIPs: ['fd00::1'],
        ipFamilies: ['IPv4'],
      }),
      ['error invalidAddress spec.clusterIPs[0]'],
    ],
    [
      'one with numbers as addresses',
      service({ ...DUAL_STACK, clusterIPs: [1, 2] as never }),
      ['error invalidAddress spec.clusterIPs[0]', 'error invalidAddress spec.clusterIPs[1]'],
    ],
    [
      'one with text as lists',
      service({ externalIPs: 'x' as never, ports: {} as never }),
      ['error invalidType spec.externalIPs', 'error invalidType spec.ports'],
    ],
    [
      'one with a number as policy',
      service({ internalTrafficPolicy: 1 as never }),
      ['error invalidType spec.internalTrafficPolicy'],
    ],
    [
      'one with invalid ingress',
      service({}, { metadata: NAMED, status: { loadBalancer: { ingress: [7 as never] } } }),
      ['error invalidType status.loadBalancer.ingress[0]'],
    ],
    [
      'one with a number as annotation',
      service(
        {},
        {
          metadata: { ...NAMED, annotations: { 'service.kubernetes.io/topology-mode': 1 as never } },
        },
      ),
      ['error invalidType metadata.annotations[service.kubernetes.io/topology-mode]'],
    ],
  ])('is omitted and reported: %s', (_name, object, expected) => {
    expect(codes({ services: [object as Service] })).toEqual(expected)
    expect(portsOf({ services: [object as Service] })).toEqual([])
  })
})
