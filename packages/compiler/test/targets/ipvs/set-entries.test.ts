import { describe, expect, it } from 'vitest'
import { cidr } from '../../support/decisions.js'
import { filledSets, lowered } from '../../support/ipvs-states.js'
import { endpoint, nodeFacts, servicePort } from '../../support/model-builder.js'

const clusterIP = {
  'KUBE-CLUSTER-IP': ['172.30.0.41,tcp:80'],
  'KUBE-IPVS-IPS': ['172.30.0.41'],
}

describe('the sets of ipvs mode contain', () => {
  it('a cluster IP in KUBE-CLUSTER-IP', () => {
    expect(filledSets(lowered([servicePort()]))).toEqual(clusterIP)
  })

  it('endpoints on this node in KUBE-LOOP-BACK, whether they are ready or not', () => {
    const endpoints = [
      endpoint({ ip: '10.180.0.1', local: true }),
      endpoint({ ip: '10.180.0.3', local: true, ready: false, serving: false }),
      endpoint({ ip: '10.180.0.2' }),
    ]
    expect(filledSets(lowered([servicePort({ endpoints })]))).toEqual({
      'KUBE-LOOP-BACK': ['10.180.0.1,tcp:80,10.180.0.1', '10.180.0.3,tcp:80,10.180.0.3'],
      ...clusterIP,
    })
  })

  it('external IPs in KUBE-EXTERNAL-IP', () => {
    const sets = filledSets(lowered([servicePort({ externalIPs: ['192.168.99.12', '192.168.99.11'] })]))
    expect(sets).toEqual({
      ...clusterIP,
      'KUBE-EXTERNAL-IP': ['192.168.99.11,tcp:80', '192.168.99.12,tcp:80'],
      'KUBE-IPVS-IPS': ['172.30.0.41', '192.168.99.11', '192.168.99.12'],
    })
  })

  it('external IPs with policy Local in KUBE-EXTERNAL-IP-LOCAL', () => {
    const sets = filledSets(lowered([servicePort({ externalIPs: ['192.168.99.11'], externalPolicyLocal: true })]))
    expect(sets).toEqual({
      ...clusterIP,
      'KUBE-EXTERNAL-IP-LOCAL': ['192.168.99.11,tcp:80'],
      'KUBE-IPVS-IPS': ['172.30.0.41', '192.168.99.11'],
    })
  })

  it('load-balancer IPs in KUBE-LOAD-BALANCER', () => {
    const sets = filledSets(lowered([servicePort({ loadBalancerIPs: ['1.2.3.4'], protocol: 'UDP' })]))
    expect(sets).toEqual({
      'KUBE-CLUSTER-IP': ['172.30.0.41,udp:80'],
      'KUBE-LOAD-BALANCER': ['1.2.3.4,udp:80'],
      'KUBE-IPVS-IPS': ['1.2.3.4', '172.30.0.41'],
    })
  })

  it('load-balancer IPs with policy Local and source ranges that contain the node, in six sets', () => {
    const sets = filledSets(
      lowered([
        servicePort({
          loadBalancerIPs: ['1.2.3.4', '1.2.3.5'],
          externalPolicyLocal: true,
          sourceRanges: [cidr('203.0.113.0/25'), cidr('192.168.0.0/16')],
        }),
      ]),
    )
    expect(sets).toEqual({
      'KUBE-CLUSTER-IP': ['172.30.0.41,tcp:80'],
      'KUBE-LOAD-BALANCER': ['1.2.3.4,tcp:80', '1.2.3.5,tcp:80'],
      'KUBE-LOAD-BALANCER-FW': ['1.2.3.4,tcp:80', '1.2.3.5,tcp:80'],
      'KUBE-LOAD-BALANCER-LOCAL': ['1.2.3.4,tcp:80', '1.2.3.5,tcp:80'],
      'KUBE-LOAD-BALANCER-SOURCE-IP': ['1.2.3.4,tcp:80,1.2.3.4', '1.2.3.5,tcp:80,1.2.3.5'],
      'KUBE-LOAD-BALANCER-SOURCE-CIDR': [
        '1.2.3.4,tcp:80,192.168.0.0/16',
        '1.2.3.4,tcp:80,203.0.113.0/25',
        '1.2.3.5,tcp:80,192.168.0.0/16',
        '1.2.3.5,tcp:80,203.0.113.0/25',
      ],
      'KUBE-IPVS-IPS': ['1.2.3.4', '1.2.3.5', '172.30.0.41'],
    })
  })

  it('the source IP of a load balancer only if its source ranges contain this node', () => {
    const sourceRanges = [cidr('203.0.113.0/25')]
    const sets = filledSets(lowered([servicePort({ loadBalancerIPs: ['1.2.3.4'], sourceRanges })]))
    expect(sets).toMatchObject({ 'KUBE-LOAD-BALANCER-SOURCE-CIDR': ['1.2.3.4,tcp:80,203.0.113.0/25'] })
    expect(sets).not.toHaveProperty('KUBE-LOAD-BALANCER-SOURCE-IP')
  })

  it.each(['TCP', 'UDP'] as const)('node ports over %s by number', (protocol) => {
    const nodePort = (name: string, port: number, externalPolicyLocal: boolean) =>
      servicePort({ name, clusterIP: `172.30.0.${name}`, protocol, nodePort: port, externalPolicyLocal })
    const sets = filledSets(lowered([nodePort('1', 30001, true), nodePort('2', 3001, false), nodePort('3', 999, true)]))
    expect(sets).toMatchObject({
      [`KUBE-NODE-PORT-${protocol}`]: ['999', '3001', '30001'],
      [`KUBE-NODE-PORT-LOCAL-${protocol}`]: ['999', '30001'],
    })
  })

  it('node ports over SCTP by address and number', () => {
    const sets = filledSets(lowered([servicePort({ protocol: 'SCTP', nodePort: 3001, externalPolicyLocal: true })]))
    expect(sets).toEqual({
      'KUBE-CLUSTER-IP': ['172.30.0.41,sctp:80'],
      'KUBE-NODE-PORT-SCTP-HASH': ['192.168.0.2,sctp:3001', '192.168.1.2,sctp:3001'],
      'KUBE-NODE-PORT-LOCAL-SCTP-HASH': ['192.168.0.2,sctp:3001', '192.168.1.2,sctp:3001'],
      'KUBE-IPVS-IPS': ['172.30.0.41'],
    })
  })

  it('a health-check node port once for all ports of a Service', () => {
    const ports = ['p80', 'p81'].map((portName, index) =>
      servicePort({ portName, port: 80 + index, nodePort: 3000 + index, healthCheckNodePort: 30000 }),
    )
    expect(filledSets(lowered(ports))).toMatchObject({ 'KUBE-HEALTH-CHECK-NODE-PORT': ['30000'] })
  })
})

describe('a service port in ipvs mode on a node without addresses for node ports', () => {
  const node = { nodePorts: { all: false, addresses: ['127.0.0.1'], containsLoopback: true } }

  it.each(['TCP', 'SCTP'] as const)('has no set entries for its node port and its health check over %s', (protocol) => {
    const port = servicePort({ protocol, nodePort: 3001, healthCheckNodePort: 30000 })
    const sets = filledSets(lowered([port], { node }))
    expect(Object.keys(sets)).toEqual(['KUBE-CLUSTER-IP', 'KUBE-IPVS-IPS'])
  })

  it('has an entry for its health check if the service port has no node port', () => {
    const sets = filledSets(lowered([servicePort({ healthCheckNodePort: 30000 })], { node }))
    expect(sets).toMatchObject({ 'KUBE-HEALTH-CHECK-NODE-PORT': ['30000'] })
  })
})

describe('the device kube-ipvs0', () => {
  const bound = (fields: Parameters<typeof servicePort>[0], addresses = nodeFacts().addresses) =>
    lowered([servicePort(fields)], { node: { addresses } }).addresses.addresses

  it('has the Service addresses in code-unit order, but no addresses for node ports', () => {
    const fields = { externalIPs: ['192.168.99.11'], loadBalancerIPs: ['1.2.3.4'], nodePort: 3001 }
    expect(bound(fields)).toEqual(['1.2.3.4', '172.30.0.41', '192.168.99.11'])
  })

  it('excludes addresses of other interfaces', () => {
    const fields = { externalIPs: ['192.168.0.2'], loadBalancerIPs: ['192.168.1.2'] }
    expect(bound(fields)).toEqual(['172.30.0.41'])
  })

  it('keeps addresses that only kube-ipvs0 had before', () => {
    expect(bound({ externalIPs: ['1.2.3.4'] }, [{ interface: 'kube-ipvs0', address: '1.2.3.4' }])).toEqual([
      '1.2.3.4',
      '172.30.0.41',
    ])
  })

  it('has cluster IPs even if other interfaces have them', () => {
    expect(bound({ clusterIP: '192.168.0.2' })).toEqual(['192.168.0.2'])
  })
})
