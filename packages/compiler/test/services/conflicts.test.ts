import { describe, expect, it } from 'vitest'
import {
  claimsOf,
  exchangeClaims,
  findAddressConflicts,
  findNodeAddressConflicts,
  holdersOf,
  nodeAddressSet,
} from '../../src/services/conflicts.js'
import { nodeFacts, servicePort } from '../support/model-builder.js'

const A = servicePort({ name: 'a', clusterIP: '10.0.0.1' })

describe('address conflicts', () => {
  it('name both service ports', () => {
    const b = servicePort({ name: 'b', clusterIP: '10.0.0.2', externalIPs: ['10.0.0.1'] })
    expect(findAddressConflicts([A, b].map(claimsOf))).toEqual([
      {
        severity: 'warning',
        code: 'addressConflict',
        object: { kind: 'Service', namespace: 'ns1', name: 'b' },
        path: 'spec.externalIPs',
        message: 'ns1/b:p80 claims 10.0.0.1:80 TCP, which ns1/a:p80 has too',
      },
    ])
  })

  it.each([
    ['another port', servicePort({ name: 'b', clusterIP: '10.0.0.1', port: 81 })],
    ['another protocol', servicePort({ name: 'b', clusterIP: '10.0.0.1', protocol: 'UDP' })],
    ['another address', servicePort({ name: 'b', clusterIP: '10.0.0.2' })],
  ])('need the same address, port and protocol: %s', (_name, other) => {
    expect(findAddressConflicts([A, other].map(claimsOf))).toEqual([])
  })

  it('are found for load-balancer IPs and node ports', () => {
    const first = servicePort({ name: 'b', clusterIP: '10.0.0.2', loadBalancerIPs: ['1.1.1.1'], nodePort: 30080 })
    const second = servicePort({ name: 'c', clusterIP: '10.0.0.3', loadBalancerIPs: ['1.1.1.1'], nodePort: 30080 })
    expect(
      findAddressConflicts([first, second].map(claimsOf)).map(({ path, message }) => `${path}: ${message}`),
    ).toEqual([
      'status.loadBalancer.ingress: ns1/c:p80 claims 1.1.1.1:80 TCP, which ns1/b:p80 has too',
      'spec.ports: ns1/c:p80 claims node port 30080 TCP, which ns1/b:p80 has too',
    ])
  })

  it('a node port of another protocol is none', () => {
    const first = servicePort({ name: 'b', clusterIP: '10.0.0.2', nodePort: 30080 })
    const second = servicePort({ name: 'c', clusterIP: '10.0.0.3', nodePort: 30080, protocol: 'UDP' })
    expect(findAddressConflicts([first, second].map(claimsOf))).toEqual([])
  })

  it('a service port that has one address twice is in conflict with nobody', () => {
    const twice = { externalIPs: ['1.1.1.1', '1.1.1.1'], loadBalancerIPs: ['1.1.1.1'] }
    expect(findAddressConflicts([servicePort(twice)].map(claimsOf))).toEqual([])
  })
})

describe('exchangeClaims', () => {
  const same = servicePort({ name: 'b', clusterIP: '10.0.0.1' })
  const other = servicePort({ name: 'c', clusterIP: '10.0.0.2' })
  it.each([
    ['nothing comes', [], [], true],
    ['what comes is claimed', [], [same], false],
    ['what comes was claimed by what goes', [A], [same], true],
    ['two that come claim the same', [A], [same, A], false],
    ['nobody else has what comes', [], [other], true],
    ['one that comes claims it twice', [], [servicePort({ externalIPs: ['1.1.1.1', '1.1.1.1'] })], true],
  ])('%s', (_name, gone, come, expected) => {
    const holders = holdersOf([A].map(claimsOf))
    expect(exchangeClaims(holders, gone.map(claimsOf), come.map(claimsOf))).toBe(expected)
  })

  it('leaves who holds what afterwards', () => {
    const holders = holdersOf([A].map(claimsOf))
    exchangeClaims(holders, [A].map(claimsOf), [other].map(claimsOf))
    expect(holders).toEqual(holdersOf([other].map(claimsOf)))
  })
})

describe('conflicts with the node', () => {
  it('are with the addresses it has by itself, not with those that mode ipvs has bound', () => {
    const addresses = [
      { interface: 'eth0', address: '192.168.0.2' },
      { interface: 'kube-ipvs0', address: '10.96.0.1' },
    ]
    expect([...nodeAddressSet(nodeFacts({ addresses }))]).toEqual(['192.168.0.2'])
  })

  it('are found for every kind of address but node ports', () => {
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
