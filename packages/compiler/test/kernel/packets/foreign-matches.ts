import type { IpFamily } from '@kube-rules/types'
import type { KernelPacket } from '../../../../analyzer/src/program/kernel-packet.js'
import type { Hook } from '../../../src/dataplane/netfilter/hooks.js'
import { ADDRESSES, type Place } from './topology.js'

// Matches of other programs, each in a rule without a target. The counter of the rule shows whether the first packet of a
// connection matched.

/** A packet at a hook, with the rules that it meets there. */
export interface MatchSituation {
  readonly name: string
  readonly family: IpFamily
  readonly from: Place
  readonly to: { readonly address: string; readonly port: number }
  readonly protocol: 'tcp' | 'udp'
  readonly hook: Hook
  readonly table: 'raw' | 'mangle' | 'filter'
  /** Rules of the tables raw and nat, in the format of iptables-restore. */
  readonly others?: string
  /** The packet at the hook, as far as it differs from a packet of the client. */
  readonly packet: Partial<KernelPacket>
  /** The matches; `PROTOCOL` is the protocol of the packet. */
  readonly matches: readonly string[]
}

const { client, node, pod1 } = ADDRESSES

/** Matches that are valid at every hook, for a packet to port 8080 of the pod. */
const ANYWHERE: readonly string[] = [
  ...['-d 10.244.1.11/32', '! -d 10.244.1.11/32', '-d 10.244.0.0/16', '-f', '! -f'],
  ...['--dports 80,8080', '--dports 80,443', '--dports 1:8079', '--ports 8080', '--sports 1:1023'].flatMap((ports) => [
    `-p PROTOCOL -m multiport ${ports}`,
    `-p PROTOCOL -m multiport ! ${ports}`,
  ]),
  ...['-m iprange --dst-range 10.244.1.0-10.244.1.20', '-m iprange ! --dst-range 10.244.1.0-10.244.1.20'],
  ...['UNICAST', 'LOCAL', 'MULTICAST', 'BROADCAST', 'BLACKHOLE', 'UNICAST,LOCAL'].flatMap((type) => [
    `-m addrtype --dst-type ${type}`,
    `-m addrtype ! --src-type ${type}`,
  ]),
  ...['unicast', 'broadcast', 'multicast'].flatMap((type) => [
    `-m pkttype --pkt-type ${type}`,
    `-m pkttype ! --pkt-type ${type}`,
  ]),
  ...['28:', '0:27', ':65535'].map((range) => `-m length --length ${range}`),
  ...['-p icmp -m icmp --icmp-type 8', '-p icmp -m icmp ! --icmp-type 8', '-p esp -m esp --espspi 1', '-p 255'],
  ...['NEW', 'NEW,ESTABLISHED', 'ESTABLISHED', 'INVALID', 'UNTRACKED', 'RELATED'].flatMap((state) => [
    `-m state --state ${state}`,
    `-m conntrack --ctstate ${state}`,
    `-m conntrack ! --ctstate ${state}`,
  ]),
  ...['DNAT', 'SNAT', 'NEW,DNAT'].flatMap((state) => [
    `-m conntrack --ctstate ${state}`,
    `-m conntrack ! --ctstate ${state}`,
  ]),
  ...[
    ...['--ctproto PROTOCOL', '--ctproto icmp', '--ctorigsrc 192.0.2.0/24', '--ctorigdst 198.51.100.50'],
    ...['--ctorigdst 10.244.1.11', '--ctorigdstport 80', '--ctorigdstport 8000:9000', '--ctreplsrc 10.244.1.11'],
    ...['--ctreplsrcport 8080', '--ctrepldst 192.0.2.2', '--ctstatus NONE', '--ctstatus CONFIRMED,EXPECTED'],
    ...['--ctstatus ASSURED,SEEN_REPLY', '--ctexpire 0', '--ctexpire 1:1000'],
  ].flatMap((option) => [`-m conntrack ${option}`, `-m conntrack ! ${option}`]),
  ...['--ctdir ORIGINAL', '--ctdir REPLY', '--ctstate NEW --ctorigdst 9.9.9.9'].map((each) => `-m conntrack ${each}`),
  ...['--ctstate UNTRACKED --ctorigdst 9.9.9.9', '! --ctstate NEW --ctorigdst 9.9.9.9'].map(
    (each) => `-m conntrack ${each}`,
  ),
  ...['0', '0x80/0x80', '0x0/0x80', '5'].flatMap((mark) => [
    `-m connmark --mark ${mark}`,
    `-m connmark ! --mark ${mark}`,
    `-m mark --mark ${mark}`,
    `-m mark ! --mark ${mark}`,
  ]),
  ...['1 --connbytes-dir original', '2 --connbytes-dir original', '0:0 --connbytes-dir reply', '1 --connbytes-dir both']
    .map((each) => `${each} --connbytes-mode packets`)
    .flatMap((each) => [`-m connbytes --connbytes ${each}`, `-m connbytes ! --connbytes ${each}`]),
  ...['-m connbytes --connbytes 1:5 --connbytes-dir reply --connbytes-mode bytes'],
  ...['-m connlimit --connlimit-above 0', '-m connlimit --connlimit-upto 0', '-m helper --helper ftp'],
  ...['-m helper ! --helper ftp', '-m quota --quota 0', '-m quota ! --quota 0'],
  ...[
    '-m statistic --mode nth --every 1 --packet 0',
    '-m statistic --mode nth ! --every 1 --packet 0',
    '-m comment --comment x',
  ],
  ...['-m recent --name A --rcheck', '-m recent --name A ! --rcheck', '-m recent --name B --set'],
  ...[
    '-m recent --name C ! --set',
    '-m recent --name D --update --seconds 5 --hitcount 2',
    '-m recent --name E --remove',
  ],
  ...['-m physdev --physdev-is-in', '-m physdev ! --physdev-is-in', '-m physdev --physdev-in eth0'],
  ...['-m physdev ! --physdev-in eth0', '-m physdev ! --physdev-is-bridged', '-m ttl --ttl-gt 0'],
]

const TCP: readonly string[] = [
  ...[
    '--syn',
    '--tcp-flags FIN,SYN,RST,ACK SYN',
    '--tcp-flags ALL NONE',
    '--tcp-flags ALL SYN',
    '--tcp-flags FIN,RST NONE',
  ],
  ...['--tcp-flags SYN,RST SYN,RST', '--tcp-flags ACK ACK', '--dport 8080', '--dport 80:8079', '--sport 1:1023'],
].flatMap((option) => [`-p tcp -m tcp ${option}`, `-p tcp -m tcp ! ${option}`])

const OF_PROCESS = ['--uid-owner 4242', '--gid-owner 4242', '--socket-exists'].flatMap((option) => [
  `-m owner ${option}`,
  `-m owner ! ${option}`,
])

/** Matches of IPv6 only, for a packet to port 8080 of the pod. */
const IPV6: readonly string[] = [
  ...['-d fd00:244:1::11/128', '-d fd00:244:1::/64', '! -s 2001:db8::/32', '-m state --state NEW', '-p 58'],
  ...['UNICAST', 'LOCAL', 'MULTICAST', 'UNICAST,LOCAL', 'MULTICAST,UNICAST', 'UNSPEC'].flatMap((type) => [
    `-m addrtype --dst-type ${type}`,
    `-m addrtype ! --src-type ${type}`,
  ]),
  ...['prot', 'hop', 'hop,prot', 'none'].flatMap((headers) => [
    `-m ipv6header --header ${headers}`,
    `-m ipv6header ! --header ${headers}`,
    `-m ipv6header --header ${headers} --soft`,
    `-m ipv6header ! --header ${headers} --soft`,
  ]),
  ...['frag ! --fragid 1', 'rt ! --rt-type 0', 'hbh ! --hbh-len 8', 'dst ! --dst-len 8', 'ah ! --ahspi 1'].map(
    (match) => `-m ${match}`,
  ),
  ...['-p PROTOCOL -m multiport --dports 8080', '-p PROTOCOL -m multiport ! --ports 8080', '-m srh ! --srh-tag 1'],
  ...['-m conntrack --ctorigdst fd00:244:1::11', '-m conntrack ! --ctorigsrc 2001:db8:1::2', '-m connmark --mark 0'],
  ...[
    '-m iprange --dst-range fd00:244:1::-fd00:244:1::20',
    '-m recent --name A6 --rcheck',
    '-m owner ! --socket-exists',
  ],
]

const toPod = { address: pod1.IPv4, port: 8080 }
const DNAT = `*nat\n-A PREROUTING -d 198.51.100.50/32 -j DNAT --to-destination ${pod1.IPv4}:8080\nCOMMIT\n`
const untracked = `*raw\n-A PREROUTING -j NOTRACK\nCOMMIT\n*nat\n-A PREROUTING -p tcp -j DNAT --to-destination 10.244.1.12:9\nCOMMIT\n`
const original = { originalDestination: '198.51.100.50', originalDestinationPort: 80 }
const translated: Partial<KernelPacket> = { ...original, translatedBy: 'dnat', destinationDecided: 'yes' }
const byLoopback: Partial<KernelPacket> = {
  source: node.IPv4,
  destination: node.IPv4,
  inInterface: 'lo',
  sentByNode: true,
}

export const MATCH_SITUATIONS: readonly MatchSituation[] = [
  {
    name: 'a TCP packet after DNAT in FORWARD',
    ...{
      family: 'IPv4',
      from: 'client',
      to: { address: '198.51.100.50', port: 80 },
      protocol: 'tcp',
      hook: 'FORWARD',
      table: 'filter',
    },
    ...{ others: DNAT.replace(' -j', ' -p tcp -j'), packet: translated },
    matches: [...ANYWHERE, ...TCP, '-m policy --dir in --pol none', '-m policy --dir in --pol ipsec'],
  },
  {
    name: 'a UDP packet after DNAT in FORWARD',
    ...{
      family: 'IPv4',
      from: 'client',
      to: { address: '198.51.100.50', port: 80 },
      protocol: 'udp',
      hook: 'FORWARD',
      table: 'mangle',
    },
    ...{ others: DNAT.replace(' -j', ' -p udp -j'), packet: translated },
    matches: [...ANYWHERE, '-p udp -m udp --dport 8080', '-m mac ! --mac-source 00:11:22:33:44:55'],
  },
  {
    name: 'an untracked TCP packet in FORWARD',
    ...{
      family: 'IPv4',
      from: 'client',
      to: toPod,
      protocol: 'tcp',
      hook: 'FORWARD',
      table: 'filter',
      others: untracked,
    },
    packet: { untracked: true },
    matches: [...ANYWHERE, ...TCP],
  },
  {
    name: 'a UDP packet in PREROUTING',
    ...{ family: 'IPv4', from: 'client', to: toPod, protocol: 'udp', hook: 'PREROUTING', table: 'mangle', packet: {} },
    matches: [...ANYWHERE, '-m socket', '-m socket --transparent', '-i ext', '-i e+', '! -i ext', '-i lo'],
  },
  {
    name: 'a UDP packet in PREROUTING of table raw',
    ...{ family: 'IPv4', from: 'client', to: toPod, protocol: 'udp', hook: 'PREROUTING', table: 'raw', packet: {} },
    matches: ANYWHERE.filter((match) => !match.includes('recent')),
  },
  {
    name: 'a UDP packet of the node in OUTPUT of table raw',
    ...{ family: 'IPv4', from: 'node', to: toPod, protocol: 'udp', hook: 'OUTPUT', table: 'raw' },
    packet: { source: '169.254.1.1', inInterface: '', sentByNode: true },
    matches: ANYWHERE.filter((match) => !match.includes('recent')),
  },
  {
    name: 'a TCP packet of the node in OUTPUT',
    ...{ family: 'IPv4', from: 'node', to: toPod, protocol: 'tcp', hook: 'OUTPUT', table: 'filter' },
    packet: { source: '169.254.1.1', inInterface: '', sentByNode: true },
    matches: [...ANYWHERE, ...TCP, ...OF_PROCESS],
  },
  {
    name: 'a TCP packet of a client in POSTROUTING',
    ...{ family: 'IPv4', from: 'client', to: toPod, protocol: 'tcp', hook: 'POSTROUTING', table: 'mangle', packet: {} },
    matches: [...ANYWHERE, ...OF_PROCESS, '-m cgroup --cgroup 5', '-m cgroup ! --cgroup 5'],
  },
  {
    name: 'a UDP packet of the node to itself in PREROUTING',
    ...{
      family: 'IPv4',
      from: 'node',
      to: { address: node.IPv4, port: 8080 },
      protocol: 'udp',
      hook: 'PREROUTING',
      table: 'mangle',
    },
    packet: byLoopback,
    matches: [...ANYWHERE, '-m rpfilter', '-m rpfilter --invert', '-i lo', '-m mac ! --mac-source 00:11:22:33:44:55'],
  },
  {
    name: 'an IPv6 packet of a client in POSTROUTING',
    ...{ family: 'IPv6', from: 'client', to: { address: pod1.IPv6, port: 8080 }, protocol: 'udp', packet: {} },
    ...{ hook: 'POSTROUTING', table: 'mangle' },
    matches: IPV6,
  },
]

/** The packet of a situation at its hook. */
export function packetAtHook({ family, to, protocol, packet }: MatchSituation): KernelPacket {
  return {
    ...{ family, protocol, source: client[family], sourcePort: undefined, destination: pod1[family] },
    destinationPort: 8080,
    originalDestination: to.address,
    originalDestinationPort: to.port,
    inInterface: 'ext',
    sentByNode: false,
    bridged: 'no',
    mark: 0,
    connectionMark: 0,
    untracked: false,
    translatedBy: undefined,
    virtualServer: undefined,
    masqueraded: false,
    destinationDecided: 'no',
    sourceDecided: 'no',
    ...packet,
  }
}
