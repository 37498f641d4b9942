import { describe, expect, it } from 'vitest'
import type { VirtualServer } from '../../../src/dataplane/ipvs/ast.js'
import { canonicalize, sortForPrinting, sortRealServers } from '../../../src/dataplane/ipvs/canonical.js'
import { realServer, virtualServer } from './states.js'

function equal(left: VirtualServer, right: VirtualServer): void {
  expect(canonicalize({ virtualServers: [left] })).toStrictEqual(canonicalize({ virtualServers: [right] }))
}

describe('the canonical form of an IPVS state does not depend on', () => {
  it('the order of virtual and real servers', () => {
    const [a, b] = [realServer('10.1.1.1', 80), realServer('10.1.1.2', 80)]
    const servers = [virtualServer({ realServers: [a, b] }), virtualServer({ port: 443 })]
    const turned = [virtualServer({ port: 443 }), virtualServer({ realServers: [b, a] })]
    expect(canonicalize({ virtualServers: servers })).toStrictEqual(canonicalize({ virtualServers: turned }))
  })

  it('the notation of addresses', () => {
    equal(virtualServer({ address: 'FD00:0::1' }), virtualServer({ address: 'fd00::1' }))
    equal(
      virtualServer({ address: 'fd00::1', realServers: [realServer('fd00::0:2', 80)] }),
      virtualServer({ address: 'fd00::1', realServers: [realServer('fd00::2', 80)] }),
    )
  })

  it('the flag that the kernel sets itself', () => {
    equal(virtualServer({ flags: 0x13, timeout: 60 }), virtualServer({ flags: 0x11, timeout: 60 }))
  })

  it('the timeout, netmask or persistence engine of a non-persistent virtual server', () => {
    equal(virtualServer({ timeout: 60, netmask: '255.255.255.0', persistenceEngine: 'sip' }), virtualServer())
  })

  it('the presence of an explicit netmask for an individual address', () => {
    const persistent = { flags: 1, timeout: 60 }
    equal(virtualServer({ ...persistent, netmask: '255.255.255.255' }), virtualServer(persistent))
    const six = { ...persistent, address: 'fd00::1' }
    equal(virtualServer({ ...six, netmask: '128' }), virtualServer(six))
  })

  it('the port of a routed or tunneled real server', () => {
    for (const forwarding of ['route', 'tunnel'] as const) {
      const [left, right] = [8080, 80].map((port) => realServer('10.1.1.1', port, { forwarding }))
      equal(virtualServer({ realServers: left ? [left] : [] }), virtualServer({ realServers: right ? [right] : [] }))
    }
  })

  it('explicit options of a tunnel that equal the defaults', () => {
    const tunnel = (options?: readonly string[]) =>
      virtualServer({ realServers: [realServer('10.1.1.1', 80, { forwarding: 'tunnel', options })] })
    equal(tunnel(), tunnel(['--tun-type', 'ipip']))
    equal(tunnel(['--tun-type', 'gre']), tunnel(['--tun-type', 'gre', '--tun-nocsum']))
  })

  it('real server thresholds, which ipvsadm does not save', () => {
    const limited = realServer('10.1.1.1', 80, { options: ['-x', '5'] })
    equal(virtualServer({ realServers: [limited] }), virtualServer({ realServers: [realServer('10.1.1.1', 80)] }))
  })

  it('an empty list of unknown lines', () => {
    expect(canonicalize({ virtualServers: [], unknownLines: [] })).toStrictEqual({ virtualServers: [] })
  })
})

describe('the canonical form of an IPVS state distinguishes virtual servers with different', () => {
  const persistent = { flags: 1, timeout: 60 }

  it.each<[string, VirtualServer, VirtualServer]>([
    ['addresses', virtualServer(), virtualServer({ address: '10.0.0.2' })],
    ['ports', virtualServer(), virtualServer({ port: 81 })],
    ['protocols', virtualServer(), virtualServer({ protocol: 'UDP' })],
    ['schedulers', virtualServer(), virtualServer({ scheduler: 'wrr' })],
    ['flags', virtualServer(), virtualServer({ flags: 0x10 })],
    ['timeouts', virtualServer(persistent), virtualServer({ ...persistent, timeout: 61 })],
    ['netmasks', virtualServer(persistent), virtualServer({ ...persistent, netmask: '255.255.255.0' })],
    ['persistence engines', virtualServer(persistent), virtualServer({ ...persistent, persistenceEngine: 'sip' })],
    ['real servers', virtualServer(), virtualServer({ realServers: [realServer('10.1.1.1', 80)] })],
    [
      'real server weights',
      virtualServer({ realServers: [realServer('10.1.1.1', 80)] }),
      virtualServer({ realServers: [realServer('10.1.1.1', 80, { weight: 2 })] }),
    ],
    [
      'real server ports',
      virtualServer({ realServers: [realServer('10.1.1.1', 80)] }),
      virtualServer({ realServers: [realServer('10.1.1.1', 81)] }),
    ],
    [
      'forwarding methods',
      virtualServer({ realServers: [realServer('10.1.1.1', 80)] }),
      virtualServer({ realServers: [realServer('10.1.1.1', 80, { forwarding: 'route' })] }),
    ],
  ])('%s', (_, left, right) => {
    expect(canonicalize({ virtualServers: [left] })).not.toEqual(canonicalize({ virtualServers: [right] }))
  })

  it('unknown lines, or different orders of unknown lines', () => {
    const unknownLines = ['-A -f 2 -s rr', '-A -f 1 -s rr']
    expect(canonicalize({ virtualServers: [], unknownLines })).toStrictEqual({ virtualServers: [], unknownLines })
  })
})

describe('a virtual server with an invalid address', () => {
  it('is unchanged in the canonical form', () => {
    const servers = [virtualServer({ address: 'web', realServers: [realServer('010.0.0.1', 80)] })]
    expect(canonicalize({ virtualServers: servers })).toStrictEqual({ virtualServers: servers })
  })
})

describe('sortForPrinting', () => {
  const placesOf = (servers: readonly VirtualServer[]) =>
    sortForPrinting({ virtualServers: servers }).virtualServers.map(({ protocol, address, port }) =>
      [protocol, address, port].join(' '),
    )

  it('sorts servers by family, then protocol, then address, then port', () => {
    const servers = [
      virtualServer({ address: 'fd00::1', protocol: 'TCP' }),
      virtualServer({ address: '10.0.0.1', protocol: 'SCTP' }),
      virtualServer({ address: '10.0.0.2', protocol: 'UDP' }),
      virtualServer({ address: '200.0.0.1', protocol: 'TCP', port: 9 }),
      virtualServer({ address: '9.0.0.1', protocol: 'TCP', port: 10 }),
      virtualServer({ address: '200.0.0.1', protocol: 'TCP', port: 10 }),
      virtualServer({ address: '200.0.0.1', protocol: 'UDP', port: 65535 }),
      virtualServer({ address: '200.0.0.1', protocol: 'UDP', port: 65534 }),
    ]
    const four = [
      ...['TCP 9.0.0.1 10', 'TCP 200.0.0.1 9', 'TCP 200.0.0.1 10'],
      ...['UDP 10.0.0.2 80', 'UDP 200.0.0.1 65534', 'UDP 200.0.0.1 65535'],
    ]
    expect(placesOf(servers)).toEqual([...four, 'SCTP 10.0.0.1 80', 'TCP fd00::1 80'])
    expect(placesOf(servers.slice(1))).toEqual([...four, 'SCTP 10.0.0.1 80'])
  })

  it('sorts a server with an invalid port number among the servers of the same address', () => {
    const [most, next] = [virtualServer({ port: 65536 }), virtualServer({ address: '10.0.0.2', port: 0 })]
    expect(placesOf([next, most])).toEqual(['TCP 10.0.0.1 65536', 'TCP 10.0.0.2 0'])
    const [least, before] = [virtualServer({ port: -1 }), virtualServer({ address: '10.0.0.0', port: 65535 })]
    expect(placesOf([least, before])).toEqual(['TCP 10.0.0.0 65535', 'TCP 10.0.0.1 -1'])
  })

  it('returns the identical server if its real servers are already sorted', () => {
    const server = virtualServer({ realServers: [realServer('10.1.1.1', 80), realServer('10.1.1.2', 80)] })
    expect(sortRealServers(server)).toBe(server)
    const turned = { ...server, realServers: [...server.realServers].reverse() }
    expect(sortRealServers(turned)).toStrictEqual(server)
  })
})
