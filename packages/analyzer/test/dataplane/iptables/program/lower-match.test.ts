import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { Hook } from '../../../../../compiler/src/dataplane/netfilter/hooks.js'
import { formatFraction } from '../../../../../compiler/src/internal/fraction.js'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { lowerMatch } from '../../../../src/dataplane/iptables/program/lower-match.js'
import { evaluateAll } from '../../../../src/program/evaluate-literal.js'
import type { NodeFacts } from '../../../../src/program/facts.js'
import type { KernelPacket } from '../../../../src/program/kernel-packet.js'
import type { StateContext } from '../../../../src/program/state-context.js'
import { BY_LOOPBACK, facts, kernelPacket, NO_SETS, OF_NODE, TO_ENDPOINT, UNTRACKED } from './packets.js'

interface Situation {
  readonly family?: IpFamily
  readonly hook?: Hook
  readonly facts?: Partial<NodeFacts>
  readonly lookUpSet?: StateContext['lookUpSet']
  readonly isBeforeTracking?: boolean
}

/** Evaluates the matches of a rule for a packet. */
function evaluate(words: string, fields: Partial<KernelPacket> = {}, situation: Situation = {}): string {
  const { family = 'IPv4', hook = 'PREROUTING', lookUpSet = NO_SETS.lookUpSet, isBeforeTracking = false } = situation
  const { matches } = readRule(words, family)
  const literals = matches.flatMap((match) => lowerMatch(match, { family, lookUpSet, isBeforeTracking }))
  const result = evaluateAll(literals, kernelPacket({ family, ...fields }), hook, facts(situation.facts))
  return typeof result === 'string' ? result : formatFraction(result)
}

type Row = readonly [words: string, expected: string, fields?: Partial<KernelPacket>, situation?: Situation]

/** Checks rows of words with the result for a packet: yes, no, unknown or a probability. */
function check(rows: readonly Row[]): void {
  it.each(rows.map((row) => [...row]))('%s: %s', (words, expected, fields, situation) => {
    expect(evaluate(words as string, fields as Row[2], situation as Situation | undefined)).toBe(expected)
  })
}

const UDP: Partial<KernelPacket> = { protocol: 'udp' }
const SCTP: Partial<KernelPacket> = { protocol: 'sctp' }
const IPV6: Partial<KernelPacket> = { source: '2001:db8::1', destination: 'fd00::1', originalDestination: 'fd00::1' }
const V6: Situation = { family: 'IPv6' }

describe('addresses', () => {
  check([
    ['-d 10.96.0.1/32', 'yes'],
    ['-d 10.96.0.2/32', 'no'],
    ['! -d 10.96.0.1/32', 'no'],
    ['-d 10.96.0.0/12', 'yes'],
    ['! -d 10.96.0.0/12', 'no'],
    ['-d 10.96.0.0/255.240.0.0', 'yes'],
    ['-d 0.0.0.0/0', 'yes'],
    ['! -d 0.0.0.0/0', 'no'],
    ['-s 203.0.113.2/32 -d 10.96.0.1/32', 'yes'],
    ['-s 203.0.113.3/32 -d 10.96.0.1/32', 'no'],
    ['-s 10.0.0.0/8,203.0.113.0/24', 'yes'],
    ['-d 10.0.0.1,10.0.0.2', 'no'],
    ['-d 10.96.0.1,10.0.0.2', 'yes'],
    ['! -d 10.96.0.1,10.0.0.2', 'unknown'],
    ['-d 10.96.0.0/255.0.255.0', 'unknown'],
    ['-d example.org', 'unknown'],
    ['-d 10.244.1.1/32', 'yes', TO_ENDPOINT],
    ['-d 10.96.0.1/32', 'no', TO_ENDPOINT],
    ['-d fd00::/64', 'yes', IPV6, V6],
    ['-d fd00::1/128', 'yes', IPV6, V6],
    ['-s ::/0', 'yes', IPV6, V6],
  ])
})

describe('interfaces', () => {
  check([
    ['-i eth0', 'yes'],
    ['-i eth+', 'yes'],
    ['! -i eth0', 'no'],
    ['-i eth0', 'no', OF_NODE, { hook: 'OUTPUT' }],
    ['-i eth0', 'unknown', { inInterface: undefined }],
    ['-i lo', 'no', { inInterface: undefined }],
    ['-o eth0', 'no'],
    ['-o eth0', 'unknown', {}, { hook: 'FORWARD' }],
    ['-o lo', 'no', {}, { hook: 'FORWARD' }],
    ['-o lo', 'yes', { ...OF_NODE, destination: '192.168.0.2' }, { hook: 'OUTPUT' }],
  ])
})

describe('protocols', () => {
  check([
    ['-p tcp', 'yes'],
    ['-p 6', 'yes'],
    ['-p all', 'yes'],
    ['! -p all', 'no'],
    ['! -p tcp', 'no'],
    ['-p udp', 'no'],
    ['-p icmp -m icmp --icmp-type 8', 'no'],
    ['-p icmp -m icmp ! --icmp-type 8', 'no'],
    ['-p icmp --icmp-type 8', 'no'],
    ['-p ipv6-icmp -m icmp6 --icmpv6-type 135', 'no', IPV6, V6],
    ['-p esp -m esp --espspi 0:5', 'no'],
    ['-p ah -m ah ! --ahspi 5', 'no'],
    ['-m ah ! --ahspi 5', 'no', IPV6, V6],
    ['-p ipcomp -m ipcomp --ipcompspi 0x12', 'no'],
    ['-p dccp -m dccp --dport 80', 'no'],
    ['-m mh --mh-type binding-refresh-request', 'no', IPV6, V6],
    ['-p udp -m l2tp --tid 0x1', 'no'],
    ['-p udp -m l2tp --tid 0x1', 'unknown', UDP],
  ])
})

describe('tcp', () => {
  check([
    ['-p tcp -m tcp --dport 80', 'yes'],
    ['-p tcp -m tcp --dport 81:90', 'no'],
    ['-p tcp -m tcp ! --dport 80', 'no'],
    ['-p tcp -m tcp --dport http', 'yes'],
    ['-p tcp -m tcp --sport 1024:', 'yes'],
    ['-p tcp -m tcp --sport 1024:', 'unknown', { sourcePort: undefined }],
    ['-p tcp -m tcp --sport 0:65535', 'yes', { sourcePort: undefined }],
    ['-p tcp -m tcp --syn', 'yes'],
    ['-p tcp -m tcp ! --syn', 'no'],
    ['-p tcp -m tcp --tcp-flags FIN,SYN,RST,ACK SYN', 'yes'],
    ['-p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN', 'no'],
    ['-p tcp -m tcp --tcp-flags FIN,SYN,RST,PSH,ACK,URG SYN', 'yes'],
    ['-p tcp -m tcp --tcp-flags FIN,SYN,RST,PSH,ACK,URG NONE', 'no'],
    ['-p tcp -m tcp --tcp-flags ALL ALL', 'no'],
    ['-p tcp -m tcp --tcp-flags ALL SYN', 'yes'],
    ['-p tcp -m tcp --tcp-flags FIN,RST NONE', 'yes'],
    ['-p tcp -m tcp --tcp-flags FIN,RST FIN', 'no'],
    ['-p tcp -m tcp --tcp-flags SYN,RST SYN,RST', 'no'],
    ['-p tcp -m tcp --tcp-flags SYN,ECE SYN', 'unknown'],
    ['-p tcp -m tcp --tcp-option 2', 'unknown'],
    ['-p tcp -m tcp ! --tcp-option 2', 'unknown'],
    ['-p tcp -m tcp --dport 81 --tcp-flags SYN SYN', 'no'],
    ['-p tcp -m tcp --syn', 'no', UDP],
    ['-f', 'no'],
    ['! -f', 'yes'],
    ['-4', 'yes'],
    ['-6', 'no'],
    ['-6', 'yes', IPV6, V6],
    ['--ipv4', 'no', IPV6, V6],
    ['! --fragment', 'yes'],
  ])
})

describe('sctp', () => {
  check([
    ['-p sctp -m sctp --dport 80', 'yes', SCTP],
    ['-p sctp -m sctp --chunk-types any INIT,DATA', 'yes', SCTP],
    ['-p sctp -m sctp --chunk-types any DATA:Be', 'no', SCTP],
    ['-p sctp -m sctp ! --chunk-types any DATA', 'yes', SCTP],
    ['-p sctp -m sctp --chunk-types all INIT', 'yes', SCTP],
    ['-p sctp -m sctp --chunk-types all INIT,DATA', 'no', SCTP],
    ['-p sctp -m sctp --chunk-types only INIT,DATA', 'yes', SCTP],
    ['-p sctp -m sctp --chunk-types only DATA', 'no', SCTP],
    ['-p sctp -m sctp --chunk-types all ALL', 'no', SCTP],
    ['-p sctp -m sctp --chunk-types any ALL', 'yes', SCTP],
    ['-p sctp -m sctp --chunk-types all NONE', 'yes', SCTP],
    ['-p sctp -m sctp --chunk-types any NONE', 'no', SCTP],
    ['-p sctp -m sctp --chunk-types any NEW_ONE', 'unknown', SCTP],
    ['-p sctp -m sctp --chunk-types some INIT', 'unknown', SCTP],
    ['-p sctp -m sctp --chunk-types any INIT', 'no'],
  ])
})

describe('multiport', () => {
  check([
    ['-p tcp -m multiport --dports 80,443', 'yes'],
    ['-p tcp -m multiport --dports 8080,8443', 'no'],
    ['-p tcp -m multiport --dports 1:79,443', 'no'],
    ['-p tcp -m multiport --dports 1:80,443', 'yes'],
    ['-p tcp -m multiport ! --dports 80,443', 'no'],
    ['-p tcp -m multiport ! --dports 8080', 'yes'],
    ['-p tcp -m multiport --destination-ports http,https', 'yes'],
    ['-p tcp -m multiport --sports 40000', 'yes'],
    ['-p tcp -m multiport --sports 40000', 'unknown', { sourcePort: undefined }],
    ['-p tcp -m multiport --ports 80', 'yes'],
    ['-p tcp -m multiport --ports 40000', 'yes'],
    ['-p tcp -m multiport --ports 81', 'no'],
    ['-p tcp -m multiport ! --ports 81', 'yes'],
    ['-p tcp -m multiport ! --ports 80', 'no'],
    ['-p tcp -m multiport --ports 80', 'yes', { sourcePort: undefined }],
    ['-p tcp -m multiport --ports 81', 'unknown', { sourcePort: undefined }],
    ['-p tcp -m multiport --dports 80,what', 'unknown'],
    ['-p tcp -m multiport --dports 80 --other 1', 'unknown'],
    ['-p udp -m multiport --dports 80,443', 'no'],
  ])
})

describe('iprange', () => {
  check([
    ['-m iprange --dst-range 10.96.0.0-10.96.0.9', 'yes'],
    ['-m iprange --dst-range 10.96.0.2-10.96.0.9', 'no'],
    ['-m iprange ! --dst-range 10.96.0.2-10.96.0.9', 'yes'],
    ['-m iprange --src-range 203.0.113.2-203.0.113.2', 'yes'],
    ['-m iprange --src-range 203.0.113.2', 'yes'],
    ['-m iprange --src-range 203.0.113.0-203.0.113.9 ! --dst-range 10.96.0.0-10.96.0.9', 'no'],
    ['-m iprange --dst-range fd00::-fd00::ff', 'yes', IPV6, V6],
    ['-m iprange --dst-range 10.96.0.0/24', 'unknown'],
    ['-m iprange --dst-range 10.96.0-10.97.0', 'unknown'],
  ])
})

describe('addrtype', () => {
  const toNode = { destination: '192.168.0.2' }
  check([
    ['-m addrtype --dst-type LOCAL', 'no'],
    ['-m addrtype --dst-type LOCAL', 'yes', toNode],
    ['-m addrtype --dst-type LOCAL', 'unknown', { destination: '192.168.0.9' }],
    ['-m addrtype ! --dst-type LOCAL', 'yes'],
    ['-m addrtype --src-type LOCAL', 'yes', OF_NODE],
    ['-m addrtype --dst-type UNICAST', 'yes'],
    ['-m addrtype --dst-type UNICAST', 'no', toNode],
    ['-m addrtype --dst-type UNICAST,LOCAL', 'yes', toNode],
    ['-m addrtype --dst-type MULTICAST', 'no'],
    ['-m addrtype --dst-type BROADCAST', 'no'],
    ['-m addrtype --dst-type BROADCAST', 'yes', { destination: '255.255.255.255' }],
    ['-m addrtype --dst-type BROADCAST', 'unknown', { destination: '192.168.0.255' }],
    ['-m addrtype --dst-type BLACKHOLE,PROHIBIT', 'no'],
    ['-m addrtype --dst-type LOCAL --src-type LOCAL', 'no', toNode],
    ['-m addrtype --dst-type LOCAL --limit-iface-in', 'unknown', toNode],
    ['-m addrtype --dst-type LOCAL --limit-iface-in', 'no'],
    ['-m addrtype ! --dst-type LOCAL --limit-iface-in', 'yes'],
    ['-m addrtype --dst-type UNICAST --limit-iface-in', 'yes'],
    ['-m addrtype --dst-type UNICAST --limit-iface-out', 'unknown', toNode],
    ['-m addrtype --dst-type OTHER --limit-iface-out', 'unknown', toNode],
    ['-m addrtype --dst-type UNICAST', 'yes', IPV6, V6],
    ['-m addrtype --dst-type UNICAST', 'yes', { ...IPV6, destination: '::1' }, V6],
    ['-m addrtype --dst-type UNICAST,LOCAL', 'no', IPV6, V6],
    ['-m addrtype ! --dst-type UNICAST,LOCAL', 'yes', IPV6, V6],
    ['-m addrtype --dst-type UNICAST,BLACKHOLE', 'unknown', IPV6, V6],
    ['-m addrtype --dst-type LOCAL --limit-iface-in', 'no', IPV6, V6],
    ['-m addrtype --dst-type UNICAST --limit-iface-in', 'yes', IPV6, V6],
  ])
})

describe('pkttype', () => {
  const toGroup = { destination: '224.0.0.1' }
  check([
    ['-m pkttype --pkt-type unicast', 'yes'],
    ['-m pkttype ! --pkt-type unicast', 'no'],
    ['-m pkttype --pkt-type multicast', 'no'],
    ['-m pkttype --pkt-type broadcast', 'no'],
    ['-m pkttype ! --pkt-type broadcast', 'yes'],
    ['-m pkttype --pkt-type multicast', 'yes', toGroup],
    ['-m pkttype --pkt-type unicast', 'no', toGroup],
    ['-m pkttype --pkt-type otherhost', 'unknown'],
  ])
})

describe('header fields', () => {
  check([
    ['-m length --length 0:65535', 'yes'],
    ['-m length --length 28:', 'yes'],
    ['-m length --length 0:27', 'no'],
    ['-m length --length 100:200', 'unknown'],
    ['-m length ! --length :27', 'yes'],
    ['-m length --length long', 'unknown'],
    ['-p tcp -m tcpmss --mss 536:1000', 'unknown'],
    ['-m tcpmss --mss 536:1000', 'no', UDP],
    ['-m ttl --ttl-gt 1', 'unknown'],
    ['-m ttl --ttl-eq 64', 'unknown'],
    ['-m hl --hl-eq 64', 'unknown', IPV6, V6],
    ['-m tos --tos 0x00/0xff', 'unknown'],
    ['-m dscp --dscp 0x00', 'unknown'],
    ['-p tcp -m ecn --ecn-tcp-ece', 'unknown'],
    ['-m string --string "GET /" --algo bm', 'unknown'],
    ['-m u32 --u32 "0&0xff=1"', 'unknown'],
    ['-m bpf --bytecode "4,48 0 0 9,21 0 1 6,6 0 0 1,6 0 0 0"', 'unknown'],
    ['-p tcp -m osf --genre Linux', 'unknown'],
    ['-m ipv6header --header protocol', 'yes', IPV6, V6],
    ['-m ipv6header ! --header protocol', 'no', IPV6, V6],
    ['-m ipv6header --header hop-by-hop', 'no', IPV6, V6],
    ['-m ipv6header ! --header ipv6-nonxt', 'yes', IPV6, V6],
    ['-m ipv6header --header hop,prot --soft', 'no', IPV6, V6],
    ['-m ipv6header ! --header hop,prot --soft', 'no', IPV6, V6],
    ['-m ipv6header --header prot --soft', 'yes', IPV6, V6],
    ['-m ipv6header ! --header hop --soft', 'yes', IPV6, V6],
    ['-m ipv6header --header what', 'unknown', IPV6, V6],
    ['-m frag ! --fragid 1', 'no', IPV6, V6],
    ['-m rt ! --rt-type 0', 'no', IPV6, V6],
    ['-m hbh --hbh-len 8', 'no', IPV6, V6],
    ['-m dst --dst-len 8', 'no', IPV6, V6],
    ['-m srh ! --srh-next-hdr 17', 'no', IPV6, V6],
  ])
})

describe('interfaces, sockets and routes', () => {
  check([
    ['-m physdev --physdev-is-in', 'no'],
    ['-m physdev ! --physdev-is-in', 'yes'],
    ['-m physdev --physdev-is-in', 'yes', { bridged: 'yes' }],
    ['-m physdev --physdev-is-bridged', 'no'],
    ['-m physdev --physdev-is-bridged', 'unknown', { bridged: 'yes' }],
    ['-m physdev ! --physdev-is-out', 'yes'],
    ['-m physdev --physdev-in veth+', 'no'],
    ['-m physdev ! --physdev-in veth+', 'yes'],
    ['-m physdev ! --physdev-in veth+', 'unknown', { bridged: 'yes' }],
    ['-m physdev ! --physdev-in veth+ --physdev-is-bridged', 'no'],
    ['-m owner --uid-owner 0', 'no'],
    ['-m owner ! --uid-owner 0', 'yes'],
    ['-m owner --uid-owner 0', 'unknown', OF_NODE, { hook: 'OUTPUT' }],
    ['-m owner ! --uid-owner 0', 'unknown', OF_NODE, { hook: 'OUTPUT' }],
    ['-m owner ! --uid-owner 0 --gid-owner 5 --suppl-groups', 'no'],
    ['-m owner --socket-exists', 'yes', OF_NODE, { hook: 'OUTPUT' }],
    ['-m owner --socket-exists', 'no'],
    ['-m owner ! --socket-exists', 'yes'],
    ['-m owner --cmd-owner sshd', 'unknown'],
    ['-m cgroup --cgroup 5', 'no'],
    ['-m cgroup ! --cgroup 5', 'no'],
    ['-m cgroup ! --path /a', 'unknown', OF_NODE, { hook: 'OUTPUT' }],
    ['-m socket --transparent', 'no'],
    ['-m socket', 'unknown', { destination: '192.168.0.2' }],
    ['-m socket --nowildcard', 'unknown'],
    ['-m policy --dir in --pol none', 'yes'],
    ['-m policy --dir in --pol ipsec --strict --reqid 1 --proto esp', 'no'],
    ['-m policy --dir out --pol none', 'unknown'],
    ['-m policy --pol none', 'unknown'],
    ['-m rpfilter', 'unknown'],
    ['-m rpfilter', 'yes', BY_LOOPBACK],
    ['-m rpfilter --validmark --invert', 'no', BY_LOOPBACK],
    ['-m mac --mac-source 00:11:22:33:44:55', 'unknown'],
    ['-m mac ! --mac-source 00:11:22:33:44:55', 'no', BY_LOOPBACK],
    ['-m eui64', 'unknown', IPV6, V6],
    ['-m devgroup --src-group 0x1', 'unknown'],
    ['-m realm --realm 0x1', 'unknown'],
    ['-m cpu --cpu 0', 'unknown'],
  ])
})

describe('state and conntrack', () => {
  check([
    ['-m state --state NEW', 'yes'],
    ['-m state --state RELATED,ESTABLISHED', 'no'],
    ['-m state ! --state NEW', 'no'],
    ['-m state --state INVALID', 'no'],
    ['-m state --state NEW', 'no', UNTRACKED],
    ['-m state --state UNTRACKED', 'yes', UNTRACKED],
    ['-m conntrack --ctstate NEW', 'yes'],
    // The kernel ignores a translation that changes nothing.
    ['-m conntrack --ctstate DNAT', 'no', { translatedBy: 'dnat' }],
    ['-m conntrack --ctstate DNAT', 'yes', { translatedBy: 'dnat', destinationPort: 8080 }],
    ['-m conntrack ! --ctstate NEW', 'yes', UNTRACKED],
    ['-m conntrack --ctstate NEW,UNTRACKED', 'yes', UNTRACKED],
    ['-m conntrack --ctstate DNAT', 'no'],
    ['-m conntrack --ctstate DNAT', 'yes', TO_ENDPOINT],
    ['-m conntrack --ctstate SNAT', 'no'],
    ['-m conntrack --ctstate SNAT', 'yes', { masqueraded: true }],
    ['-m conntrack --ctstate OTHER --ctdir ORIGINAL', 'unknown'],
    ['-m conntrack --ctproto 6', 'yes'],
    ['-m conntrack ! --ctproto tcp', 'no'],
    ['-m conntrack --ctproto what', 'unknown'],
    ['-m conntrack --ctorigsrc 203.0.113.0/24', 'yes'],
    ['-m conntrack --ctorigdst 10.96.0.1', 'yes', TO_ENDPOINT],
    ['-m conntrack --ctorigdst 10.244.1.1', 'no', TO_ENDPOINT],
    ['-m conntrack ! --ctorigdst 10.244.1.1', 'yes', TO_ENDPOINT],
    ['-m conntrack --ctorigdstport 80', 'yes', TO_ENDPOINT],
    ['-m conntrack --ctorigdstport 8080', 'no', TO_ENDPOINT],
    ['-m conntrack --ctorigsrcport 39999:40001', 'yes'],
    ['-m conntrack --ctreplsrc 10.244.1.1', 'yes', TO_ENDPOINT],
    ['-m conntrack --ctreplsrcport 8080', 'yes', TO_ENDPOINT],
    ['-m conntrack --ctrepldst 203.0.113.2', 'yes'],
    ['-m conntrack ! --ctrepldst 203.0.113.2', 'no'],
    ['-m conntrack --ctrepldst 203.0.113.2', 'unknown', { masqueraded: true }],
    ['-m conntrack --ctrepldst 192.168.0.2', 'unknown', { masqueraded: true }],
    ['-m conntrack --ctrepldstport 40000', 'yes'],
    ['-m conntrack --ctorigdst 10.0.0.0/255.0.255.0', 'unknown'],
    ['-m conntrack --ctdir ORIGINAL', 'yes'],
    ['-m conntrack --ctdir REPLY', 'no'],
    ['-m conntrack --ctdir BOTH', 'unknown'],
    ['-m conntrack --ctexpire soon', 'unknown'],
    ['-m conntrack --ctrepldstport many', 'unknown'],
    ['-m conntrack --ctstatus OTHER', 'unknown'],
    ['-m conntrack --ctstatus NONE', 'no'],
    ['-m conntrack ! --ctstatus NONE', 'yes'],
    ['-m conntrack --ctstatus EXPECTED,ASSURED,SEEN_REPLY', 'no'],
    ['-m conntrack --ctstatus CONFIRMED', 'no'],
    ['-m conntrack --ctstatus CONFIRMED', 'yes', BY_LOOPBACK],
    ['-m conntrack --ctexpire 0', 'yes'],
    ['-m conntrack --ctexpire 1:100', 'no'],
    ['-m conntrack ! --ctexpire 1:100', 'yes'],
    ['-m conntrack --ctexpire 0:100', 'unknown', BY_LOOPBACK],
    ['-m conntrack --ctstate NEW --ctdir REPLY', 'no'],
    [
      '-m conntrack --ctstate NEW ! --ctorigsrc 10.0.0.0/8 --ctreplsrc 10.244.1.1 ! --ctrepldstport 5',
      'yes',
      TO_ENDPOINT,
    ],
    ['-m conntrack --ctorigdst 10.96.0.1', 'no', UNTRACKED],
    ['-m conntrack ! --ctorigdst 10.96.0.2', 'no', UNTRACKED],
    ['-m conntrack --ctstate UNTRACKED --ctorigdst 9.9.9.9', 'yes', UNTRACKED],
    ['-m conntrack --ctstate NEW --ctorigdst 10.96.0.1', 'no', UNTRACKED],
    ['-m conntrack ! --ctstate NEW --ctorigdst 9.9.9.9', 'yes', UNTRACKED],
  ])
})

describe('marks, labels and counters of connections', () => {
  check([
    ['-m mark --mark 0x4000/0x4000', 'no'],
    ['-m mark --mark 0x4000/0x4000', 'yes', { mark: 0x4001 }],
    ['-m mark ! --mark 0x4000/0x4000', 'no', { mark: 0x4001 }],
    ['-m mark --mark 0x80000000/0x80000000', 'yes', { mark: 0x80000000 }],
    ['-m connmark --mark 0x80/0x80', 'no'],
    ['-m connmark --mark 0x80/0x80', 'yes', { connectionMark: 0x81 }],
    ['-m connmark ! --mark 0x80/0x80', 'yes'],
    ['-m connmark ! --mark 0x80/0x80', 'no', UNTRACKED],
    ['-m connmark --mark 0', 'yes'],
    ['-m connmark --mark 0', 'no', UNTRACKED],
    ['-m connmark --mark what', 'unknown'],
    ['-m connlabel --label "3"', 'no'],
    ['-m connlabel ! --label "3"', 'yes'],
    ['-m connlabel ! --label "3"', 'yes', UNTRACKED],
    ['-m connlabel --label "3" --set', 'yes'],
    ['-m connlabel --label "3" --set', 'no', UNTRACKED],
    ['-m connbytes --connbytes 1 --connbytes-mode packets --connbytes-dir original', 'yes'],
    ['-m connbytes --connbytes 2 --connbytes-mode packets --connbytes-dir original', 'no'],
    ['-m connbytes --connbytes 0:5 --connbytes-mode packets --connbytes-dir reply', 'yes'],
    ['-m connbytes --connbytes 1:5 --connbytes-mode packets --connbytes-dir reply', 'no'],
    ['-m connbytes ! --connbytes 2:5 --connbytes-mode packets --connbytes-dir both', 'yes'],
    ['-m connbytes ! --connbytes 1:5 --connbytes-mode packets --connbytes-dir both', 'no'],
    ['-m connbytes ! --connbytes 1:1 --connbytes-mode packets --connbytes-dir both', 'yes'],
    ['-m connbytes --connbytes 1000 --connbytes-mode bytes --connbytes-dir both', 'unknown'],
    ['-m connbytes --connbytes 1000 --connbytes-mode bytes --connbytes-dir reply', 'no'],
    ['-m connbytes --connbytes 0 --connbytes-mode packets --connbytes-dir reply', 'no', UNTRACKED],
    ['-m connbytes ! --connbytes 5:9 --connbytes-mode packets --connbytes-dir reply', 'no', UNTRACKED],
    ['-m connbytes --connbytes 5', 'unknown'],
    ['-m connbytes --connbytes 5 --connbytes-mode packets --connbytes-dir up', 'unknown'],
    ['-m connbytes --connbytes many --connbytes-mode packets --connbytes-dir both', 'unknown'],
    ['-m connlimit --connlimit-above many', 'unknown'],
    ['-m connlabel --set', 'unknown'],
    ['-m connlimit --connlimit-above 0 --connlimit-mask 32 --connlimit-saddr', 'yes'],
    ['-m connlimit --connlimit-upto 0 --connlimit-mask 32 --connlimit-saddr', 'no'],
    ['-m connlimit ! --connlimit-above 0', 'no'],
    ['-m connlimit --connlimit-above 20 --connlimit-mask 32 --connlimit-saddr', 'unknown'],
    ['-m helper --helper ftp', 'no'],
    ['-m helper ! --helper ftp', 'yes'],
    ['-m helper ! --helper ftp', 'yes', UNTRACKED],
    ['-m cluster --cluster-total-nodes 2 --cluster-local-node 1 --cluster-hash-seed 0x1', 'unknown'],
    ['-m cluster --cluster-total-nodes 2 --cluster-local-node 1 --cluster-hash-seed 0x1', 'no', UNTRACKED],
  ])
})

describe('connections in table raw', () => {
  // Connection tracking comes later, so a packet has no connection, unless the node sent it to itself.
  const RAW: Situation = { isBeforeTracking: true }
  const OUTPUT: Situation = { hook: 'OUTPUT', isBeforeTracking: true }
  check([
    ['-m conntrack --ctstate NEW', 'no', {}, RAW],
    ['-m conntrack ! --ctstate NEW', 'yes', {}, RAW],
    ['-m conntrack --ctstate INVALID', 'yes', {}, RAW],
    ['-m conntrack --ctstate INVALID', 'no', UNTRACKED, RAW],
    ['-m conntrack --ctstate UNTRACKED', 'no', {}, RAW],
    ['-m conntrack --ctstate UNTRACKED', 'yes', UNTRACKED, RAW],
    ['-m conntrack --ctstate NEW,INVALID,UNTRACKED', 'yes', {}, RAW],
    ['-m conntrack --ctstate NEW', 'yes', BY_LOOPBACK, RAW],
    ['-m conntrack --ctstate INVALID', 'no', BY_LOOPBACK, RAW],
    ['-m conntrack --ctstate NEW', 'no', OF_NODE, OUTPUT],
    ['-m conntrack --ctstate INVALID', 'yes', OF_NODE, OUTPUT],
    ['-m state --state NEW', 'no', {}, RAW],
    ['-m state --state INVALID', 'yes', {}, RAW],
    ['-m conntrack --ctdir ORIGINAL', 'no', {}, RAW],
    ['-m conntrack --ctdir ORIGINAL', 'yes', BY_LOOPBACK, RAW],
    ['-m conntrack ! --ctorigdst 9.9.9.9', 'no', {}, RAW],
    ['-m conntrack --ctstate INVALID --ctorigdst 9.9.9.9', 'yes', {}, RAW],
    ['-m connmark --mark 0', 'no', {}, RAW],
    ['-m connmark ! --mark 1', 'no', OF_NODE, OUTPUT],
    ['-m connlabel ! --label "3"', 'yes', {}, RAW],
    ['-m connlabel --label "3" --set', 'no', {}, RAW],
    ['-m connbytes --connbytes 0 --connbytes-mode packets --connbytes-dir reply', 'no', {}, RAW],
    ['-m cluster --cluster-total-nodes 2 --cluster-local-node 1 --cluster-hash-seed 0x1', 'no', {}, RAW],
  ])
})

describe('counters and lists', () => {
  const seen = { facts: { secondsSinceSeen: (list: string) => (list === 'L' ? 30 : undefined) } }
  check([
    ['-m comment --comment "a b"', 'yes'],
    ['-m nfacct --nfacct-name a', 'yes'],
    ['-m statistic --mode random --probability 0.25', '1/4'],
    ['-m statistic --mode random ! --probability 0.25', '3/4'],
    ['-m statistic --mode nth --every 3 --packet 0', 'unknown'],
    ['-m statistic --mode nth ! --every 3 --packet 0', 'unknown'],
    ['-m statistic --mode nth --every 1 --packet 0', 'yes'],
    ['-m statistic --mode nth --packet 0', 'unknown'],
    ['-m statistic --mode random --probability 2', 'unknown'],
    ['-m statistic --mode other', 'unknown'],
    ['-m statistic --probability 0.5 --mode random', '1/2'],
    ['-m statistic --mode nth ! --every 1 --packet 0', 'no'],
    ['-m limit --limit 5/min', 'unknown'],
    ['-m hashlimit --hashlimit-upto 5/sec --hashlimit-burst 5 --hashlimit-name a', 'unknown'],
    ['-m quota --quota 0', 'no'],
    ['-m quota ! --quota 0', 'yes'],
    ['-m quota --quota 1000', 'unknown'],
    ['-m time --timestart 10:00 --timestop 12:00', 'unknown'],
    ['-m rateest --rateest a --rateest-gt --rateest-bps 1', 'unknown'],
    ['-m recent --set --name L --mask 255.255.255.255 --rsource', 'yes'],
    ['-m recent ! --set --name L', 'no'],
    ['-m recent --set --name L --rdest', 'yes'],
    ['-m recent --rcheck --name L', 'no'],
    ['-m recent ! --rcheck --name L', 'yes'],
    ['-m recent --rcheck --name L', 'yes', {}, seen],
    ['-m recent --rcheck --seconds 20 --name L', 'no', {}, seen],
    ['-m recent --update --seconds 30 --name L', 'yes', {}, seen],
    ['-m recent --update --seconds 60 --name M', 'no', {}, seen],
    ['-m recent --remove --name L', 'yes', {}, seen],
    ['-m recent --rcheck --seconds 60 --hitcount 4 --name L', 'no'],
    ['-m recent --rcheck --seconds 60 --hitcount 4 --name L', 'unknown', {}, seen],
    ['-m recent ! --rcheck --seconds 60 --hitcount 4 --rttl --name M', 'yes', {}, seen],
    ['-m recent --update --hitcount 1 --name L', 'yes', {}, seen],
    ['-m recent --rcheck --rdest --name L', 'unknown'],
    ['-m recent --rcheck --mask 255.255.255.0 --name L', 'unknown'],
    ['-m recent --update --name L --mask 255.255.255.255 --rsource', 'yes', {}, seen],
    ['-m recent --rcheck --update --name L', 'unknown'],
    ['-m recent --rcheck --seconds many --name L', 'unknown', {}, seen],
    ['-m recent --update', 'no', {}, seen],
  ])
})

describe('ipvs', () => {
  const accepted = { virtualServer: { address: '10.96.0.1', port: 80, protocol: 'tcp' } }
  check([
    ['-m ipvs --vaddr 10.96.0.1 --vproto 6 --vport 80', 'no'],
    ['-m ipvs --vaddr 10.96.0.1 --vproto 6 --vport 80', 'yes', accepted],
    ['-m ipvs --vaddr 10.96.0.1 --vproto tcp --vport 81', 'no', accepted],
    ['-m ipvs --ipvs', 'yes', accepted],
    ['-m ipvs ! --ipvs', 'yes'],
    ['-m ipvs --vport 80', 'yes', accepted],
    ['-m ipvs ! --vport 80', 'no', accepted],
    ['-m ipvs ! --vport 80', 'no'],
    ['-m ipvs --vaddr 10.96.0.0/16', 'unknown', accepted],
    ['-m ipvs --vaddr 10.96.0.1/32 --vdir ORIGINAL', 'yes', accepted],
    ['-m ipvs --vdir REPLY', 'no', accepted],
    ['-m ipvs --vmethod MASQ', 'unknown', accepted],
    ['-m ipvs ! --vmethod MASQ', 'no'],
    ['-m ipvs --vproto what', 'unknown', accepted],
    ['-m ipvs --vaddr what', 'unknown', accepted],
    ['-m ipvs --vport what', 'unknown', accepted],
    ['-m ipvs --vport http', 'yes', accepted],
    ['-m ipvs --vdir UP', 'unknown', accepted],
  ])
})

describe('set', () => {
  const elements = {
    name: 'S',
    exact: new Map([['203.0.113.2', { key: '203.0.113.2' }]]),
    ranges: [],
    isPartlyUnknown: false,
  }
  const lookUpSet: StateContext['lookUpSet'] = (name, [direction]) =>
    name === 'S'
      ? { kind: 'lookup', fields: [direction === 'src' ? 'source' : 'destination'], elements: () => elements }
      : { kind: 'unknown' }
  check([
    ['-m set --match-set S src', 'yes', {}, { lookUpSet }],
    ['-m set --match-set S dst', 'no', {}, { lookUpSet }],
    ['-m set ! --match-set S dst', 'yes', {}, { lookUpSet }],
    ['-m set --match-set T src', 'unknown', {}, { lookUpSet }],
    ['-m set --match-set S src ! --update-counters', 'yes', {}, { lookUpSet }],
    ['-m set ! --match-set S src ! --update-subcounters', 'no', {}, { lookUpSet }],
    ['-m set --match-set S src --packets-gt 5', 'unknown', {}, { lookUpSet }],
    ['-m set --match-set S dst --packets-gt 5', 'no', {}, { lookUpSet }],
    ['-m set --match-set S src --return-nomatch', 'unknown', {}, { lookUpSet }],
    ['-m set --match-set S up --return-nomatch', 'unknown', {}, { lookUpSet }],
  ])
})

describe('unknown words', () => {
  check([
    ['-m geoip --src-cc DE', 'unknown'],
    ['-p udp -m geoip --src-cc DE', 'no'],
    ['-m multiport --dports', 'unknown'],
    ['-m "limit" --limit 5/min', 'unknown'],
    ['--what', 'unknown'],
  ])

  it('does not decide an address that is not canonical', () => {
    const match = { kind: 'source', address: 'example.org/8', negated: false } as const
    expect(lowerMatch(match, { family: 'IPv4', lookUpSet: NO_SETS.lookUpSet, isBeforeTracking: false })).toEqual([
      { kind: 'unknown' },
    ])
  })

  it('reads the joined words of several modules', () => {
    const words = ['-m', 'multiport', '--dports', '81', '!', '-f', '-m', 'limit', '--limit', '5/min']
    const literals = lowerMatch(
      { kind: 'unknown', words },
      { family: 'IPv4', lookUpSet: NO_SETS.lookUpSet, isBeforeTracking: false },
    )
    expect(evaluateAll(literals, kernelPacket(), 'INPUT', facts())).toBe('no')
  })
})
