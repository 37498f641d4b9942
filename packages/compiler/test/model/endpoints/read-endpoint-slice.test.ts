import type { EndpointSlice, SliceEndpoint, SlicePort } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { at, build, codes, DUAL_STACK, endpointsOf, NEWEST, portsOf, service, slice } from '../../support/objects.js'

const texts = (slices: readonly EndpointSlice[]) => endpointsOf(slices).map(({ text }) => text)
const problems = (...endpointSlices: readonly EndpointSlice[]) => codes({ services: [service()], endpointSlices })

describe('an endpoint', () => {
  it('has the address, port, conditions, node and hints of the slice', () => {
    const full: SliceEndpoint = {
      addresses: ['10.180.0.1', '10.180.0.2'],
      conditions: { ready: false, serving: true, terminating: true },
      nodeName: 'node-1',
      zone: 'zone-c',
      hints: { forZones: [{ name: 'zone-a' }, { name: 'zone-b' }], forNodes: [{ name: 'node-7' }] },
    }
    const expected = {
      ip: '10.180.0.1',
      port: 8080,
      text: '10.180.0.1:8080',
      ready: false,
      serving: true,
      terminating: true,
      nodeName: 'node-1',
      local: true,
    }
    const zones = ['zone-a', 'zone-b']
    expect(endpointsOf([slice([full])])).toEqual([{ ...expected, hints: { zones, nodes: [] } }])
    expect(endpointsOf([slice([full])], { features: NEWEST })).toEqual([
      { ...expected, hints: { zones, nodes: ['node-7'] } },
    ])
  })

  it.each<[SliceEndpoint['conditions'], readonly [boolean, boolean, boolean]]>([
    [undefined, [true, true, false]],
    [null, [true, true, false]],
    [{}, [true, true, false]],
    [{ ready: null, serving: null, terminating: null }, [true, true, false]],
    [{ ready: false }, [false, true, false]],
    [{ ready: false, serving: false, terminating: true }, [false, false, true]],
  ])('has the ready, serving and terminating states that follow from the conditions %j', (conditions, expected) => {
    const [endpoint] = endpointsOf([slice([{ addresses: ['10.0.0.1'], conditions }])])
    expect([endpoint?.ready, endpoint?.serving, endpoint?.terminating]).toEqual(expected)
  })

  it.each<[string | null | undefined, string, boolean]>([
    ['node-1', 'node-1', true],
    ['Node-1', 'node-1', false],
    ['node-2', 'node-1', false],
    [undefined, 'node-1', false],
    [null, '', false],
    ['', '', false],
  ])('is local if its node name %j equals the name of the node %j: %j', (nodeName, own, expected) => {
    const [endpoint] = endpointsOf([slice([{ addresses: ['10.0.0.1'], nodeName }])], { nodeName: own })
    expect(endpoint?.local).toBe(expected)
  })

  it('has no hints if the slice has no hints or only empty lists', () => {
    const hints = [undefined, null, {}, { forZones: null }, { forZones: [], forNodes: [] }]
    const endpoints = hints.map((each, index) => ({ addresses: [`10.0.0.${index}`], hints: each }))
    expect(endpointsOf([slice(endpoints)], { features: NEWEST }).map(({ hints: read }) => read)).toEqual(
      hints.map(() => ({ zones: [], nodes: [] })),
    )
  })

  it('gets a canonical address, with a warning if the notation was different', () => {
    expect(texts([slice(at('010.180.00.001'))])).toEqual(['10.180.0.1:8080'])
    expect(problems(slice(at('010.180.00.001')))).toEqual(['warning nonCanonicalAddress endpoints[0].addresses[0]'])
  })

  it('has brackets around an IPv6 address in its text', () => {
    const endpointSlices = [slice(at('FD00::0001', 'fd00::2'), { addressType: 'IPv6' })]
    const [port] = portsOf({ services: [service(DUAL_STACK)], endpointSlices }, {}, 'IPv6')
    expect(port?.endpoints.map(({ text }) => text)).toEqual(['[fd00::1]:8080', '[fd00::2]:8080'])
  })

  it.each(['127.0.0.1', '127.8.9.1', '169.254.169.254', '224.0.0.1', '239.1.1.1', '0.0.0.0'])(
    'is kept with a warning if it has the special IPv4 address %s',
    (address) => {
      expect(texts([slice(at(address))])).toEqual([`${address}:8080`])
      expect(problems(slice(at(address)))).toEqual(['warning specialAddress endpoints[0].addresses[0]'])
    },
  )

  it.each(['::1', 'fe80::1', 'febf::1', 'ff02::1', '::'])(
    'is kept with a warning if it has the special IPv6 address %s',
    (address) => {
      expect(problems(slice(at(address), { addressType: 'IPv6' }))).toEqual([
        'warning specialAddress endpoints[0].addresses[0]',
      ])
    },
  )

  it.each(['10.0.0.1', '12.0.0.1', '169.253.0.1', '223.255.255.255', '240.0.0.1', '0.0.0.1'])(
    'causes no warning if it has the ordinary address %s',
    (address) => {
      expect(problems(slice(at(address)))).toEqual([])
    },
  )
})

describe('an endpoint is omitted and reported, and other endpoints are kept, if it', () => {
  it.each<[string, unknown, string]>([
    ['is null', null, 'error invalidType endpoints[0]'],
    ['has no addresses', {}, 'error missingField endpoints[0].addresses'],
    ['has an empty list of addresses', { addresses: [] }, 'error missingField endpoints[0].addresses'],
    ['has text instead of a list of addresses', { addresses: '10.0.0.9' }, 'error missingField endpoints[0].addresses'],
    ['has a host name as address', { addresses: ['localhost'] }, 'error invalidAddress endpoints[0].addresses[0]'],
    [
      'has two addresses in one text',
      { addresses: ['10.0.0.8,10.0.0.9'] },
      'error invalidAddress endpoints[0].addresses[0]',
    ],
    ['has a number as address', { addresses: [10] }, 'error invalidAddress endpoints[0].addresses[0]'],
    [
      'has an address of the other family',
      { addresses: ['fd00::1'] },
      'error otherAddressFamily endpoints[0].addresses[0]',
    ],
    [
      'has text as conditions',
      { addresses: ['10.0.0.9'], conditions: 'x' },
      'error invalidType endpoints[0].conditions',
    ],
    [
      'has text as a condition',
      { addresses: ['10.0.0.9'], conditions: { serving: 'true' } },
      'error invalidType endpoints[0].conditions.serving',
    ],
    ['has a number as nodeName', { addresses: ['10.0.0.9'], nodeName: 1 }, 'error invalidType endpoints[0].nodeName'],
    ['has a list as hints', { addresses: ['10.0.0.9'], hints: [] }, 'error invalidType endpoints[0].hints'],
    [
      'has zones that are not objects',
      { addresses: ['10.0.0.9'], hints: { forZones: ['zone-a'] } },
      'error invalidType endpoints[0].hints.forZones',
    ],
    [
      'has zones that are not a list',
      { addresses: ['10.0.0.9'], hints: { forZones: 'zone-a' } },
      'error invalidType endpoints[0].hints.forZones',
    ],
  ])('%s', (_name, bad, expected) => {
    const object = slice([bad as SliceEndpoint, ...at('10.0.0.1')])
    expect(texts([object])).toEqual(['10.0.0.1:8080'])
    expect(problems(object)).toEqual([expected])
  })

  it('has no addresses, even if 200,000 endpoints of the slice have none', () => {
    const endpoints = Array.from({ length: 200_000 }, () => ({ addresses: [] }))
    expect(build({ services: [service()], endpointSlices: [slice(endpoints)] }).diagnostics).toHaveLength(200_000)
  })
})

describe('the ports of a slice', () => {
  const withPorts = (ports: readonly unknown[]) => slice(at('10.0.0.1'), { ports: ports as readonly SlicePort[] })

  it.each<[string, readonly unknown[], readonly string[]]>([
    [
      'are matched with service ports by name',
      [
        { name: 'http', port: 1 },
        { name: 'other', port: 2 },
      ],
      ['10.0.0.1:1'],
    ],
    ['are not matched if the protocol differs', [{ name: 'http', port: 1, protocol: 'UDP' }], []],
    [
      'have the protocol TCP if none is set',
      [
        { name: 'http', port: 1, protocol: 'TCP' },
        { name: 'http', port: 2 },
      ],
      ['10.0.0.1:1', '10.0.0.1:2'],
    ],
    ['may be missing, so that the Service has no endpoints', [], []],
  ])('%s', (_name, ports, expected) => {
    expect(texts([withPorts(ports)])).toEqual(expected)
    expect(problems(withPorts(ports))).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['without a name', { port: 1 }, 'warning missingField ports[0].name'],
    ['with null as name', { name: null, port: 1 }, 'warning missingField ports[0].name'],
    ['without a port number', { name: 'http' }, 'warning missingField ports[0].port'],
    ['with port 0', { name: 'http', port: 0 }, 'warning missingField ports[0].port'],
    ['with port 65536', { name: 'http', port: 65536 }, 'error invalidPort ports[0].port'],
    ['with a name instead of a port number', { name: 'http', port: 'http' }, 'error invalidPort ports[0].port'],
    ['with an invalid protocol', { name: 'http', port: 1, protocol: 'tcp' }, 'error invalidProtocol ports[0].protocol'],
    ['with a number as name', { name: 1, port: 1 }, 'error invalidType ports[0].name'],
    ['that is text', 'http', 'error invalidType ports[0]'],
  ])('exclude and report a port %s', (_name, port, expected) => {
    const object = withPorts([port, { name: 'http', port: 8080 }])
    expect(texts([object])).toEqual(['10.0.0.1:8080'])
    expect(problems(object)).toEqual([expected])
  })

  it('include a port with an empty name, which belongs to the unnamed service port', () => {
    const endpoints = endpointsOf([withPorts([{ name: '', port: 7 }])], {}, [{ port: 80 }])
    expect(endpoints.map(({ text }) => text)).toEqual(['10.0.0.1:7'])
  })

  it('provide no endpoints if the Service has no port of that name', () => {
    const services = [
      service({
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2 },
        ],
      }),
    ]
    const endpointSlices = [
      withPorts([
        { name: 'a', port: 11 },
        { name: 'b', port: 12 },
        { name: 'c', port: 13 },
      ]),
    ]
    expect(portsOf({ services, endpointSlices }).map(({ endpoints }) => endpoints.map(({ text }) => text))).toEqual([
      ['10.0.0.1:11'],
      ['10.0.0.1:12'],
    ])
  })
})

describe('the slices of a Service', () => {
  const labelled = (labels: Readonly<Record<string, string>>) =>
    slice(at('10.0.0.1'), { metadata: { namespace: 'ns1', name: 's', labels } })
  const OWN = { 'kubernetes.io/service-name': 'web' }

  it.each<[string, EndpointSlice]>([
    ['the headless label', labelled({ ...OWN, 'service.kubernetes.io/headless': '' })],
    ['the label of another proxy', labelled({ ...OWN, 'service.kubernetes.io/service-proxy-name': 'x' })],
    [
      'the headless label and a missing Service',
      labelled({
        'kubernetes.io/service-name': 'gone',
        'service.kubernetes.io/headless': '',
      }),
    ],
  ])('exclude a slice with %s', (_name, object) => {
    expect(texts([object])).toEqual([])
    expect(problems(object)).toEqual([])
  })

  it.each<[string, EndpointSlice]>([
    ['without labels', slice(at('10.0.0.1'), { metadata: { namespace: 'ns1', name: 's' } })],
    ['without the service-name label', labelled({})],
    ['with an empty service-name label', labelled({ 'kubernetes.io/service-name': '' })],
  ])('exclude and report a slice %s', (_name, object) => {
    expect(texts([object])).toEqual([])
    expect(problems(object)).toEqual(['warning orphanSlice metadata.labels[kubernetes.io/service-name]'])
  })

  it.each<[string, EndpointSlice]>([
    ['the headless label', labelled({ 'service.kubernetes.io/headless': '' })],
    ['the label of another proxy', labelled({ 'service.kubernetes.io/service-proxy-name': 'x' })],
  ])('do not report a slice with %s and without the service-name label', (_name, object) => {
    expect(problems(object)).toEqual([])
  })

  it('exclude slices of other namespaces, and report slices that have no Service', () => {
    const other = slice(at('10.0.0.1'), { metadata: { namespace: 'ns2', name: 's', labels: OWN } })
    expect(texts([other])).toEqual([])
    expect(problems(other)).toEqual(['warning orphanSlice metadata.labels[kubernetes.io/service-name]'])
  })

  it('are not reported if the Service is headless, an ExternalName or invalid', () => {
    for (const object of [service({ clusterIP: 'None' }), service({ type: 'ExternalName' })]) {
      expect(codes({ services: [object], endpointSlices: [slice(at('nonsense'))] })).toEqual([])
    }
    const invalid = service({ clusterIP: 'x' })
    expect(codes({ services: [invalid], endpointSlices: [slice(at('10.0.0.1'))] })).toEqual([
      'error invalidAddress spec.clusterIP',
    ])
  })

  it.each<[string, unknown, readonly string[]]>([
    ['null', null, ['error invalidType']],
    ['no name', slice([], { metadata: { namespace: 'ns1', labels: OWN } }), ['error missingField metadata.name']],
    [
      'no namespace',
      slice([], { metadata: { namespace: '', name: 's', labels: OWN } }),
      ['error missingField metadata.namespace'],
    ],
    [
      'a number as service-name label',
      labelled({ 'kubernetes.io/service-name': 1 as never }),
      ['error invalidType metadata.labels[kubernetes.io/service-name]'],
    ],
    ['an unknown address type', slice([], { addressType: 'IP' }), ['error invalidValue addressType']],
    [
      'host names as addresses',
      slice(at('example.com'), { addressType: 'FQDN' }),
      ['info otherAddressFamily addressType'],
    ],
    ['text as endpoints', slice('x' as never), ['error invalidType endpoints']],
    ['null as endpoints and ports', slice(null as never, { ports: null }), []],
  ])('provide no endpoints for an invalid slice: %s', (_name, object, expected) => {
    expect(texts([object as EndpointSlice])).toEqual([])
    expect(problems(object as EndpointSlice)).toEqual(expected)
  })

  it('are ignored if their family is not compiled', () => {
    const input = { services: [service()], endpointSlices: [slice(at('x'), { addressType: 'IPv6' })] }
    expect(codes(input, { families: ['IPv4'] })).toEqual([])
  })

  it('include only the last of two slices with the same name', () => {
    const slices = [slice(at('10.0.0.1')), slice(at('10.0.0.2'))]
    expect(texts(slices)).toEqual(['10.0.0.2:8080'])
    expect(build({ services: [service()], endpointSlices: slices }).diagnostics).toEqual([
      {
        severity: 'warning',
        code: 'duplicateObject',
        object: { kind: 'EndpointSlice', namespace: 'ns1', name: 'web-1' },
        message: 'given more than once; the last one is used',
      },
    ])
  })
})
