import { describe, expect, it } from 'vitest'
import { SCHEDULERS, type VirtualServer } from '../../../compiler/src/dataplane/ipvs/ast.js'
import { realServer, virtualServer } from '../../../compiler/test/dataplane/ipvs/states.js'
import { checkIpvs } from './check-ipvs.js'

describe('a valid ipvs state', () => {
  it.each<[string, Partial<VirtualServer>]>([
    [
      'the minimum and the maximum weight',
      { realServers: [0, 2147483647].map((weight, i) => realServer('10.1.1.1', i, { weight })) },
    ],
    ['the shortest persistence', { flags: 1, timeout: 1 }],
    ['the longest persistence, on every port', { flags: 1, timeout: 2678400, port: 0 }],
    ['a netmask', { flags: 1, timeout: 60, netmask: '255.255.255.0' }],
    ['a prefix length', { flags: 1, timeout: 60, address: 'fd00::1', netmask: '64' }],
    ['single-packet scheduling of UDP', { flags: 4, protocol: 'UDP' }],
    ['a tunnel to the other family', { realServers: [realServer('fd00::2', 80, { forwarding: 'tunnel' })] }],
    ['a timeout and a netmask without effect', { timeout: -1, netmask: 'x' }],
  ])('has no problems: %s', (_, more) => {
    expect(checkIpvs({ virtualServers: [virtualServer(more)] })).toEqual([])
  })

  it.each(SCHEDULERS.map((name) => [name]))('may use the scheduler %s', (scheduler) => {
    expect(checkIpvs({ virtualServers: [virtualServer({ scheduler })] })).toEqual([])
  })

  it('may use every scheduler that ipvsadm is known to print', () => {
    const seen = ['rr', 'wrr', 'lc', 'wlc', 'lblc', 'lblcr', 'dh', 'sh', 'sed', 'nq', 'mh', 'fo', 'ovf', 'twos']
    expect([...SCHEDULERS].sort()).toEqual(seen.sort())
  })

  it('may use one address for several ports, in any order', () => {
    const realServers = [realServer('10.1.1.2', 80), realServer('10.1.1.1', 81), realServer('10.1.1.1', 80)]
    expect(checkIpvs({ virtualServers: [virtualServer({ realServers })] })).toEqual([])
  })
})

describe('an invalid ipvs state', () => {
  it('is reported with its virtual server, its location and the expected value', () => {
    const server = virtualServer({ address: 'fd00::1', protocol: 'SCTP', flags: 1, timeout: 2678401 })
    expect(checkIpvs({ virtualServers: [server] })).toEqual([
      {
        severity: 'error',
        code: 'structure',
        object: { kind: 'virtual server', name: '[fd00::1]:80/SCTP' },
        path: 'timeout',
        message: '2678401 is out of range',
        expected: 'a whole number from 1 to 2678400',
      },
    ])
  })

  it.each<[string, Partial<VirtualServer>, string]>([
    ['a name for an address', { address: 'web' }, 'address: web is not an address'],
    ['port 0 without persistence', { port: 0 }, 'port: 0 is out of range'],
    ['a port out of range', { port: 65536 }, 'port: 65536 is out of range'],
    ['a fraction of a port', { port: 1.5 }, 'port: 1.5 is out of range'],
    ['an unknown protocol', { protocol: 'ICMP' as 'TCP' }, 'protocol: ICMP is not a protocol of ipvs'],
    ['an unknown scheduler', { scheduler: 'bogus' }, 'scheduler: bogus is not a scheduler'],
    ['unknown flags', { flags: 0x40 }, 'flags: 64 is out of range'],
    ['single-packet scheduling of TCP', { flags: 4 }, 'flags: only UDP can be scheduled by packet'],
    ['a persistence timeout of 0', { flags: 1, timeout: 0 }, 'timeout: 0 is out of range'],
    ['a prefix length for IPv4', { flags: 1, timeout: 60, netmask: '24' }, 'netmask: 24 is not a netmask of IPv4'],
    ['an IPv6 netmask for IPv4', { flags: 1, timeout: 60, netmask: '::' }, 'netmask: :: is not a netmask of IPv4'],
    [
      'a netmask for IPv6',
      { flags: 1, timeout: 60, address: 'fd00::1', netmask: '129' },
      'netmask: 129 is not a netmask of IPv6',
    ],
    [
      'a real server of the other family',
      { realServers: [realServer('fd00::2', 80)] },
      'realServers[0].address: fd00::2 is not IPv4: only tunnels can reach the other family',
    ],
    [
      'a real server by name',
      { realServers: [realServer('web', 80)] },
      'realServers[0].address: web is not an address',
    ],
    [
      'an invalid port of a real server',
      { realServers: [realServer('10.1.1.1', -1)] },
      'realServers[0].port: -1 is out of range',
    ],
    [
      'a negative weight',
      { realServers: [realServer('10.1.1.1', 80), realServer('10.1.1.2', 80, { weight: -1 })] },
      'realServers[1].weight: -1 is out of range',
    ],
    [
      'a weight out of range',
      { realServers: [realServer('10.1.1.1', 80, { weight: 2147483648 })] },
      'realServers[0].weight: 2147483648 is out of range',
    ],
    [
      'a duplicate real server',
      { realServers: [realServer('10.1.1.1', 80), realServer('10.1.1.1', 80, { weight: 2 })] },
      'realServers[1]: another real server has this address and port',
    ],
  ])('is reported: %s', (_, more, problem) => {
    const found = checkIpvs({ virtualServers: [virtualServer(more)] })
    expect(found.map(({ path, message }) => `${path}: ${message}`)).toEqual([problem])
  })

  it('is reported if a virtual server occurs twice', () => {
    const found = checkIpvs({ virtualServers: [virtualServer(), virtualServer({ protocol: 'UDP' }), virtualServer()] })
    const message = 'another virtual server has this address, port and protocol'
    const object = { kind: 'virtual server', name: '10.0.0.1:80/TCP' }
    expect(found).toStrictEqual([{ severity: 'error', code: 'structure', object, message }])
  })

  it('is reported with the list of supported protocols', () => {
    const [found] = checkIpvs({ virtualServers: [virtualServer({ protocol: 'ICMP' as 'TCP' })] })
    expect(found?.expected).toBe('TCP, UDP, SCTP')
  })
})
