import { describe, expect, it } from 'vitest'
import type { ConntrackEntryFilter } from '../../../src/dataplane/conntrack/ast.js'
import { createDeletionArguments, formatConntrackFilter } from '../../../src/dataplane/conntrack/print.js'

const IPV4 = { family: 'IPv4', protocol: 'udp' } as const
const IPV6 = { family: 'IPv6', protocol: 'udp' } as const

const CASES: readonly (readonly [text: string, deletion: string, filter: ConntrackEntryFilter])[] = [
  ['ip udp 10.96.0.10', '-D --orig-dst 10.96.0.10 -p udp', { kind: 'ip', ...IPV4, originalDestination: '10.96.0.10' }],
  [
    'ip udp fd00:10:96::a',
    '-D --orig-dst fd00:10:96::a -p udp -f ipv6',
    { kind: 'ip', ...IPV6, originalDestination: 'fd00:10:96::a' },
  ],
  ['port udp 30053', '-D -p udp --dport 30053', { kind: 'port', ...IPV4, destinationPort: 30053 }],
  ['port udp 1', '-D -p udp --dport 1 -f ipv6', { kind: 'port', ...IPV6, destinationPort: 1 }],
  [
    'nat udp 10.96.0.10 10.244.2.1',
    '-D --orig-dst 10.96.0.10 --dst-nat 10.244.2.1 -p udp',
    { kind: 'nat', ...IPV4, originalDestination: '10.96.0.10', natDestination: '10.244.2.1' },
  ],
  [
    'nat udp fd00:10:96::a fd00:10:244::1',
    '-D --orig-dst fd00:10:96::a --dst-nat fd00:10:244::1 -p udp -f ipv6',
    { kind: 'nat', ...IPV6, originalDestination: 'fd00:10:96::a', natDestination: 'fd00:10:244::1' },
  ],
  [
    'portnat udp 65535 10.244.2.1',
    '-D -p udp --dport 65535 --dst-nat 10.244.2.1',
    { kind: 'portnat', ...IPV4, destinationPort: 65535, natDestination: '10.244.2.1' },
  ],
  [
    'portnat udp 30053 fd00:10:244::1',
    '-D -p udp --dport 30053 --dst-nat fd00:10:244::1 -f ipv6',
    { kind: 'portnat', ...IPV6, destinationPort: 30053, natDestination: 'fd00:10:244::1' },
  ],
  [
    'ip tcp 10.96.0.10',
    '-D --orig-dst 10.96.0.10 -p tcp',
    { kind: 'ip', family: 'IPv4', protocol: 'tcp', originalDestination: '10.96.0.10' },
  ],
  [
    'port sctp 30053',
    '-D -p sctp --dport 30053',
    { kind: 'port', family: 'IPv4', protocol: 'sctp', destinationPort: 30053 },
  ],
]

describe.each(CASES)('the conntrack filter %s', (text, deletion, filter) => {
  it('is converted to these arguments of conntrack -D', () => {
    expect(createDeletionArguments(filter)).toEqual(deletion.split(' '))
  })

  it('is formatted as its expected text', () => {
    expect(formatConntrackFilter(filter)).toBe(text)
  })
})

const ADDRESSES = ['', '-F', '10.96.0.10 -F', '10.96.0.10\n', '010.96.0.10', '10.96.0.0/16', 'localhost', 'fd00::1']
const PORTS = [0, -1, 65536, 30053.5, Number.NaN]

describe('the conntrack printers reject', () => {
  const rejected = (filter: unknown, message: string) => {
    expect(() => createDeletionArguments(filter as ConntrackEntryFilter)).toThrow(message)
    expect(() => formatConntrackFilter(filter as ConntrackEntryFilter)).toThrow(message)
  }

  it.each(ADDRESSES)('the IPv4 address %j', (address) => {
    const message = `conntrack does not accept the IPv4 address ${JSON.stringify(address)}`
    rejected({ kind: 'ip', ...IPV4, originalDestination: address }, message)
    rejected({ kind: 'nat', ...IPV4, originalDestination: '10.96.0.10', natDestination: address }, message)
    rejected({ kind: 'portnat', ...IPV4, destinationPort: 30053, natDestination: address }, message)
  })

  it('an IPv4 address in a filter for IPv6', () => {
    const filter = { kind: 'ip', ...IPV6, originalDestination: '10.96.0.10' }
    rejected(filter, 'conntrack does not accept the IPv6 address "10.96.0.10"')
  })

  it.each(PORTS)('the port %d', (port) => {
    rejected({ kind: 'port', ...IPV4, destinationPort: port }, `conntrack does not accept the port ${port}`)
  })

  it.each(['UDP', 'udp -F', '', undefined])('the protocol %j', (protocol) => {
    rejected({ kind: 'port', family: 'IPv4', protocol, destinationPort: 53 }, 'conntrack does not accept the protocol')
  })
})
