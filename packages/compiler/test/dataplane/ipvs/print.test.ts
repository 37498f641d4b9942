import { describe, expect, it } from 'vitest'
import type { IpvsState, RealServer, VirtualServer } from '../../../src/dataplane/ipvs/ast.js'
import { printListing, printRestore, printSave } from '../../../src/dataplane/ipvs/print.js'
import { realServer, virtualServer } from './states.js'

const HEADER = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
`

describe('the state of a cluster with three API servers', () => {
  const state: IpvsState = {
    virtualServers: [
      virtualServer({
        address: '10.254.0.1',
        port: 443,
        realServers: ['172.27.137.240', '172.27.137.238', '172.27.137.239'].map((ip) => realServer(ip, 6443)),
      }),
    ],
  }
  const lines = `-A -t 10.254.0.1:443 -s rr
-a -t 10.254.0.1:443 -r 172.27.137.238:6443 -m -w 1
-a -t 10.254.0.1:443 -r 172.27.137.239:6443 -m -w 1
-a -t 10.254.0.1:443 -r 172.27.137.240:6443 -m -w 1
`

  it('is printed as input of ipvsadm -R, and in the form of ipvsadm -Sn', () => {
    expect(printRestore(state)).toBe(lines)
    expect(printSave(state)).toBe(lines)
  })

  it('is listed in the form of ipvsadm -Ln', () => {
    expect(printListing(state)).toBe(`${HEADER}TCP  10.254.0.1:443 rr
  -> 172.27.137.238:6443          Masq    1      0          0
  -> 172.27.137.239:6443          Masq    1      0          0
  -> 172.27.137.240:6443          Masq    1      0          0
`)
  })
})

describe('IPv6 and SCTP virtual servers', () => {
  const state: IpvsState = {
    virtualServers: [
      virtualServer({
        address: 'fd00:10:96::10',
        port: 3868,
        protocol: 'SCTP',
        realServers: [realServer('fd00:10:244:1::11', 3868), realServer('fd00:10:244:1::2', 3868)],
      }),
      virtualServer({
        protocol: 'UDP',
        port: 53,
        realServers: [
          realServer('10.1.1.1', 53, { weight: 2147483647 }),
          realServer('10.1.1.2', 53, { weight: 65536 }),
        ],
      }),
    ],
  }
  const lines = `-A -u 10.0.0.1:53 -s rr
-a -u 10.0.0.1:53 -r 10.1.1.1:53 -m -w 2147483647
-a -u 10.0.0.1:53 -r 10.1.1.2:53 -m -w 65536
-A --sctp-service [fd00:10:96::10]:3868 -s rr
-a --sctp-service [fd00:10:96::10]:3868 -r [fd00:10:244:1::2]:3868 -m -w 1
-a --sctp-service [fd00:10:96::10]:3868 -r [fd00:10:244:1::11]:3868 -m -w 1
`

  it('are printed with brackets and the long option for SCTP', () => {
    expect(printRestore(state)).toBe(lines)
    expect(printSave(state)).toBe(lines)
  })

  it('are listed with columns that shift to the right after a long address', () => {
    expect(printListing(state)).toBe(`${HEADER}UDP  10.0.0.1:53 rr
  -> 10.1.1.1:53                  Masq    2147483647 0          0
  -> 10.1.1.2:53                  Masq    65536  0          0
SCTP [fd00:10:96::10]:3868 rr
  -> [fd00:10:244:1::2]:3868      Masq    1      0          0
  -> [fd00:10:244:1::11]:3868     Masq    1      0          0
`)
  })
})

describe('an IPVS state without virtual servers', () => {
  it('is printed as empty text, or as a listing that contains only headers', () => {
    expect(printRestore({ virtualServers: [] })).toBe('')
    expect(printSave({ virtualServers: [] })).toBe('')
    expect(printListing({ virtualServers: [] })).toBe(HEADER)
  })
})

/** The forms of a service, as ipvsadm 1.31 prints them with -Sn and -Ln. */
describe.each<[string, Partial<VirtualServer>, string, string]>([
  ['another scheduler', { scheduler: 'wlc' }, '-A -t 10.0.0.1:80 -s wlc', 'TCP  10.0.0.1:80 wlc'],
  [
    'persistence',
    { flags: 1, timeout: 10800 },
    '-A -t 10.0.0.1:80 -s rr -p 10800',
    'TCP  10.0.0.1:80 rr persistent 10800',
  ],
  [
    'persistence of the whole address',
    { flags: 1, timeout: 360, port: 0 },
    '-A -t 10.0.0.1:0 -s rr -p 360',
    'TCP  10.0.0.1:0 rr persistent 360',
  ],
  [
    'persistence by network',
    { flags: 1, timeout: 10800, netmask: '255.255.255.0' },
    '-A -t 10.0.0.1:80 -s rr -p 10800 -M 255.255.255.0',
    'TCP  10.0.0.1:80 rr persistent 10800 mask 255.255.255.0',
  ],
  [
    'persistence by single address',
    { flags: 1, timeout: 60, netmask: '255.255.255.255' },
    '-A -t 10.0.0.1:80 -s rr -p 60',
    'TCP  10.0.0.1:80 rr persistent 60',
  ],
  [
    'persistence by IPv6 network',
    { flags: 1, timeout: 360, address: 'fd00::1', netmask: '64' },
    '-A -t [fd00::1]:80 -s rr -p 360 -M 64',
    'TCP  [fd00::1]:80 rr persistent 360 mask 64',
  ],
  [
    'persistence by single IPv6 address',
    { flags: 1, timeout: 360, address: 'fd00::1', netmask: '128' },
    '-A -t [fd00::1]:80 -s rr -p 360',
    'TCP  [fd00::1]:80 rr persistent 360',
  ],
  ['a netmask and no persistence', { netmask: '255.255.255.0' }, '-A -t 10.0.0.1:80 -s rr', 'TCP  10.0.0.1:80 rr'],
  [
    'one-packet scheduling',
    { flags: 4, protocol: 'UDP', port: 53 },
    '-A -u 10.0.0.1:53 -s rr -o',
    'UDP  10.0.0.1:53 rr ops',
  ],
  [
    'the flag mh-port',
    { flags: 0x10, scheduler: 'mh' },
    '-A -t 10.0.0.1:80 -s mh -b mh-port',
    'TCP  10.0.0.1:80 mh (mh-port)',
  ],
  [
    'both flags of scheduler sh',
    { flags: 0x18, scheduler: 'sh' },
    '-A -t 10.0.0.1:80 -s sh -b sh-fallback,sh-port',
    'TCP  10.0.0.1:80 sh (sh-fallback,sh-port)',
  ],
  [
    'flags of another scheduler',
    { flags: 0x38 },
    '-A -t 10.0.0.1:80 -s rr -b flag-1,flag-2,flag-3',
    'TCP  10.0.0.1:80 rr (flag-1,flag-2,flag-3)',
  ],
  [
    'all options over TCP',
    {
      flags: 0x19,
      scheduler: 'mh',
      timeout: 60,
      netmask: '255.255.255.0',
      persistenceEngine: 'sip',
    },
    '-A -t 10.0.0.1:80 -s mh -p 60 -M 255.255.255.0 --pe sip -b mh-fallback,mh-port',
    'TCP  10.0.0.1:80 mh (mh-fallback,mh-port) persistent 60 mask 255.255.255.0 pe sip',
  ],
  [
    'all options over UDP',
    { flags: 0x15, protocol: 'UDP', port: 53, scheduler: 'mh', timeout: 60, netmask: '255.255.255.0' },
    '-A -u 10.0.0.1:53 -s mh -p 60 -M 255.255.255.0 -o -b mh-port',
    'UDP  10.0.0.1:53 mh (mh-port) persistent 60 mask 255.255.255.0 ops',
  ],
  ['the flag that the kernel sets itself', { flags: 0x2 }, '-A -t 10.0.0.1:80 -s rr', 'TCP  10.0.0.1:80 rr'],
])('a virtual server with %s', (_, more, line, listing) => {
  const state = { virtualServers: [virtualServer(more)] }

  it('is printed as input of ipvsadm -R, and in the save format', () => {
    expect(printRestore(state)).toBe(`${line}\n`)
    expect(printSave(state)).toBe(`${line}\n`)
  })

  it('is printed in the listing', () => {
    expect(printListing(state)).toBe(`${HEADER}${listing}\n`)
  })
})

/** The forms of a real server, as ipvsadm 1.31 prints them. */
describe.each<[string, Partial<RealServer>, string, string, string]>([
  ['masquerading', {}, ':8080 -m -w 1', ':8080 -m -w 1', ':8080                Masq    1      0          0'],
  ['weight 0', { weight: 0 }, ':8080 -m -w 0', ':8080 -m -w 0', ':8080                Masq    0      0          0'],
  [
    'routing',
    { forwarding: 'route' },
    ':8080 -g -w 1',
    ':80 -g -w 1',
    ':80                  Route   1      0          0',
  ],
  [
    'a tunnel',
    { forwarding: 'tunnel' },
    ':8080 -i -w 1',
    ':80 -i -w 1 --tun-type ipip',
    ':80                  Tunnel  1      0          0',
  ],
  [
    'a gue tunnel',
    { forwarding: 'tunnel', options: ['--tun-type', 'gue', '--tun-port', '6080'] },
    ':8080 -i -w 1 --tun-type gue --tun-port 6080',
    ':80 -i -w 1 --tun-type gue --tun-port 6080 --tun-nocsum',
    ':80                  Tunnel  1      0          0',
  ],
  [
    'a gre tunnel',
    { forwarding: 'tunnel', options: ['--tun-type', 'gre', '--tun-csum'] },
    ':8080 -i -w 1 --tun-type gre --tun-csum',
    ':80 -i -w 1 --tun-type gre --tun-csum',
    ':80                  Tunnel  1      0          0',
  ],
  [
    'thresholds',
    { options: ['-x', '100', '-y', '50'] },
    ':8080 -m -w 1 -x 100 -y 50',
    ':8080 -m -w 1',
    ':8080                Masq    1      0          0',
  ],
])('a real server with %s', (_, more, restore, save, listing) => {
  const state = { virtualServers: [virtualServer({ realServers: [realServer('10.1.1.1', 8080, more)] })] }
  const first = '-A -t 10.0.0.1:80 -s rr\n-a -t 10.0.0.1:80 -r 10.1.1.1'

  it('is printed in all three formats', () => {
    expect(printRestore(state)).toBe(`${first}${restore}\n`)
    expect(printSave(state)).toBe(`${first}${save}\n`)
    expect(printListing(state)).toBe(`${HEADER}TCP  10.0.0.1:80 rr\n  -> 10.1.1.1${listing}\n`)
  })
})

describe('a virtual server of every protocol, family, affinity and scheduler', () => {
  const protocols = [
    ['TCP', '-t'],
    ['UDP', '-u'],
    ['SCTP', '--sctp-service'],
  ] as const
  const addresses = [
    ['10.96.0.10', '10.96.0.10:53'],
    ['fd00::a', '[fd00::a]:53'],
  ] as const
  const affinities = [
    [0, 0, ''],
    [1, 10800, ' -p 10800'],
  ] as const
  const schedulers = [
    ['rr', 0, ''],
    ['mh', 0, ''],
    ['mh', 0x10, ' -b mh-port'],
  ] as const
  const cells = protocols.flatMap(([protocol, option]) =>
    addresses.flatMap(([address, place]) =>
      affinities.flatMap(([persistent, timeout, affinity]) =>
        schedulers.map(([scheduler, hash, flags]) => ({
          server: virtualServer({ address, port: 53, protocol, scheduler, flags: persistent | hash, timeout }),
          line: `-A ${option} ${place} -s ${scheduler}${affinity}${flags}`,
        })),
      ),
    ),
  )

  it.each(cells)('is printed as: $line', ({ server, line }) => {
    expect(printRestore({ virtualServers: [server] })).toBe(`${line}\n`)
    expect(printSave({ virtualServers: [server] })).toBe(`${line}\n`)
  })
})

describe('the printed servers', () => {
  it('are sorted by family, protocol, address and port number', () => {
    const places = [
      ['10.0.0.2', 443, 'TCP', '-t 10.0.0.2:443'],
      ['10.0.0.10', 80, 'TCP', '-t 10.0.0.10:80'],
      ['10.0.0.10', 443, 'TCP', '-t 10.0.0.10:443'],
      ['192.0.2.1', 80, 'TCP', '-t 192.0.2.1:80'],
      ['9.0.0.1', 53, 'UDP', '-u 9.0.0.1:53'],
      ['1.1.1.1', 1, 'SCTP', '--sctp-service 1.1.1.1:1'],
      ['::2', 80, 'TCP', '-t [::2]:80'],
      ['2001:db8::', 80, 'TCP', '-t [2001:db8::]:80'],
      ['fd00::a', 80, 'TCP', '-t [fd00::a]:80'],
      ['fd00::10', 80, 'TCP', '-t [fd00::10]:80'],
      ['fd00:1:1:1:1:1:1:1', 80, 'TCP', '-t [fd00:1:1:1:1:1:1:1]:80'],
      ['::1', 53, 'UDP', '-u [::1]:53'],
    ] as const
    const servers = places.map(([address, port, protocol]) => virtualServer({ address, port, protocol }))
    const expected = places.map(([, , , service]) => `-A ${service} -s rr\n`).join('')
    expect(printRestore({ virtualServers: [...servers].reverse() })).toBe(expected)
    expect(printSave({ virtualServers: servers })).toBe(expected)
  })

  it('have their real servers sorted by address and port', () => {
    const servers = [realServer('10.1.1.10', 80), realServer('10.1.1.9', 443), realServer('10.1.1.9', 80)]
    const lines = printRestore({ virtualServers: [virtualServer({ realServers: servers })] }).split('\n')
    expect(lines.slice(1, -1).map((line) => line.split(' ')[4])).toEqual([
      '10.1.1.9:80',
      '10.1.1.9:443',
      '10.1.1.10:80',
    ])
  })
})

describe('unknown lines of an IPVS state', () => {
  it('are printed unchanged after all other lines', () => {
    const state = {
      virtualServers: [virtualServer()],
      unknownLines: ['-A -f 1 -s rr', '-a -f 1 -r 10.0.0.2:0 -g -w 1'],
    }
    const unknown = '-A -f 1 -s rr\n-a -f 1 -r 10.0.0.2:0 -g -w 1\n'
    expect(printRestore(state)).toBe(`-A -t 10.0.0.1:80 -s rr\n${unknown}`)
    expect(printSave(state)).toBe(`-A -t 10.0.0.1:80 -s rr\n${unknown}`)
    expect(printListing(state)).toBe(`${HEADER}TCP  10.0.0.1:80 rr\n${unknown}`)
  })
})

describe('the IPVS printers', () => {
  it.each<[string, Partial<VirtualServer>]>([
    ['an invalid address', { address: 'localhost' }],
    ['an IPv4-mapped address', { address: '010.0.0.1' }],
    ['an address with a second line', { address: '::ffff:10.0.0.1' }],
    ['an address with a line', { address: '10.0.0.1:80 -s rr\n-C' }],
    ['an invalid port', { port: 65536 }],
    ['a port that is not a number', { port: Number.NaN }],
    ['an unknown protocol', { protocol: 'ICMP' as 'TCP' }],
    ['a protocol that is the name of a prototype member', { protocol: 'constructor' as 'TCP' }],
    ['an empty scheduler', { scheduler: '' }],
    ['a scheduler that is an option', { scheduler: '-C' }],
    ['a scheduler of two words', { scheduler: 'rr -o' }],
    ['a scheduler of two lines', { scheduler: 'rr\n-C' }],
    ['an unknown flag', { flags: 0x40 }],
    ['flags that are not a number', { flags: 0.5 }],
    ['a timeout that is not a number', { flags: 1, timeout: Number.POSITIVE_INFINITY }],
    ['a negative timeout', { flags: 1, timeout: -1 }],
    ['a netmask of two words', { flags: 1, netmask: '64 -o' }],
    ['a persistence engine of two words', { flags: 1, persistenceEngine: 'sip -o' }],
    ['a real server with a host name', { realServers: [realServer('web', 80)] }],
    ['a weight out of range', { realServers: [realServer('10.1.1.1', 80, { weight: 2147483648 })] }],
    [
      'an unknown forwarding method',
      { realServers: [realServer('10.1.1.1', 80, { forwarding: 'toString' as 'route' })] },
    ],
  ])('reject %s', (_, more) => {
    const state = { virtualServers: [virtualServer(more)] }
    expect(() => printRestore(state)).toThrow(/bug in kube-rules/)
    expect(() => printSave(state)).toThrow(/bug in kube-rules/)
    expect(() => printListing(state)).toThrow(/bug in kube-rules/)
  })

  it('reject invalid options of a real server', () => {
    const server = realServer('10.1.1.1', 80, { options: ['-x', '1\n-C'] })
    expect(() => printRestore({ virtualServers: [virtualServer({ realServers: [server] })] })).toThrow(/bug in/)
  })

  it.each(['', ' ', '-A -f 1 -s rr\n-C', '-A -f 1\t-s rr', '-A  -f 1', '-A -f é'])(
    'reject the unknown line %j',
    (line) => {
      expect(() => printRestore({ virtualServers: [], unknownLines: [line] })).toThrow(/bug in kube-rules/)
    },
  )
})
