import { describe, expect, it } from 'vitest'
import { ipvsSettings, lowered, serverLines } from '../../support/ipvs-states.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

const local = endpoint({ ip: '10.180.0.1', local: true })
const remote = endpoint({ ip: '10.180.0.2' })

describe('a virtual server of a service port', () => {
  it('has the endpoints of the whole cluster, with weight 1', () => {
    const { virtualServers } = lowered([servicePort({ endpoints: [local, remote] })]).ipvs
    expect(virtualServers).toEqual([
      {
        address: '172.30.0.41',
        port: 80,
        protocol: 'TCP',
        scheduler: 'rr',
        flags: 0,
        timeout: 0,
        realServers: [
          { address: '10.180.0.1', port: 80, forwarding: 'masquerade', weight: 1 },
          { address: '10.180.0.2', port: 80, forwarding: 'masquerade', weight: 1 },
        ],
      },
    ])
  })

  it('exists for each address and for the node port on each node address', () => {
    const state = lowered([
      servicePort({
        endpoints: [remote],
        externalIPs: ['192.168.99.11'],
        loadBalancerIPs: ['1.2.3.4'],
        nodePort: 3001,
        protocol: 'UDP',
      }),
    ])
    expect(serverLines(state)).toEqual([
      '172.30.0.41:80/UDP 10.180.0.2:80',
      '192.168.99.11:80/UDP 10.180.0.2:80',
      '1.2.3.4:80/UDP 10.180.0.2:80',
      '192.168.0.2:3001/UDP 10.180.0.2:80',
      '192.168.1.2:3001/UDP 10.180.0.2:80',
    ])
  })

  it('is empty without endpoints', () => {
    expect(serverLines(lowered([servicePort()]))).toEqual(['172.30.0.41:80/TCP'])
  })

  it('is persistent with session affinity', () => {
    const { virtualServers } = lowered([servicePort({ affinitySeconds: 10800 })]).ipvs
    expect(virtualServers).toMatchObject([{ flags: 0x1, timeout: 10800 }])
  })

  it('has the configured scheduler', () => {
    const ipvs = { scheduler: 'wlc' }
    const { virtualServers } = lowered([servicePort()], { settings: { ipvs: ipvsSettings(ipvs) } }).ipvs
    expect(virtualServers).toMatchObject([{ scheduler: 'wlc', flags: 0 }])
  })

  it('includes the client port with mh', () => {
    const configuration = { settings: { ipvs: ipvsSettings({ scheduler: 'mh' }) } }
    const { virtualServers } = lowered(
      [servicePort(), servicePort({ name: 'svc2', clusterIP: '172.30.0.42', affinitySeconds: 5 })],
      configuration,
    ).ipvs
    expect(virtualServers).toMatchObject([
      { scheduler: 'mh', flags: 0x10 },
      { scheduler: 'mh', flags: 0x11 },
    ])
  })
})

describe('policy Local', () => {
  const external = { externalIPs: ['192.168.99.11'], externalPolicyLocal: true }

  it('uses the endpoints on this node', () => {
    const state = lowered([servicePort({ ...external, endpoints: [local, remote] })])
    expect(serverLines(state)).toEqual([
      '172.30.0.41:80/TCP 10.180.0.1:80 10.180.0.2:80',
      '192.168.99.11:80/TCP 10.180.0.1:80',
    ])
  })

  it('uses all endpoints if none is on this node', () => {
    const state = lowered([servicePort({ ...external, internalPolicyLocal: true, endpoints: [remote] })])
    expect(serverLines(state)).toEqual(['172.30.0.41:80/TCP 10.180.0.2:80', '192.168.99.11:80/TCP 10.180.0.2:80'])
  })

  it('uses none if the Service has no external frontend', () => {
    const state = lowered([servicePort({ internalPolicyLocal: true, endpoints: [remote] })])
    expect(serverLines(state)).toEqual(['172.30.0.41:80/TCP'])
  })
})

describe('service ports that claim one address and port', () => {
  const first = servicePort({ name: 'a', endpoints: [local], externalIPs: ['192.168.0.2'] })

  it('assign it to the first in the plan', () => {
    const second = servicePort({ name: 'b', endpoints: [remote] })
    expect(serverLines(lowered([first, second]))[0]).toBe('172.30.0.41:80/TCP 10.180.0.1:80')
    expect(lowered([first, second]).ipvs.virtualServers).toHaveLength(2)
  })

  it('prefer an address to a node port', () => {
    const second = servicePort({ name: 'A', clusterIP: '172.30.0.42', endpoints: [remote], nodePort: 80 })
    expect(serverLines(lowered([second, first]))).toEqual([
      '172.30.0.42:80/TCP 10.180.0.2:80',
      '172.30.0.41:80/TCP 10.180.0.1:80',
      '192.168.0.2:80/TCP 10.180.0.1:80',
      '192.168.1.2:80/TCP 10.180.0.2:80',
    ])
  })

  it('are separate for each protocol', () => {
    const second = servicePort({ name: 'b', protocol: 'UDP', endpoints: [remote] })
    expect(serverLines(lowered([first, second]))).toContain('172.30.0.41:80/UDP 10.180.0.2:80')
  })
})

it('virtual servers share the real servers of frontends with one pool', () => {
  const { virtualServers } = lowered([
    servicePort({ endpoints: [local], externalIPs: ['192.168.99.11', '192.168.99.12'] }),
  ]).ipvs
  expect(virtualServers[1]?.realServers).toBe(virtualServers[2]?.realServers)
})
