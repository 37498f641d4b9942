import { describe, expect, it } from 'vitest'
import { ipvsSettings, lowered, serverLines } from '../../support/ipvs-states.js'
import { endpoint, servicePort } from '../../support/model-builder.js'

const local = endpoint({ ip: '10.180.0.1', local: true })
const remote = endpoint({ ip: '10.180.0.2' })

describe('a virtual server of ipvs mode', () => {
  it('has all endpoints of the cluster as real servers, with weight 1', () => {
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

  it('exists for each address of a Service, and for each node address with the node port', () => {
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

  it('has the real servers of the last of several frontends with its address and port', () => {
    const own = { endpoints: [local, remote], externalIPs: ['172.30.0.41'] }
    const [all, here] = ['172.30.0.41:80/TCP 10.180.0.1:80 10.180.0.2:80', '172.30.0.41:80/TCP 10.180.0.1:80']
    expect(serverLines(lowered([servicePort({ ...own, externalPolicyLocal: true })]))).toEqual([here])
    expect(serverLines(lowered([servicePort({ ...own, internalPolicyLocal: true })]))).toEqual([all])
  })

  it('at an address of the Service has precedence over a node port of another, even if its own node port is last', () => {
    const own = { externalIPs: ['192.168.0.2'], port: 3001, nodePort: 3001, endpoints: [local, remote] }
    const state = lowered([
      servicePort({ name: 'svc1', nodePort: 3001, endpoints: [remote], clusterIP: '172.30.0.40' }),
      servicePort({ name: 'svc2', ...own }),
    ])
    expect(serverLines(state)).toContain('192.168.0.2:3001/TCP 10.180.0.1:80 10.180.0.2:80')
    expect(serverLines(state)).toContain('192.168.1.2:3001/TCP 10.180.0.2:80')
  })

  it('has no real servers if there are no endpoints', () => {
    expect(serverLines(lowered([servicePort()]))).toEqual(['172.30.0.41:80/TCP'])
  })

  it('is persistent if the Service has session affinity', () => {
    const { virtualServers } = lowered([servicePort({ affinitySeconds: 10800 })]).ipvs
    expect(virtualServers).toMatchObject([{ flags: 0x1, timeout: 10800 }])
  })

  it('has the configured scheduler', () => {
    const ipvs = { scheduler: 'wlc' }
    const { virtualServers } = lowered([servicePort()], { settings: { ipvs: ipvsSettings(ipvs) } }).ipvs
    expect(virtualServers).toMatchObject([{ scheduler: 'wlc', flags: 0 }])
  })

  it('has the client port flag if the scheduler is mh', () => {
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

describe('external policy Local in ipvs mode', () => {
  const external = { externalIPs: ['192.168.99.11'], externalPolicyLocal: true }

  it('uses the endpoints on this node as real servers', () => {
    const state = lowered([servicePort({ ...external, endpoints: [local, remote] })])
    expect(serverLines(state)).toEqual([
      '172.30.0.41:80/TCP 10.180.0.1:80 10.180.0.2:80',
      '192.168.99.11:80/TCP 10.180.0.1:80',
    ])
  })

  it('uses all endpoints as real servers if there is no endpoint on this node', () => {
    const state = lowered([servicePort({ ...external, internalPolicyLocal: true, endpoints: [remote] })])
    expect(serverLines(state)).toEqual(['172.30.0.41:80/TCP 10.180.0.2:80', '192.168.99.11:80/TCP 10.180.0.2:80'])
  })

  it('has no effect on a cluster IP if the internal policy is Local and there is no local endpoint', () => {
    const state = lowered([servicePort({ internalPolicyLocal: true, endpoints: [remote] })])
    expect(serverLines(state)).toEqual(['172.30.0.41:80/TCP'])
  })
})

describe('several service ports with the same address and port in ipvs mode', () => {
  const first = servicePort({ name: 'a', endpoints: [local], externalIPs: ['192.168.0.2'] })

  it('share one virtual server, which has the endpoints of the first service port in the plan', () => {
    const second = servicePort({ name: 'b', endpoints: [remote] })
    expect(serverLines(lowered([first, second]))[0]).toBe('172.30.0.41:80/TCP 10.180.0.1:80')
    expect(lowered([first, second]).ipvs.virtualServers).toHaveLength(2)
  })

  it('share one virtual server, with the endpoints for the address and not for the node port', () => {
    const second = servicePort({ name: 'A', clusterIP: '172.30.0.42', endpoints: [remote], nodePort: 80 })
    expect(serverLines(lowered([second, first]))).toEqual([
      '172.30.0.42:80/TCP 10.180.0.2:80',
      '172.30.0.41:80/TCP 10.180.0.1:80',
      '192.168.0.2:80/TCP 10.180.0.1:80',
      '192.168.1.2:80/TCP 10.180.0.2:80',
    ])
  })

  it('have separate virtual servers if the protocols differ', () => {
    const second = servicePort({ name: 'b', protocol: 'UDP', endpoints: [remote] })
    expect(serverLines(lowered([first, second]))).toContain('172.30.0.41:80/UDP 10.180.0.2:80')
  })
})

it('virtual servers share the real server list if their frontends use the same endpoints', () => {
  const { virtualServers } = lowered([
    servicePort({ endpoints: [local], externalIPs: ['192.168.99.11', '192.168.99.12'] }),
  ]).ipvs
  expect(virtualServers[1]?.realServers).toBe(virtualServers[2]?.realServers)
})
