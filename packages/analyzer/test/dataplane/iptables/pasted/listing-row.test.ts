import { describe, expect, it } from 'vitest'
import {
  readChainHeading,
  readListingColumns,
  readListingRow,
} from '../../../../src/dataplane/iptables/pasted/listing-row.js'

describe('the heading of the columns in a listing', () => {
  it.each([
    ['target     prot opt source               destination', { numbers: false, counters: false }],
    ['num  target     prot opt source               destination', { numbers: true, counters: false }],
    ['pkts bytes target     prot opt in     out     source', { numbers: false, counters: true }],
    ['num   pkts bytes target     prot opt in     out', { numbers: true, counters: true }],
    ['target prot opt', { numbers: false, counters: false }],
    ['target prot options', undefined],
    ['the target prot opt', undefined],
    ['pkts target prot opt', undefined],
  ])('is parsed only if every column is right: %s', (line, columns) => {
    expect(readListingColumns(line)).toEqual(columns)
  })
})

describe('the heading of a chain in iptables -L', () => {
  it.each([
    ['Chain INPUT (policy ACCEPT)', { chain: 'INPUT', policy: 'ACCEPT' }],
    ['Chain FORWARD (policy DROP 12 packets, 345 bytes)', { chain: 'FORWARD', policy: 'DROP' }],
    ['Chain KUBE-SERVICES (2 references)', { chain: 'KUBE-SERVICES' }],
    ['Chain KUBE-SVC-A (1 references)', { chain: 'KUBE-SVC-A' }],
    ['Chain INPUT (policy ACCEPTED)', { chain: 'INPUT' }],
    ['Chain KUBE-SERVICES', { chain: 'KUBE-SERVICES' }],
    ['Chain custom (0 references)', { chain: 'custom' }],
    ['Chain reaction', undefined],
    ['Chain INPUT and more', undefined],
    ['Chain "X"', undefined],
    ['chain INPUT (policy ACCEPT)', undefined],
    ['Chain', undefined],
    ['The Chain INPUT', undefined],
  ])('is parsed only if it is valid: %s', (line, heading) => {
    expect(readChainHeading(line)).toEqual(heading)
  })
})

const ANY = { source: '0.0.0.0/0', destination: '0.0.0.0/0' }

describe('a row of a listing', () => {
  it.each([
    [
      'KUBE-SVC-A  tcp  --  10.244.0.0/16  10.96.0.1  /* ns/a */ tcp dpt:80',
      {
        target: 'KUBE-SVC-A',
        protocol: 'tcp',
        options: '--',
        source: '10.244.0.0/16',
        destination: '10.96.0.1',
        rest: '/* ns/a */ tcp dpt:80',
      },
    ],
    ['ACCEPT all -- 0.0.0.0/0 0.0.0.0/0', { target: 'ACCEPT', protocol: 'all', options: '--', ...ANY, rest: '' }],
    ['all -- 0.0.0.0/0 0.0.0.0/0 /* counts */', { protocol: 'all', options: '--', ...ANY, rest: '/* counts */' }],
    ['ACCEPT 0 -f 0.0.0.0/0 0.0.0.0/0', { target: 'ACCEPT', protocol: '0', options: '-f', ...ANY, rest: '' }],
    ['ACCEPT tcp !f 0.0.0.0/0 0.0.0.0/0', { target: 'ACCEPT', protocol: 'tcp', options: '!f', ...ANY, rest: '' }],
    [
      'ACCEPT !tcp ::/0 ! fd00::/64',
      { target: 'ACCEPT', protocol: '!tcp', options: '', source: '::/0', destination: '!fd00::/64', rest: '' },
    ],
    [
      'KUBE-A all -- anywhere localhost[goto] ctstate NEW',
      {
        target: 'KUBE-A',
        protocol: 'all',
        options: '--',
        source: 'anywhere',
        destination: 'localhost',
        rest: '[goto] ctstate NEW',
      },
    ],
    [
      'ACCEPT udp -- node-1 !2host   ',
      { target: 'ACCEPT', protocol: 'udp', options: '--', source: 'node-1', destination: '!2host', rest: '' },
    ],
    [
      '3  ACCEPT all -- default anywhere',
      { target: 'ACCEPT', protocol: 'all', options: '--', source: 'default', destination: 'anywhere', rest: '' },
    ],
    [
      '12 1200K ACCEPT all -- cni0 !eth0 0.0.0.0/0 0.0.0.0/0 x',
      {
        target: 'ACCEPT',
        protocol: 'all',
        options: '--',
        inInterface: 'cni0',
        outInterface: '!eth0',
        ...ANY,
        rest: 'x',
      },
    ],
    [
      '1 12 3M ACCEPT all -- any * 0.0.0.0/0 0.0.0.0/0',
      { target: 'ACCEPT', protocol: 'all', options: '--', inInterface: 'any', outInterface: '*', ...ANY, rest: '' },
    ],
    [
      '12 3G 0 -- any * 0.0.0.0/0 0.0.0.0/0',
      { protocol: '0', options: '--', inInterface: 'any', outInterface: '*', ...ANY, rest: '' },
    ],
    ['4 6 -- 0.0.0.0/0 0.0.0.0/0', { protocol: '6', options: '--', ...ANY, rest: '' }],
    ['ACCEPT all -- 0.0.0.0/0', undefined],
    ['ACCEPT xyz -- 0.0.0.0/0 0.0.0.0/0', undefined],
    ['ACCEPT all -- A 0.0.0.0/0', undefined],
    ['ACCEPT all -- 0.0.0.0/0 B', undefined],
    ['ACCEPT 1234 -- 0.0.0.0/0 0.0.0.0/0', undefined],
    ['/* a all -- 0.0.0.0/0 0.0.0.0/0', undefined],
    ['12 3 ACCEPT all -- 0.0.0.0/0 0.0.0.0/0', undefined],
  ])('is parsed only if it is valid: %s', (line, row) => {
    expect(readListingRow(line)).toEqual(row)
  })

  it.each(
    'all tcp udp udplite sctp dccp icmp icmpv6 ipv6-icmp esp ah gre ipencap ipv4 ipv6 ospf vrrp igmp pim 6 132'.split(
      ' ',
    ),
  )('with protocol %s is parsed', (protocol) => {
    expect(readListingRow(`ACCEPT ${protocol} -- 0.0.0.0/0 0.0.0.0/0`)?.protocol).toBe(protocol)
  })

  it.each([
    [{ numbers: true, counters: false }, '7 ACCEPT all -- 0.0.0.0/0 0.0.0.0/0', 'ACCEPT', undefined],
    [{ numbers: false, counters: true }, '7 8 ACCEPT all -- a * 0.0.0.0/0 0.0.0.0/0', 'ACCEPT', 'a'],
    [{ numbers: true, counters: true }, '7 8T 9P ACCEPT all -- a * 0.0.0.0/0 0.0.0.0/0', 'ACCEPT', 'a'],
    [{ numbers: false, counters: false }, 'ACCEPT all -- 0.0.0.0/0 0.0.0.0/0', 'ACCEPT', undefined],
  ])('is parsed with the columns %j of its heading: %s', (columns, line, target, inInterface) => {
    expect(readListingRow(line, columns)).toMatchObject({ target, inInterface })
  })

  it('is invalid if it has no number but its heading has a number column', () => {
    expect(readListingRow('ACCEPT all -- 0.0.0.0/0 0.0.0.0/0', { numbers: true, counters: false })).toBeUndefined()
    expect(
      readListingRow('1 ACCEPT all -- a b 0.0.0.0/0 0.0.0.0/0', { numbers: false, counters: true }),
    ).toBeUndefined()
  })
})
