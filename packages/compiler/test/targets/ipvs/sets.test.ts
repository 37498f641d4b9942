import { describe, expect, it } from 'vitest'
import { ipsetState, ipvsSets, membersOf } from '../../../src/targets/ipvs/sets.js'

describe('ipvsSets', () => {
  it('names the sets of IPv4 in the order in which they are created', () => {
    expect(ipvsSets('IPv4').map(({ name, type }) => `${name} ${type}`)).toEqual([
      'KUBE-LOOP-BACK hash:ip,port,ip',
      'KUBE-CLUSTER-IP hash:ip,port',
      'KUBE-EXTERNAL-IP hash:ip,port',
      'KUBE-EXTERNAL-IP-LOCAL hash:ip,port',
      'KUBE-LOAD-BALANCER hash:ip,port',
      'KUBE-LOAD-BALANCER-FW hash:ip,port',
      'KUBE-LOAD-BALANCER-LOCAL hash:ip,port',
      'KUBE-LOAD-BALANCER-SOURCE-IP hash:ip,port,ip',
      'KUBE-LOAD-BALANCER-SOURCE-CIDR hash:ip,port,net',
      'KUBE-NODE-PORT-TCP bitmap:port',
      'KUBE-NODE-PORT-LOCAL-TCP bitmap:port',
      'KUBE-NODE-PORT-UDP bitmap:port',
      'KUBE-NODE-PORT-LOCAL-UDP bitmap:port',
      'KUBE-NODE-PORT-SCTP-HASH hash:ip,port',
      'KUBE-NODE-PORT-LOCAL-SCTP-HASH hash:ip,port',
      'KUBE-HEALTH-CHECK-NODE-PORT bitmap:port',
      'KUBE-IPVS-IPS hash:ip',
    ])
  })

  it('cuts the names of IPv6 at 31 characters', () => {
    const names = ipvsSets('IPv6').map(({ name }) => name)
    expect(names).toContain('KUBE-6-LOAD-BALANCER-SOURCE-CID')
    expect(names).toContain('KUBE-6-NODE-PORT-LOCAL-SCTP-HAS')
    expect(names).toContain('KUBE-6-IPVS-IPS')
    expect(new Set(names).size).toBe(17)
  })
})

describe('membersOf', () => {
  it('keeps each entry once, in code-unit order', () => {
    const addresses = ['10.0.0.2', '10.0.0.10', '10.0.0.2']
    const entries = addresses.map((address) => ({ set: 'KUBE-IPVS-IPS', entry: { kind: 'ip', address } }) as const)
    expect([...membersOf(entries)]).toEqual([
      [
        'KUBE-IPVS-IPS',
        [
          { kind: 'ip', address: '10.0.0.10' },
          { kind: 'ip', address: '10.0.0.2' },
        ],
      ],
    ])
  })
})

describe('ipsetState', () => {
  it('has every set, also without members', () => {
    const { sets } = ipsetState(new Map(), 'IPv6')
    expect(sets).toHaveLength(17)
    expect(sets[1]).toEqual({
      type: 'hash:ip,port',
      name: 'KUBE-6-CLUSTER-IP',
      family: 'inet6',
      hashsize: 1024,
      maxelem: 65536,
      entries: [],
    })
    expect(sets[9]).toEqual({
      type: 'bitmap:port',
      name: 'KUBE-6-NODE-PORT-TCP',
      firstPort: 0,
      lastPort: 65535,
      entries: [],
    })
  })
})
