import type { EndpointSubset, Endpoints } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { at, codes, DUAL_STACK, portsOf, service, slice } from '../../support/objects.js'

const META = { namespace: 'ns1', name: 'web' }
const PORTS = [{ name: 'http', port: 8080 }]

function endpoints(...subsets: readonly EndpointSubset[]): Endpoints {
  return { metadata: META, subsets }
}

const texts = (object: Endpoints, family: 'IPv4' | 'IPv6' = 'IPv4') =>
  portsOf({ services: [service(DUAL_STACK)], endpoints: [object] }, {}, family)[0]?.endpoints.map(({ text }) => text)

const problems = (object: Endpoints) => codes({ services: [service()], endpoints: [object] })

describe('an Endpoints object', () => {
  it('provides ready and unready endpoints', () => {
    const object = endpoints({
      addresses: [{ ip: '10.0.0.1', nodeName: 'node-1' }],
      notReadyAddresses: [{ ip: '10.0.0.2' }],
      ports: PORTS,
    })
    const common = { port: 8080, terminating: false, hints: { zones: [], nodes: [] } }
    expect(portsOf({ services: [service()], endpoints: [object] })[0]?.endpoints).toEqual([
      { ...common, ip: '10.0.0.1', text: '10.0.0.1:8080', ready: true, serving: true, nodeName: 'node-1', local: true },
      { ...common, ip: '10.0.0.2', text: '10.0.0.2:8080', ready: false, serving: true, nodeName: '', local: false },
    ])
  })

  it('merges subsets by port name and protocol, and merges duplicates of an IP and port', () => {
    const object = endpoints(
      { addresses: [{ ip: '10.0.0.2' }, { ip: '10.0.0.1' }], ports: PORTS },
      { addresses: [{ ip: '10.0.0.1' }], ports: [...PORTS, { name: 'http', port: 81 }] },
      { addresses: [{ ip: '10.0.0.9' }], ports: [{ name: 'http', protocol: 'UDP', port: 8080 }, { port: 8080 }] },
    )
    expect(texts(object)).toEqual(['10.0.0.1:8080', '10.0.0.1:81', '10.0.0.2:8080'])
    expect(problems(object)).toEqual([])
  })

  it('provides endpoints of both families', () => {
    const object = endpoints({ addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: PORTS })
    expect(texts(object)).toEqual(['10.0.0.1:8080'])
    expect(texts(object, 'IPv6')).toEqual(['[fd00::1]:8080'])
  })

  it('provides the endpoints of its unnamed ports for unnamed service ports', () => {
    const object = endpoints({ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 7 }] })
    const input = { services: [service({ ports: [{ port: 80 }] })], endpoints: [object] }
    expect(portsOf(input)[0]?.endpoints.map(({ text }) => text)).toEqual(['10.0.0.1:7'])
  })

  it('omits invalid ports and addresses, and keeps the valid ports and addresses', () => {
    const object = endpoints(
      {
        addresses: [{ ip: '' }, { ip: 'x' }, 7, { ip: '010.0.0.1' }, { ip: '127.0.0.1', nodeName: 3 }] as never,
        ports: [{ name: 'http', port: 0 }, { name: 'http', port: 8080, protocol: 'X' }, ...PORTS],
      },
      null as never,
    )
    expect(texts(object)).toEqual(['10.0.0.1:8080'])
    expect(problems(object)).toEqual([
      'error invalidAddress subsets[0].addresses[0].ip',
      'error invalidAddress subsets[0].addresses[1].ip',
      'error invalidType subsets[0].addresses[2]',
      'error invalidAddress subsets[0].addresses[2].ip',
      'warning nonCanonicalAddress subsets[0].addresses[3].ip',
      'warning specialAddress subsets[0].addresses[4].ip',
      'error invalidType subsets[0].addresses[4].nodeName',
      'error invalidPort subsets[0].ports[0].port',
      'error invalidProtocol subsets[0].ports[1].protocol',
      'error invalidType subsets[1]',
    ])
  })
})

describe('an Endpoints object', () => {
  const one = endpoints({ addresses: [{ ip: '10.0.0.1' }], ports: PORTS })

  it('is reported as unused if its Service has a slice, even an empty or other-family slice', () => {
    for (const addressType of ['IPv4', 'IPv6']) {
      const input = { services: [service()], endpointSlices: [slice([], { addressType })], endpoints: [one] }
      expect(portsOf(input)[0]?.endpoints).toEqual([])
      expect(codes(input)).toEqual(['info unusedEndpoints'])
    }
  })

  it('is reported as unused if it has no Service', () => {
    expect(codes({ endpoints: [one] })).toEqual(['info unusedEndpoints'])
  })

  it('is not reported if its Service has no rules', () => {
    const services = [service({ clusterIP: 'None' })]
    expect(codes({ services, endpoints: [one] })).toEqual([])
    expect(codes({ services, endpointSlices: [slice(at('10.0.0.1'))], endpoints: [one] })).toEqual([])
  })

  it('is ignored if a label excludes it, and is reported if it is invalid', () => {
    const excluded = { ...one, metadata: { ...META, labels: { 'service.kubernetes.io/headless': '' } } }
    expect(texts(excluded)).toEqual([])
    expect(problems(excluded)).toEqual([])
    expect(problems('x' as never)).toEqual(['error invalidType'])
    expect(problems({ metadata: 1 as never })).toEqual(['error invalidType metadata'])
  })

  it('is ignored with a warning if a later object has the same name', () => {
    const later = endpoints({ addresses: [{ ip: '10.0.0.5' }], ports: PORTS })
    const input = { services: [service()], endpoints: [one, later] }
    expect(portsOf(input)[0]?.endpoints.map(({ ip }) => ip)).toEqual(['10.0.0.5'])
    expect(codes(input)).toEqual(['warning duplicateObject'])
  })
})
