import type { Entry, HashSet, HashSetType, IpSet, PortBitmap } from '../../../src/dataplane/ipset/ast.js'

/** Builds a hash set with ipset's defaults. */
export function hashSet(
  type: HashSetType,
  name: string,
  entries: readonly Entry[],
  more: Partial<HashSet> = {},
): HashSet {
  return { type, name, family: 'inet', hashsize: 1024, maxelem: 65536, ...more, entries }
}

/** Builds a bitmap of all ports. */
export function portBitmap(name: string, ports: readonly number[], more: Partial<PortBitmap> = {}): PortBitmap {
  const entries = ports.map((port) => ({ kind: 'port', port }) as const)
  return { type: 'bitmap:port', name, firstPort: 0, lastPort: 65535, entries, ...more }
}

interface Case {
  readonly title: string
  readonly set: IpSet
  /** The text of `printRestore`. */
  readonly restore: string
  /** The output of `ipset -sorted save` of ipset 7.17 after loading `restore`, without bucketsize and initval. */
  readonly save: string
  /** The texts of the normal form's entries, in its order. */
  readonly canonical: readonly string[]
}

/** One case per set type and family, with every spelling that the kernel changes. */
export const CASES: readonly Case[] = [
  {
    title: 'hash:ip inet',
    set: hashSet('hash:ip', 'IPS', [
      { kind: 'ip', address: '10.0.0.10' },
      { kind: 'ip', address: '9.1.1.1' },
      { kind: 'ip', address: '10.0.0.9' },
    ]),
    restore: `create IPS hash:ip family inet hashsize 1024 maxelem 65536
add IPS 10.0.0.10
add IPS 9.1.1.1
add IPS 10.0.0.9
`,
    save: `create IPS hash:ip family inet hashsize 1024 maxelem 65536
add IPS 9.1.1.1
add IPS 10.0.0.9
add IPS 10.0.0.10
`,
    canonical: ['10.0.0.10', '10.0.0.9', '9.1.1.1'],
  },
  {
    title: 'hash:ip inet6',
    set: hashSet(
      'hash:ip',
      'IPS-6',
      [
        { kind: 'ip', address: 'FD00:0::0001' },
        { kind: 'ip', address: '::a' },
        { kind: 'ip', address: '::10' },
        { kind: 'ip', address: '1::2' },
        { kind: 'ip', address: '1::' },
      ],
      { family: 'inet6', hashsize: 64, maxelem: 10 },
    ),
    restore: `create IPS-6 hash:ip family inet6 hashsize 64 maxelem 10
add IPS-6 FD00:0::0001
add IPS-6 ::a
add IPS-6 ::10
add IPS-6 1::2
add IPS-6 1::
`,
    save: `create IPS-6 hash:ip family inet6 hashsize 64 maxelem 10
add IPS-6 ::10
add IPS-6 ::a
add IPS-6 1::
add IPS-6 1::2
add IPS-6 fd00::1
`,
    canonical: ['1::', '1::2', '::10', '::a', 'fd00::1'],
  },
  {
    title: 'hash:ip,port inet',
    set: hashSet('hash:ip,port', 'CLUSTER-IP', [
      { kind: 'ip,port', address: '10.0.0.10', protocol: '132', port: 9 },
      { kind: 'ip,port', address: '10.0.0.10', protocol: 'tcp', port: 443 },
      { kind: 'ip,port', address: '10.0.0.10', protocol: 'udp', port: 53 },
      { kind: 'ip,port', address: '10.0.0.10', protocol: '6', port: 80 },
      { kind: 'ip,port', address: '192.0.2.1', protocol: '136', port: 0 },
      { kind: 'ip,port', address: '9.0.0.1', protocol: 'tcp', port: 5 },
    ]),
    restore: `create CLUSTER-IP hash:ip,port family inet hashsize 1024 maxelem 65536
add CLUSTER-IP 10.0.0.10,132:9
add CLUSTER-IP 10.0.0.10,tcp:443
add CLUSTER-IP 10.0.0.10,udp:53
add CLUSTER-IP 10.0.0.10,6:80
add CLUSTER-IP 192.0.2.1,136:0
add CLUSTER-IP 9.0.0.1,tcp:5
`,
    save: `create CLUSTER-IP hash:ip,port family inet hashsize 1024 maxelem 65536
add CLUSTER-IP 9.0.0.1,tcp:5
add CLUSTER-IP 10.0.0.10,tcp:80
add CLUSTER-IP 10.0.0.10,tcp:443
add CLUSTER-IP 10.0.0.10,udp:53
add CLUSTER-IP 10.0.0.10,sctp:9
add CLUSTER-IP 192.0.2.1,udplite:0
`,
    canonical: [
      '10.0.0.10,sctp:9',
      '10.0.0.10,tcp:443',
      '10.0.0.10,tcp:80',
      '10.0.0.10,udp:53',
      '192.0.2.1,udplite:0',
      '9.0.0.1,tcp:5',
    ],
  },
  {
    title: 'hash:ip,port inet6',
    set: hashSet(
      'hash:ip,port',
      'CLUSTER-IP-6',
      [
        { kind: 'ip,port', address: 'fd00::10', protocol: '17', port: 80 },
        { kind: 'ip,port', address: 'fd00::a', protocol: 'tcp', port: 80 },
        { kind: 'ip,port', address: 'FD00::1', protocol: 'sctp', port: 80 },
        { kind: 'ip,port', address: '2001:db8::1', protocol: 'tcp', port: 80 },
      ],
      { family: 'inet6' },
    ),
    restore: `create CLUSTER-IP-6 hash:ip,port family inet6 hashsize 1024 maxelem 65536
add CLUSTER-IP-6 fd00::10,17:80
add CLUSTER-IP-6 fd00::a,tcp:80
add CLUSTER-IP-6 FD00::1,sctp:80
add CLUSTER-IP-6 2001:db8::1,tcp:80
`,
    save: `create CLUSTER-IP-6 hash:ip,port family inet6 hashsize 1024 maxelem 65536
add CLUSTER-IP-6 2001:db8::1,tcp:80
add CLUSTER-IP-6 fd00::1,sctp:80
add CLUSTER-IP-6 fd00::a,tcp:80
add CLUSTER-IP-6 fd00::10,udp:80
`,
    canonical: ['2001:db8::1,tcp:80', 'fd00::1,sctp:80', 'fd00::10,udp:80', 'fd00::a,tcp:80'],
  },
  {
    title: 'hash:ip,port,ip inet',
    set: hashSet('hash:ip,port,ip', 'LOOP-BACK', [
      { kind: 'ip,port,ip', address: '10.0.0.9', protocol: '6', port: 80, secondAddress: '10.0.0.10' },
      { kind: 'ip,port,ip', address: '10.0.0.9', protocol: 'tcp', port: 80, secondAddress: '10.0.0.9' },
    ]),
    restore: `create LOOP-BACK hash:ip,port,ip family inet hashsize 1024 maxelem 65536
add LOOP-BACK 10.0.0.9,6:80,10.0.0.10
add LOOP-BACK 10.0.0.9,tcp:80,10.0.0.9
`,
    save: `create LOOP-BACK hash:ip,port,ip family inet hashsize 1024 maxelem 65536
add LOOP-BACK 10.0.0.9,tcp:80,10.0.0.9
add LOOP-BACK 10.0.0.9,tcp:80,10.0.0.10
`,
    canonical: ['10.0.0.9,tcp:80,10.0.0.10', '10.0.0.9,tcp:80,10.0.0.9'],
  },
  {
    title: 'hash:ip,port,ip inet6',
    set: hashSet(
      'hash:ip,port,ip',
      'LOOP-BACK-6',
      [{ kind: 'ip,port,ip', address: 'FD00::9', protocol: '6', port: 80, secondAddress: 'fd00:0::9' }],
      { family: 'inet6' },
    ),
    restore: `create LOOP-BACK-6 hash:ip,port,ip family inet6 hashsize 1024 maxelem 65536
add LOOP-BACK-6 FD00::9,6:80,fd00:0::9
`,
    save: `create LOOP-BACK-6 hash:ip,port,ip family inet6 hashsize 1024 maxelem 65536
add LOOP-BACK-6 fd00::9,tcp:80,fd00::9
`,
    canonical: ['fd00::9,tcp:80,fd00::9'],
  },
  {
    title: 'hash:ip,port,net inet',
    set: hashSet('hash:ip,port,net', 'SOURCE-CIDR', [
      { kind: 'ip,port,net', address: '1.1.1.1', protocol: 'tcp', port: 80, network: '10.0.0.0/8' },
      { kind: 'ip,port,net', address: '1.1.1.1', protocol: 'tcp', port: 80, network: '10.0.0.77/24' },
      { kind: 'ip,port,net', address: '1.1.1.1', protocol: '6', port: 80, network: '10.0.0.0/32' },
      { kind: 'ip,port,net', address: '1.1.1.1', protocol: 'tcp', port: 80, network: '10.0.0.99' },
      { kind: 'ip,port,net', address: '1.1.1.1', protocol: 'tcp', port: 80, network: '9.0.0.0/8' },
      { kind: 'ip,port,net', address: '1.1.1.1', protocol: 'tcp', port: 443, network: '10.0.0.0/9' },
    ]),
    restore: `create SOURCE-CIDR hash:ip,port,net family inet hashsize 1024 maxelem 65536
add SOURCE-CIDR 1.1.1.1,tcp:80,10.0.0.0/8
add SOURCE-CIDR 1.1.1.1,tcp:80,10.0.0.77/24
add SOURCE-CIDR 1.1.1.1,6:80,10.0.0.0/32
add SOURCE-CIDR 1.1.1.1,tcp:80,10.0.0.99
add SOURCE-CIDR 1.1.1.1,tcp:80,9.0.0.0/8
add SOURCE-CIDR 1.1.1.1,tcp:443,10.0.0.0/9
`,
    save: `create SOURCE-CIDR hash:ip,port,net family inet hashsize 1024 maxelem 65536
add SOURCE-CIDR 1.1.1.1,tcp:80,9.0.0.0/8
add SOURCE-CIDR 1.1.1.1,tcp:80,10.0.0.0
add SOURCE-CIDR 1.1.1.1,tcp:80,10.0.0.0/24
add SOURCE-CIDR 1.1.1.1,tcp:80,10.0.0.0/8
add SOURCE-CIDR 1.1.1.1,tcp:80,10.0.0.99
add SOURCE-CIDR 1.1.1.1,tcp:443,10.0.0.0/9
`,
    canonical: [
      '1.1.1.1,tcp:443,10.0.0.0/9',
      '1.1.1.1,tcp:80,10.0.0.0',
      '1.1.1.1,tcp:80,10.0.0.0/24',
      '1.1.1.1,tcp:80,10.0.0.0/8',
      '1.1.1.1,tcp:80,10.0.0.99',
      '1.1.1.1,tcp:80,9.0.0.0/8',
    ],
  },
  {
    title: 'hash:ip,port,net inet6',
    set: hashSet(
      'hash:ip,port,net',
      'SOURCE-CIDR-6',
      [
        { kind: 'ip,port,net', address: 'fd00::1', protocol: 'tcp', port: 80, network: 'fd00::/64' },
        { kind: 'ip,port,net', address: 'fd00::1', protocol: 'tcp', port: 80, network: 'fd00::7/128' },
        { kind: 'ip,port,net', address: 'fd00::1', protocol: 'tcp', port: 80, network: '2001:DB8::1/32' },
        { kind: 'ip,port,net', address: 'fd00::1', protocol: 'tcp', port: 80, network: 'fd00::123' },
      ],
      { family: 'inet6' },
    ),
    restore: `create SOURCE-CIDR-6 hash:ip,port,net family inet6 hashsize 1024 maxelem 65536
add SOURCE-CIDR-6 fd00::1,tcp:80,fd00::/64
add SOURCE-CIDR-6 fd00::1,tcp:80,fd00::7/128
add SOURCE-CIDR-6 fd00::1,tcp:80,2001:DB8::1/32
add SOURCE-CIDR-6 fd00::1,tcp:80,fd00::123
`,
    save: `create SOURCE-CIDR-6 hash:ip,port,net family inet6 hashsize 1024 maxelem 65536
add SOURCE-CIDR-6 fd00::1,tcp:80,2001:db8::/32
add SOURCE-CIDR-6 fd00::1,tcp:80,fd00::7
add SOURCE-CIDR-6 fd00::1,tcp:80,fd00::/64
add SOURCE-CIDR-6 fd00::1,tcp:80,fd00::123
`,
    canonical: [
      'fd00::1,tcp:80,2001:db8::/32',
      'fd00::1,tcp:80,fd00::/64',
      'fd00::1,tcp:80,fd00::123',
      'fd00::1,tcp:80,fd00::7',
    ],
  },
  {
    title: 'bitmap:port',
    set: portBitmap('NODE-PORT-TCP', [30080, 443, 80]),
    restore: `create NODE-PORT-TCP bitmap:port range 0-65535
add NODE-PORT-TCP 30080
add NODE-PORT-TCP 443
add NODE-PORT-TCP 80
`,
    save: `create NODE-PORT-TCP bitmap:port range 0-65535
add NODE-PORT-TCP 80
add NODE-PORT-TCP 443
add NODE-PORT-TCP 30080
`,
    canonical: ['30080', '443', '80'],
  },
  {
    title: 'a type of which the tree knows nothing',
    set: {
      type: 'unknown',
      name: 'NETS',
      words: ['hash:net', 'family', 'inet', 'hashsize', '1024', 'maxelem', '65536'],
      entries: [
        { kind: 'unknown', text: '10.0.0.0/8', options: ['nomatch'] },
        { kind: 'unknown', text: '9.0.0.0/8' },
      ],
    },
    restore: `create NETS hash:net family inet hashsize 1024 maxelem 65536
add NETS 10.0.0.0/8 nomatch
add NETS 9.0.0.0/8
`,
    save: `create NETS hash:net family inet hashsize 1024 maxelem 65536
add NETS 9.0.0.0/8
add NETS 10.0.0.0/8 nomatch
`,
    canonical: ['10.0.0.0/8', '9.0.0.0/8'],
  },
]
