import { describe, expect, it } from 'vitest'
import { NO_ITEMS } from '../../../src/internal/items-by-key.js'
import {
  type AddressClaimsByKey,
  addressClaimsOf,
  findAddressConflicts,
  findNodeAddressConflicts,
  nodeAddressesOf,
  replaceAddressClaims,
} from '../../../src/model/services/conflicts.js'
import type { ServicePort } from '../../../src/model/services/service-port.js'
import { nodeFacts, servicePort } from '../../support/model-builder.js'

/** Returns the claims of these service ports. */
function claimsOfAll(servicePorts: readonly ServicePort[]): AddressClaimsByKey {
  return replaceAddressClaims(NO_ITEMS, [], servicePorts.flatMap(addressClaimsOf))
}

const A = servicePort({ name: 'a', clusterIP: '10.0.0.1' })

describe('findAddressConflicts', () => {
  it('reports a conflict for the later service port, and names both service ports', () => {
    const b = servicePort({ name: 'b', clusterIP: '10.0.0.2', externalIPs: ['10.0.0.1'] })
    expect(findAddressConflicts(claimsOfAll([A, b]))).toEqual([
      {
        severity: 'warning',
        code: 'addressConflict',
        object: { kind: 'Service', namespace: 'ns1', name: 'b' },
        path: 'spec.externalIPs',
        message: 'ns1/b:p80 claims 10.0.0.1:80 TCP, which ns1/a:p80 also claims',
      },
    ])
  })

  it.each([
    ['another port', servicePort({ name: 'b', clusterIP: '10.0.0.1', port: 81 })],
    ['another protocol', servicePort({ name: 'b', clusterIP: '10.0.0.1', protocol: 'UDP' })],
    ['another address', servicePort({ name: 'b', clusterIP: '10.0.0.2' })],
  ])('reports no conflict with a service port that has %s', (_name, other) => {
    expect(findAddressConflicts(claimsOfAll([A, other]))).toEqual([])
  })

  it('reports conflicts of load-balancer IPs and of node ports', () => {
    const first = servicePort({ name: 'b', clusterIP: '10.0.0.2', loadBalancerIPs: ['1.1.1.1'], nodePort: 30080 })
    const second = servicePort({ name: 'c', clusterIP: '10.0.0.3', loadBalancerIPs: ['1.1.1.1'], nodePort: 30080 })
    expect(
      findAddressConflicts(claimsOfAll([first, second])).map(({ path, message }) => `${path}: ${message}`),
    ).toEqual([
      'status.loadBalancer.ingress: ns1/c:p80 claims 1.1.1.1:80 TCP, which ns1/b:p80 also claims',
      'spec.ports: ns1/c:p80 claims node port 30080 TCP, which ns1/b:p80 also claims',
    ])
  })

  it('reports no conflict between equal node ports with different protocols', () => {
    const first = servicePort({ name: 'b', clusterIP: '10.0.0.2', nodePort: 30080 })
    const second = servicePort({ name: 'c', clusterIP: '10.0.0.3', nodePort: 30080, protocol: 'UDP' })
    expect(findAddressConflicts(claimsOfAll([first, second]))).toEqual([])
  })

  it('reports no conflict if one service port has the same address twice', () => {
    const twice = { externalIPs: ['1.1.1.1', '1.1.1.1'], loadBalancerIPs: ['1.1.1.1'] }
    expect(findAddressConflicts(claimsOfAll([servicePort(twice)]))).toEqual([])
  })
})

describe('findAddressConflicts with several claims of the same address', () => {
  const names = (claims: AddressClaimsByKey) =>
    findAddressConflicts(claims).map(({ object, path }) => `${object?.name} ${path}`)
  const [b, c] = ['b', 'c'].map((name) => servicePort({ name, clusterIP: '10.0.0.1' })) as [ServicePort, ServicePort]

  it('reports all service ports except the first, whatever the order of the claims', () => {
    for (const order of [
      [A, b, c],
      [c, b, A],
      [b, A, c],
    ]) {
      expect(names(claimsOfAll(order))).toEqual(['b spec.clusterIP', 'c spec.clusterIP'])
    }
  })

  it('reports no conflict when only one claim remains', () => {
    const [ofA, ofB, ofC] = [A, b, c].map(addressClaimsOf) as [
      ReturnType<typeof addressClaimsOf>,
      ReturnType<typeof addressClaimsOf>,
      ReturnType<typeof addressClaimsOf>,
    ]
    const all = replaceAddressClaims(NO_ITEMS, [], [...ofA, ...ofB, ...ofC])
    const withoutA = replaceAddressClaims(all, ofA, [])
    expect(names(withoutA)).toEqual(['c spec.clusterIP'])
    expect(names(replaceAddressClaims(withoutA, ofC, []))).toEqual([])
    expect(names(replaceAddressClaims(withoutA, ofB, ofA))).toEqual(['c spec.clusterIP'])
  })

  it('sorts conflicts by service port, and the conflicts of a service port by the order of its fields', () => {
    const two = { externalIPs: ['1.1.1.1'], loadBalancerIPs: ['2.2.2.2'], nodePort: 30080 }
    const ports = ['z', 'y', 'x'].map((name, index) => servicePort({ name, clusterIP: `10.0.1.${index}`, ...two }))
    expect(names(claimsOfAll(ports))).toEqual([
      'y spec.externalIPs',
      'y status.loadBalancer.ingress',
      'y spec.ports',
      'z spec.externalIPs',
      'z status.loadBalancer.ingress',
      'z spec.ports',
    ])
  })
})

describe('findNodeAddressConflicts', () => {
  it('compares addresses with the node addresses except addresses that ipvs mode has bound', () => {
    const addresses = [
      { interface: 'eth0', address: '192.168.0.2' },
      { interface: 'kube-ipvs0', address: '10.96.0.1' },
    ]
    expect([...nodeAddressesOf(nodeFacts({ addresses }))]).toEqual(['192.168.0.2'])
  })

  it('reports every kind of address except node ports', () => {
    const port = servicePort({
      clusterIP: '192.168.0.2',
      externalIPs: ['1.1.1.1', '192.168.0.3'],
      loadBalancerIPs: ['192.168.0.2'],
      nodePort: 30080,
    })
    const found = [A, port].flatMap((each) => findNodeAddressConflicts(each, new Set(['192.168.0.2', '192.168.0.3'])))
    expect(found.map(({ severity, code, path, message }) => `${severity} ${code} ${path}: ${message}`)).toEqual([
      'warning nodeAddressConflict spec.clusterIP: ns1/svc1:p80 claims 192.168.0.2, which is an address of the node',
      'warning nodeAddressConflict spec.externalIPs: ns1/svc1:p80 claims 192.168.0.3, which is an address of the node',
      'warning nodeAddressConflict status.loadBalancer.ingress: ns1/svc1:p80 claims 192.168.0.2, which is an address of the node',
    ])
  })
})
