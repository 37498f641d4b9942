import type { Packet } from '@kube-rules/types'
import { serviceAddress } from './cluster.js'
import { ADDRESSES, type Place } from './topology.js'

/** Rules of another program, and a packet to a Service or to an address of that program. */
export interface ForeignProgram {
  readonly name: string
  /** Rules in the format of iptables-restore. They come before the jumps of kube-proxy with `-I`. */
  readonly iptables?: string
  /** Tables of nftables. */
  readonly nftables?: string
  readonly from: Place
  readonly to: string
  readonly port: number
  /** The place that responds, as in `PacketCase`, or the error of the client. */
  readonly expected: string
  /** The traced outcome, if its words differ. */
  readonly traced?: string
}

const { node, pod1, other } = ADDRESSES
/** A Service whose only endpoint is in pod1. */
const SELF = serviceAddress('clusterIP', 'self', 'IPv4')
const FOREIGN = '100.64.0.5'
const toSelf = { from: 'pod2', to: SELF, port: 80 } as const
const toForeign = { from: 'client', to: FOREIGN, port: 443 } as const

const nat = (...lines: readonly string[]) => `*nat\n${lines.join('\n')}\nCOMMIT\n`
const mangle = (...lines: readonly string[]) => `*mangle\n${lines.join('\n')}\nCOMMIT\n`
const filter = (...lines: readonly string[]) => `*filter\n${lines.join('\n')}\nCOMMIT\n`

export const FOREIGN_PROGRAMS: readonly ForeignProgram[] = [
  { name: 'no rules', ...toSelf, expected: 'pod1' },
  {
    name: 'connection marks of a CNI plugin',
    iptables:
      mangle(
        '-A PREROUTING -i ext -m addrtype --dst-type LOCAL --limit-iface-in -j CONNMARK --set-xmark 0x80/0x80',
        '-A PREROUTING -i pod+ -j CONNMARK --restore-mark --nfmask 0x80 --ctmask 0x80',
      ) + nat('-I PREROUTING -m mark ! --mark 0x80/0x80 -j CONNMARK --save-mark --nfmask 0x80 --ctmask 0x80'),
    ...toSelf,
    expected: 'pod1',
  },
  {
    name: 'a connection mark that sets the mark of kube-proxy',
    iptables: mangle(
      '-A PREROUTING -j CONNMARK --set-xmark 0x4000/0x4000',
      '-A PREROUTING -j CONNMARK --restore-mark --nfmask 0x4000 --ctmask 0x4000',
    ),
    ...toSelf,
    expected: 'pod1*',
  },
  {
    name: 'a translation of other ports with multiport',
    iptables: nat(`-I PREROUTING -p tcp -m multiport --dports 8080,8443 -j DNAT --to-destination ${other.IPv4}:8080`),
    ...toSelf,
    expected: 'pod1',
  },
  {
    name: 'a translation of the port with multiport',
    iptables: nat(`-I PREROUTING -p tcp -m multiport --dports 80,443 -j DNAT --to-destination ${other.IPv4}:8080`),
    ...toSelf,
    expected: 'other',
  },
  {
    name: 'a firewall that drops new connections without SYN, and bad flags',
    iptables: filter(
      '-I FORWARD -p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN -m conntrack --ctstate NEW -j DROP',
      '-I FORWARD -p tcp -m tcp --tcp-flags SYN,RST SYN,RST -j DROP',
      '-I FORWARD -p tcp -m tcp --tcp-flags ALL NONE -j DROP',
      '-I FORWARD -f -j DROP',
      '-I FORWARD -m addrtype --src-type BROADCAST -j DROP',
    ),
    ...toSelf,
    expected: 'pod1',
  },
  {
    name: 'a firewall that drops connections that were not translated',
    iptables: filter(`-I FORWARD -m conntrack ! --ctstate DNAT --ctorigdst ${SELF} -j DROP`),
    ...toSelf,
    expected: 'pod1',
  },
  {
    name: 'a firewall that drops connections by their original destination',
    iptables: filter(`-I FORWARD -m conntrack --ctorigdst ${SELF} --ctorigdstport 80 -j DROP`),
    ...toSelf,
    expected: 'drop',
  },
  {
    name: 'packets to the Service that are not tracked',
    iptables: `*raw\n-I PREROUTING -d ${SELF}/32 -j NOTRACK\nCOMMIT\n${filter('-I FORWARD -m conntrack --ctstate UNTRACKED -j DROP')}`,
    ...toSelf,
    expected: 'drop',
  },
  {
    name: 'a translation to an endpoint before kube-proxy',
    iptables: nat(`-I PREROUTING -d ${FOREIGN}/32 -p tcp -j DNAT --to-destination ${pod1.IPv4}:8080`),
    ...toForeign,
    expected: 'pod1',
  },
  {
    name: 'a translation to one of several ports, of which the packet has one',
    iptables: nat(`-I PREROUTING -d ${FOREIGN}/32 -p tcp -j DNAT --to-destination ${pod1.IPv4}:8000-8090`),
    ...{ ...toForeign, port: 8080, expected: 'pod1' },
  },
  {
    name: 'a translation to one of several ports, of which the packet has none',
    iptables: nat(`-I PREROUTING -d ${FOREIGN}/32 -p tcp -j DNAT --to-destination ${pod1.IPv4}:8080-8090`),
    ...toForeign,
    expected: 'pod1',
  },
  {
    name: 'a redirect to a process of the node',
    iptables: nat(`-I PREROUTING -d ${FOREIGN}/32 -p tcp -j REDIRECT --to-ports 32000`),
    ...toForeign,
    expected: 'node',
  },
  {
    name: 'a redirect that keeps the port',
    iptables: nat(`-I PREROUTING -d ${FOREIGN}/32 -p tcp -j REDIRECT`),
    ...{ ...toForeign, port: 32000, expected: 'node' },
  },
  {
    name: 'a translation by nftables before kube-proxy',
    nftables: `table inet vpn {
  chain prerouting {
    type nat hook prerouting priority -110; policy accept;
    ip daddr ${FOREIGN} tcp dport 443 dnat ip to ${pod1.IPv4}:8080
  }
}
`,
    ...toForeign,
    expected: 'pod1',
  },
  {
    name: 'a new source that is an address of the node',
    iptables: nat(`-I POSTROUTING -d ${pod1.IPv4}/32 -j SNAT --to-source ${node.IPv4} --random-fully`),
    ...toSelf,
    expected: 'pod1*',
  },
  {
    name: 'a queue that no program reads',
    iptables: filter('-I FORWARD -j NFQUEUE --queue-num 7 --queue-bypass', '-A FORWARD -j DROP'),
    ...toSelf,
    expected: 'pod1',
    traced: 'it depends: a program reads netfilter queue 7 it depends: a program reads netfilter queue 7',
  },
  {
    name: 'logs, counters and header changes',
    iptables: [
      mangle(
        '-A PREROUTING -j TOS --set-tos 0x10/0x3f',
        '-A PREROUTING -j TTL --ttl-inc 1',
        '-A FORWARD -p tcp -m tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu',
        '-A FORWARD -j CLASSIFY --set-class 1:1',
      ),
      filter('-I FORWARD -m limit --limit 5/min -j LOG', '-I FORWARD -m recent --name A --set'),
    ].join(''),
    ...toSelf,
    expected: 'pod1',
  },
]

/** The packet that is sent. */
export function packetTo({ from, to, port }: ForeignProgram): Packet {
  return {
    origin: from === 'client' ? 'outside' : 'pod',
    protocol: 'TCP',
    source: ADDRESSES[from].IPv4,
    destination: to,
    destinationPort: port,
    inInterface: from === 'client' ? 'ext' : from,
  }
}
