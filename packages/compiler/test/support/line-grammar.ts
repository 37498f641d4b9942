import { isVersionAtLeast } from '../../src/model/configuration/versions.js'
import type { ProxyMode } from '../../src/targets/modes.js'
import { ALPHA_RESTORE, ALPHA_SAVE, NFTABLES_PARTS, NFTABLES_RESTORE, NFTABLES_SAVE } from './nftables-lines.js'
import { OLDER_IPVS_RESTORE, OLDER_IPVS_SAVE, OLDER_PARTS, OLDER_RESTORE, OLDER_SAVE } from './older-lines.js'

// The grammar of kube-proxy's rule lines. It models the behavior of kube-proxy and is independent of the library. Every
// printed line of the library must match it, for any objects. `{…}` refers to a part of `PARTS`.

const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?'
const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = `(?:${OCTET}\\.){3}${OCTET}`
const IPV6 = '(?=[0-9a-f:]{2,39}(?![0-9a-f:]))(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}'
const NUMBER = '(?:[1-9]\\d{0,4})'
const INTERFACE = '[A-Za-z0-9_.@:-]{1,15}\\+?'

const PARTS = {
  svc: `${LABEL}/${LABEL}(?::${LABEL})?`,
  ip: `(?:${IPV4}|${IPV6})`,
  cidr: `(?:${IPV4}/(?:3[0-2]|[12]?\\d)|${IPV6}/(?:12[0-8]|1[01]\\d|[1-9]?\\d))`,
  at: `(?:${IPV4}|\\[${IPV6}\\]):${NUMBER}`,
  port: NUMBER,
  proto: '(?:tcp|udp|sctp)',
  hash: '[A-Z2-7]{16}',
  pool: 'KUBE-SV[CL]-[A-Z2-7]{16}',
  seconds: NUMBER,
  mark: '0x[0-9a-f]{8}',
  shortMark: '0x[0-9a-f]{1,8}',
  tenDecimals: '0\\.\\d{10}',
  elevenDecimals: '0\\.\\d{11}',
  interface: INTERFACE,
  none: '(?:no|no local)',
} as const satisfies Readonly<Record<string, string>>

/**
 * Converts `template` to a pattern for a complete line. `{?…}` is optional text, `{…}` a part, `{a|b}` one of the
 * words.
 */
function lineOf(template: string): RegExp {
  return patternOf(template.split(/(\{[^{}]*\})/), PARTS)
}

/**
 * Like `lineOf`, for older versions: before 1.30 kube-proxy copies source ranges from the Service, and until 1.18 the
 * name of an unnamed port ends with a colon.
 */
function olderLineOf(template: string): RegExp {
  const svc = `${LABEL}/${LABEL}(?::(?:${LABEL})?)?`
  const cidr = `(?:${PARTS.cidr}|(?=[0-9A-Fa-f:]{2,39}/)[0-9A-Fa-f:]+/(?:12[0-8]|1[01]\\d|[1-9]?\\d))`
  return patternOf(template.split(/(\{[^{}]*\})/), { ...PARTS, ...OLDER_PARTS, svc, cidr })
}

/** Like `lineOf`, with `<` and `>` around parts, because nftables itself uses braces. */
function nftablesLineOf(template: string): RegExp {
  return patternOf(template.split(/(<[^<>]*>)/), { ...PARTS, ...NFTABLES_PARTS })
}

/** Builds a pattern from `pieces`, which alternate between literal text and parts. */
function patternOf(pieces: readonly string[], parts: Readonly<Record<string, string>>): RegExp {
  const sources = pieces.map((piece, index) => (index % 2 === 1 ? partOf(piece.slice(1, -1), parts) : literal(piece)))
  return new RegExp(`^${sources.join('')}$`)
}

function partOf(name: string, parts: Readonly<Record<string, string>>): string {
  if (name.startsWith('?')) return `(?:${literal(name.slice(1))})?`
  return parts[name] ?? `(?:${name.split('|').map(literal).join('|')})`
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Expands a template for each form of local traffic detection. */
function forPods(template: string): readonly string[] {
  return ['-s {cidr}', '-i {interface}'].map((match) => template.replace('{pods}', match))
}

const COMMON = ['*{filter|nat}', 'COMMIT']

const NODE_PORTS = 'kubernetes service nodeports; NOTE: this must be the last rule in this chain'

const TOP_CHAINS =
  '{KUBE-SERVICES|KUBE-EXTERNAL-SERVICES|KUBE-FORWARD|KUBE-NODEPORTS|KUBE-PROXY-FIREWALL|KUBE-FIREWALL|KUBE-POSTROUTING|KUBE-MARK-MASQ}'

const SHARED_RESTORE = [
  '-A KUBE-POSTROUTING -m mark ! --mark {mark}/{mark} -j RETURN',
  '-A KUBE-POSTROUTING -j MARK --xor-mark {mark}',
  '-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE{? --random-fully}',
  '-A KUBE-MARK-MASQ -j MARK --or-mark {mark}',
  '-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark {mark}/{mark} -j ACCEPT',
  '-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
]

/** The input of iptables-restore from kube-proxy in iptables mode. */
const RESTORE = [
  ...COMMON,
  ...SHARED_RESTORE,
  `:${TOP_CHAINS} - [0:0]`,
  ':KUBE-{SVC|SVL|EXT|FW|SEP}-{hash} - [0:0]',
  '-A KUBE-FIREWALL -m comment --comment "block incoming localnet connections" -d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP',
  '-A KUBE-FORWARD -m conntrack --ctstate INVALID{? -m nfacct --nfacct-name ct_state_invalid_dropped_pkts} -j DROP',
  `-A KUBE-SERVICES -m comment --comment "${NODE_PORTS}" -m addrtype --dst-type LOCAL{? ! -d ::1/128}{? ! -d 127.0.0.0/8} -j KUBE-NODEPORTS`,
  `-A KUBE-SERVICES -m comment --comment "${NODE_PORTS}" -d {ip} -j KUBE-NODEPORTS`,
  '-A KUBE-SERVICES -m comment --comment "{svc} cluster IP" -m {proto} -p {proto} -d {ip} --dport {port} -j {pool}',
  '-A KUBE-SERVICES -m comment --comment "{svc} external IP" -m {proto} -p {proto} -d {ip} --dport {port} -j KUBE-EXT-{hash}',
  '-A KUBE-SERVICES -m comment --comment "{svc} loadbalancer IP" -m {proto} -p {proto} -d {ip} --dport {port} -j KUBE-{EXT|FW}-{hash}',
  '-A KUBE-{SERVICES|EXTERNAL-SERVICES} -m comment --comment "{svc} has {none} endpoints" -m {proto} -p {proto} -d {ip} --dport {port} -j {REJECT|DROP}',
  '-A KUBE-EXTERNAL-SERVICES -m comment --comment "{svc} has {none} endpoints" -m addrtype --dst-type LOCAL -m {proto} -p {proto} --dport {port} -j {REJECT|DROP}',
  '-A KUBE-PROXY-FIREWALL -m comment --comment "{svc} traffic not accepted by KUBE-FW-{hash}" -m {proto} -p {proto} -d {ip} --dport {port} -j DROP',
  '-A KUBE-NODEPORTS -m comment --comment {svc} -m {proto} -p {proto} --dport {port} -j KUBE-EXT-{hash}',
  '-A KUBE-NODEPORTS -m comment --comment {svc} -m {proto} -p {proto} -d 127.0.0.0/8 --dport {port} -m nfacct --nfacct-name localhost_nps_accepted_pkts -j KUBE-EXT-{hash}',
  '-A KUBE-NODEPORTS -m comment --comment "{svc} health check node port" -m tcp -p tcp --dport {port} -j ACCEPT',
  '-A {pool} -m comment --comment "{svc} cluster IP" -m {proto} -p {proto} -d {ip} --dport {port} -j KUBE-MARK-MASQ',
  ...forPods(
    '-A {pool} -m comment --comment "{svc} cluster IP" -m {proto} -p {proto} -d {ip} --dport {port} ! {pods} -j KUBE-MARK-MASQ',
  ),
  '-A KUBE-EXT-{hash} -m comment --comment "masquerade traffic for {svc} external destinations" -j KUBE-MARK-MASQ',
  ...forPods('-A KUBE-EXT-{hash} -m comment --comment "pod traffic for {svc} external destinations" {pods} -j {pool}'),
  '-A KUBE-EXT-{hash} -m comment --comment "masquerade LOCAL traffic for {svc} external destinations" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ',
  '-A KUBE-EXT-{hash} -m comment --comment "route LOCAL traffic for {svc} external destinations" -m addrtype --src-type LOCAL -j {pool}',
  '-A KUBE-EXT-{hash} -j {pool}',
  '-A KUBE-FW-{hash} -m comment --comment "{svc} loadbalancer IP" -s {cidr} -j KUBE-EXT-{hash}',
  '-A KUBE-FW-{hash} -m comment --comment "{svc} loadbalancer IP" -s {ip} -j KUBE-EXT-{hash}',
  '-A KUBE-FW-{hash} -m comment --comment "other traffic to {svc} will be dropped by KUBE-PROXY-FIREWALL"',
  '-A {pool} -m comment --comment "{svc} -> {at}" -m recent --name KUBE-SEP-{hash} --rcheck --seconds {seconds} --reap -j KUBE-SEP-{hash}',
  '-A {pool} -m comment --comment "{svc} -> {at}" -m statistic --mode random --probability {tenDecimals} -j KUBE-SEP-{hash}',
  '-A {pool} -m comment --comment "{svc} -> {at}" -j KUBE-SEP-{hash}',
  '-A KUBE-SEP-{hash} -m comment --comment {svc} -s {ip} -j KUBE-MARK-MASQ',
  '-A KUBE-SEP-{hash} -m comment --comment {svc} -m {proto} -p {proto} -j DNAT --to-destination {at}',
  '-A KUBE-SEP-{hash} -m comment --comment {svc} -m recent --name KUBE-SEP-{hash} --set -m {proto} -p {proto} -j DNAT --to-destination {at}',
]

const BUILT_IN = ':{PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING} ACCEPT [0:0]'

const SHARED_SAVE = [
  BUILT_IN,
  '-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING',
  '-A {PREROUTING|OUTPUT} -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
  '-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD',
  '-A KUBE-POSTROUTING -m mark ! --mark {shortMark}/{shortMark} -j RETURN',
  '-A KUBE-POSTROUTING -j MARK --set-xmark {shortMark}/0x0',
  '-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE{? --random-fully}',
  '-A KUBE-MARK-MASQ -j MARK --set-xmark {shortMark}/{shortMark}',
  '-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark {shortMark}/{shortMark} -j ACCEPT',
  '-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
]

const NEW = '-m conntrack --ctstate NEW -m comment --comment'
const PORT = '-m {proto} --dport {port}'
const MASK = '--mask {255.255.255.255|ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff} --rsource'
const UNREACHABLE = '{icmp-port-unreachable|icmp6-port-unreachable}'

/** The corresponding output of iptables-save. */
const SAVE = [
  ...COMMON,
  ...SHARED_SAVE,
  `:${TOP_CHAINS} - [0:0]`,
  ':KUBE-{SVC|SVL|EXT|FW|SEP}-{hash} - [0:0]',
  '-A {INPUT|OUTPUT} -j KUBE-FIREWALL',
  `-A {INPUT|FORWARD|OUTPUT} ${NEW} "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL`,
  '-A INPUT -m comment --comment "kubernetes health check service ports" -j KUBE-NODEPORTS',
  `-A {INPUT|FORWARD} ${NEW} "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES`,
  `-A {FORWARD|OUTPUT} ${NEW} "kubernetes service portals" -j KUBE-SERVICES`,
  '-A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP',
  '-A KUBE-FORWARD -m conntrack --ctstate INVALID{? -m nfacct --nfacct-name  ct_state_invalid_dropped_pkts} -j DROP',
  `-A KUBE-SERVICES{? ! -d ::1/128}{? ! -d 127.0.0.0/8} -m comment --comment "${NODE_PORTS}" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS`,
  `-A KUBE-SERVICES -d {cidr} -m comment --comment "${NODE_PORTS}" -j KUBE-NODEPORTS`,
  `-A KUBE-SERVICES -d {cidr} -p {proto} -m comment --comment "{svc} cluster IP" ${PORT} -j {pool}`,
  `-A KUBE-SERVICES -d {cidr} -p {proto} -m comment --comment "{svc} external IP" ${PORT} -j KUBE-EXT-{hash}`,
  `-A KUBE-SERVICES -d {cidr} -p {proto} -m comment --comment "{svc} loadbalancer IP" ${PORT} -j KUBE-{EXT|FW}-{hash}`,
  `-A KUBE-{SERVICES|EXTERNAL-SERVICES} -d {cidr} -p {proto} -m comment --comment "{svc} has {none} endpoints" ${PORT} -j DROP`,
  `-A KUBE-{SERVICES|EXTERNAL-SERVICES} -d {cidr} -p {proto} -m comment --comment "{svc} has {none} endpoints" ${PORT} -j REJECT --reject-with ${UNREACHABLE}`,
  `-A KUBE-EXTERNAL-SERVICES -p {proto} -m comment --comment "{svc} has {none} endpoints" -m addrtype --dst-type LOCAL ${PORT} -j DROP`,
  `-A KUBE-EXTERNAL-SERVICES -p {proto} -m comment --comment "{svc} has {none} endpoints" -m addrtype --dst-type LOCAL ${PORT} -j REJECT --reject-with ${UNREACHABLE}`,
  `-A KUBE-PROXY-FIREWALL -d {cidr} -p {proto} -m comment --comment "{svc} traffic not accepted by KUBE-FW-{hash}" ${PORT} -j DROP`,
  `-A KUBE-NODEPORTS -p {proto} -m comment --comment "{svc}" ${PORT} -j KUBE-EXT-{hash}`,
  `-A KUBE-NODEPORTS -d 127.0.0.0/8 -p {proto} -m comment --comment "{svc}" ${PORT} -m nfacct --nfacct-name  localhost_nps_accepted_pkts -j KUBE-EXT-{hash}`,
  '-A KUBE-NODEPORTS -p tcp -m comment --comment "{svc} health check node port" -m tcp --dport {port} -j ACCEPT',
  `-A {pool} -d {cidr} -p {proto} -m comment --comment "{svc} cluster IP" ${PORT} -j KUBE-MARK-MASQ`,
  `-A {pool} ! -s {cidr} -d {cidr} -p {proto} -m comment --comment "{svc} cluster IP" ${PORT} -j KUBE-MARK-MASQ`,
  `-A {pool} -d {cidr} ! -i {interface} -p {proto} -m comment --comment "{svc} cluster IP" ${PORT} -j KUBE-MARK-MASQ`,
  '-A KUBE-EXT-{hash} -m comment --comment "masquerade traffic for {svc} external destinations" -j KUBE-MARK-MASQ',
  ...forPods('-A KUBE-EXT-{hash} {pods} -m comment --comment "pod traffic for {svc} external destinations" -j {pool}'),
  '-A KUBE-EXT-{hash} -m comment --comment "pod traffic for {svc} external destinations" -j {pool}',
  '-A KUBE-EXT-{hash} -m comment --comment "masquerade LOCAL traffic for {svc} external destinations" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ',
  '-A KUBE-EXT-{hash} -m comment --comment "route LOCAL traffic for {svc} external destinations" -m addrtype --src-type LOCAL -j {pool}',
  '-A KUBE-EXT-{hash} -j {pool}',
  '-A KUBE-FW-{hash} -s {cidr} -m comment --comment "{svc} loadbalancer IP" -j KUBE-EXT-{hash}',
  '-A KUBE-FW-{hash} -m comment --comment "{svc} loadbalancer IP" -j KUBE-EXT-{hash}',
  '-A KUBE-FW-{hash} -m comment --comment "other traffic to {svc} will be dropped by KUBE-PROXY-FIREWALL"',
  `-A {pool} -m comment --comment "{svc} -> {at}" -m recent --rcheck --seconds {seconds} --reap --name KUBE-SEP-{hash} ${MASK} -j KUBE-SEP-{hash}`,
  '-A {pool} -m comment --comment "{svc} -> {at}" -m statistic --mode random --probability {elevenDecimals} -j KUBE-SEP-{hash}',
  '-A {pool} -m comment --comment "{svc} -> {at}" -j KUBE-SEP-{hash}',
  '-A KUBE-SEP-{hash} -s {cidr} -m comment --comment "{svc}" -j KUBE-MARK-MASQ',
  '-A KUBE-SEP-{hash} -p {proto} -m comment --comment "{svc}" -m {proto} -j DNAT --to-destination {at}',
  `-A KUBE-SEP-{hash} -p {proto} -m comment --comment "{svc}" -m recent --set --name KUBE-SEP-{hash} ${MASK} -m {proto} -j DNAT --to-destination {at}`,
]

const HASH_SETS =
  'KUBE-{CLUSTER-IP|EXTERNAL-IP|EXTERNAL-IP-LOCAL|LOAD-BALANCER|LOAD-BALANCER-FW|LOAD-BALANCER-LOCAL|NODE-PORT-SCTP-HASH|NODE-PORT-LOCAL-SCTP-HASH|6-CLUSTER-IP|6-EXTERNAL-IP|6-EXTERNAL-IP-LOCAL|6-LOAD-BALANCER|6-LOAD-BALANCER-FW|6-LOAD-BALANCER-LOCAL|6-NODE-PORT-SCTP-HASH|6-NODE-PORT-LOCAL-SCTP-HAS}'
const ADDRESS_SETS = 'KUBE-{LOOP-BACK|LOAD-BALANCER-SOURCE-IP|6-LOOP-BACK|6-LOAD-BALANCER-SOURCE-IP}'
const NETWORK_SETS = 'KUBE-{LOAD-BALANCER-SOURCE-CIDR|6-LOAD-BALANCER-SOURCE-CID}'
const PORT_SETS =
  'KUBE-{NODE-PORT-TCP|NODE-PORT-LOCAL-TCP|NODE-PORT-UDP|NODE-PORT-LOCAL-UDP|HEALTH-CHECK-NODE-PORT|6-NODE-PORT-TCP|6-NODE-PORT-LOCAL-TCP|6-NODE-PORT-UDP|6-NODE-PORT-LOCAL-UDP|6-HEALTH-CHECK-NODE-PORT}'
const BOUND_SETS = 'KUBE-{IPVS-IPS|6-IPVS-IPS}'
const HASH = 'family {inet|inet6} hashsize 1024 maxelem 65536'
const VIRTUAL_SERVER = '{-t|-u|--sctp-service} {at}'

/** The text for ipset, ipvsadm and ip, which is the same in dumps. */
const IPVS_TOOLS = [
  '# {ipset|ipvs|addresses|iptables}',
  `create ${HASH_SETS} hash:ip,port ${HASH}`,
  `create ${ADDRESS_SETS} hash:ip,port,ip ${HASH}`,
  `create ${NETWORK_SETS} hash:ip,port,net ${HASH}`,
  `create ${PORT_SETS} bitmap:port range 0-65535`,
  `create ${BOUND_SETS} hash:ip ${HASH}`,
  `add ${HASH_SETS} {ip},{proto}:{port}`,
  `add ${ADDRESS_SETS} {ip},{proto}:{port},{ip}`,
  `add ${NETWORK_SETS} {ip},{proto}:{port},{cidr}`,
  `add ${NETWORK_SETS} {ip},{proto}:{port},{ip}`,
  `add ${PORT_SETS} {port}`,
  `add ${BOUND_SETS} {ip}`,
  `-A ${VIRTUAL_SERVER} -s {rr|wrr|lc|wlc|lblc|lblcr|dh|sh|sed|nq|mh|fo|ovf}`,
  `-A ${VIRTUAL_SERVER} -s {rr|wrr|lc|wlc|lblc|lblcr|dh|sh|sed|nq|mh|fo|ovf} -p {seconds}`,
  `-A ${VIRTUAL_SERVER} -s mh{? -p 300}{? -p 10800} -b mh-port`,
  `-a ${VIRTUAL_SERVER} -r {at} -m -w 1`,
  'link add kube-ipvs0 type dummy',
  'address add {cidr} dev kube-ipvs0',
]

const IPVS_CHAINS =
  '{KUBE-SERVICES|KUBE-POSTROUTING|KUBE-NODE-PORT|KUBE-LOAD-BALANCER|KUBE-MARK-MASQ|KUBE-FORWARD|KUBE-PROXY-FIREWALL|KUBE-SOURCE-RANGES-FIREWALL|KUBE-IPVS-FILTER|KUBE-IPVS-OUT-FILTER}'

/**
 * The sets with the dimensions of their lookups: the port for port sets, otherwise the address and port, and for three
 * sets also the source.
 */
const IN_SET = [
  `-m set --match-set ${HASH_SETS} {dst,dst|src,dst}`,
  `-m set --match-set ${ADDRESS_SETS} dst,dst,src`,
  `-m set --match-set ${NETWORK_SETS} dst,dst,src`,
  `-m set --match-set ${PORT_SETS} dst`,
  `-m set --match-set ${BOUND_SETS} dst`,
]

const NOT_FROM_OUTSIDE = '-m physdev ! --physdev-is-in -m addrtype ! --src-type LOCAL'

const SET_COMMENT =
  "{Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose|Kubernetes service cluster ip + port for masquerade purpose|Kubernetes service external ip + port for masquerade and filter purpose|Kubernetes service external ip + port with externalTrafficPolicy=local|Kubernetes service lb portal|Kubernetes service load balancer ip + port for load balancer with sourceRange|Kubernetes service load balancer ip + port with externalTrafficPolicy=local|Kubernetes service load balancer ip + port + source IP for packet filter purpose|Kubernetes service load balancer ip + port + source cidr for packet filter purpose|Kubernetes nodeport TCP port for masquerade purpose|Kubernetes nodeport TCP port with externalTrafficPolicy=local|Kubernetes nodeport UDP port for masquerade purpose|Kubernetes nodeport UDP port with externalTrafficPolicy=local|Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'|Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash ip:port'|Kubernetes health check node port}"

/** In a dump the apostrophes have a backslash. */
const SAVED_SET_COMMENT = SET_COMMENT.replaceAll("'", "\\'")

function ipvsRules(comment: string): readonly string[] {
  return IN_SET.flatMap((set) => [
    `-A KUBE-POSTROUTING -m comment --comment "${comment}" ${set} -j MASQUERADE`,
    `-A KUBE-SERVICES -m comment --comment "${comment}" ${set} -j {KUBE-LOAD-BALANCER|KUBE-MARK-MASQ}`,
    `-A KUBE-SERVICES -m comment --comment "${comment}" ${set} ${NOT_FROM_OUTSIDE} -j ACCEPT`,
    `-A KUBE-SERVICES -m comment --comment "${comment}" ${set} -m addrtype --dst-type LOCAL -j ACCEPT`,
    `-A KUBE-SERVICES ${set} -j ACCEPT`,
    `-A KUBE-LOAD-BALANCER -m comment --comment "${comment}" ${set} -j RETURN`,
    `-A KUBE-NODE-PORT -p {proto} -m comment --comment "${comment}" ${set} -j {RETURN|KUBE-MARK-MASQ}`,
    `-A KUBE-NODE-PORT -m comment --comment "${comment}" ${set} -j ACCEPT`,
    `-A KUBE-PROXY-FIREWALL -m comment --comment "${comment}" ${set} -j KUBE-SOURCE-RANGES-FIREWALL`,
    `-A KUBE-SOURCE-RANGES-FIREWALL -m comment --comment "${comment}" ${set} -j RETURN`,
    `-A KUBE-IPVS-FILTER ${set} -j RETURN`,
  ])
}

const IPVS_RESTORE = [
  ...COMMON,
  ...SHARED_RESTORE,
  ...IPVS_TOOLS,
  `:${IPVS_CHAINS} - [0:0]`,
  ...ipvsRules(SET_COMMENT),
  ...IN_SET.flatMap((set) =>
    forPods(`-A KUBE-SERVICES -m comment --comment "${SET_COMMENT}" ${set} ! {pods} -j KUBE-MARK-MASQ`),
  ),
  ...IN_SET.map((set) => `-A KUBE-IPVS-FILTER -m conntrack --ctstate NEW ${set} -j REJECT`),
  '-A KUBE-SERVICES -s {127.0.0.0/8|::1/128} -j RETURN',
  '-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODE-PORT',
  '-A KUBE-LOAD-BALANCER -j KUBE-MARK-MASQ',
  '-A KUBE-SOURCE-RANGES-FIREWALL -j DROP',
  '-A KUBE-IPVS-OUT-FILTER -s {ip} -m ipvs --vaddr {ip} --vproto {proto} --vport {port} -j DROP',
]

const IPVS_SAVE = [
  ...COMMON,
  ...SHARED_SAVE,
  ...IPVS_TOOLS,
  `:${IPVS_CHAINS} - [0:0]`,
  ...ipvsRules(SAVED_SET_COMMENT),
  ...IN_SET.flatMap((set) =>
    forPods(`-A KUBE-SERVICES ! {pods} -m comment --comment "${SAVED_SET_COMMENT}" ${set} -j KUBE-MARK-MASQ`),
  ),
  ...IN_SET.map(
    (set) => `-A KUBE-IPVS-FILTER -m conntrack --ctstate NEW ${set} -j REJECT --reject-with ${UNREACHABLE}`,
  ),
  '-A INPUT -m comment --comment "kubernetes ipvs access filter" -j KUBE-IPVS-FILTER',
  '-A {INPUT|FORWARD} -m comment --comment "kube-proxy firewall rules" -j KUBE-PROXY-FIREWALL',
  '-A INPUT -m comment --comment "kubernetes health check rules" -j KUBE-NODE-PORT',
  '-A OUTPUT -m comment --comment "kubernetes ipvs access filter" -j KUBE-IPVS-OUT-FILTER',
  '-A KUBE-SERVICES -s {127.0.0.0/8|::1/128} -j RETURN',
  '-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODE-PORT',
  '-A KUBE-LOAD-BALANCER -j KUBE-MARK-MASQ',
  '-A KUBE-SOURCE-RANGES-FIREWALL -j DROP',
  '-A KUBE-IPVS-OUT-FILTER -s {cidr} -m ipvs --vproto {6|17|132} --vaddr {ip} --vport {port} -j DROP',
]

const PORTAL_JUMPS = [
  '-A {PREROUTING|OUTPUT} -m comment --comment "handle ClusterIPs; NOTE: this must be before the NodePort rules" -j KUBE-PORTALS-{CONTAINER|HOST}',
  '-A {PREROUTING|OUTPUT} -m addrtype --dst-type LOCAL -m comment --comment "handle service NodePorts; NOTE: this must be the last rule in the chain" -j KUBE-NODEPORT-{CONTAINER|HOST}',
  '-A INPUT -m comment --comment "Ensure that non-local NodePort traffic can flow" -j KUBE-NODEPORT-NON-LOCAL',
]

const PROXY_CHAINS =
  '{KUBE-PORTALS-CONTAINER|KUBE-PORTALS-HOST|KUBE-NODEPORT-CONTAINER|KUBE-NODEPORT-HOST|KUBE-NODEPORT-NON-LOCAL}'

/** Expands a template for both targets that redirect to the process. */
function toProxy(template: string): readonly string[] {
  return ['REDIRECT --to-ports {port}', 'DNAT --to-destination {at}'].map((target) =>
    template.replace('{proxy}', target),
  )
}

const PORTAL = '-A KUBE-PORTALS-{CONTAINER|HOST} -m comment --comment {svc} -p {tcp|udp} -m {tcp|udp} --dport {port}'
const SAVED_PORTAL =
  '-A KUBE-PORTALS-{CONTAINER|HOST} -d {cidr} -p {tcp|udp} -m comment --comment "{svc}" -m {tcp|udp} --dport {port}'
const OF_EXTERNAL_IP = '{? -m physdev ! --physdev-is-in}{? -m addrtype --dst-type LOCAL}'

/** The effect of kube-proxy's commands in userspace mode. */
const USERSPACE_RESTORE = [
  ...COMMON,
  `:${PROXY_CHAINS} - [0:0]`,
  ...toProxy(`${PORTAL} -d {ip}{?/32}{?/128}${OF_EXTERNAL_IP} -j {proxy}`),
  ...toProxy(
    '-A KUBE-NODEPORT-{CONTAINER|HOST} -m comment --comment {svc} -p {tcp|udp} -m {tcp|udp} --dport {port} -j {proxy}',
  ),
  '-A KUBE-NODEPORT-NON-LOCAL -m comment --comment {svc} -p {tcp|udp} -m {tcp|udp} --dport {port} -m state --state NEW -j ACCEPT',
]

const USERSPACE_SAVE = [
  ...COMMON,
  ':{PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING} ACCEPT [0:0]',
  `:${PROXY_CHAINS} - [0:0]`,
  ...PORTAL_JUMPS,
  ...toProxy(`${SAVED_PORTAL}${OF_EXTERNAL_IP} -j {proxy}`),
  ...toProxy(
    '-A KUBE-NODEPORT-{CONTAINER|HOST} -p {tcp|udp} -m comment --comment "{svc}" -m {tcp|udp} --dport {port} -j {proxy}',
  ),
  '-A KUBE-NODEPORT-NON-LOCAL -p {tcp|udp} -m comment --comment "{svc}" -m {tcp|udp} --dport {port} -m state --state NEW -j ACCEPT',
]

const GRAMMARS = {
  iptables: { restore: RESTORE.map(lineOf), save: SAVE.map(lineOf) },
  ipvs: { restore: IPVS_RESTORE.map(lineOf), save: IPVS_SAVE.map(lineOf) },
  nftables: { restore: NFTABLES_RESTORE.map(nftablesLineOf), save: NFTABLES_SAVE.map(nftablesLineOf) },
  userspace: { restore: USERSPACE_RESTORE.map(lineOf), save: USERSPACE_SAVE.map(lineOf) },
} as const satisfies Record<ProxyMode, unknown>

/** The lines of versions before 1.30, including lines that only even older versions write. */
const OLDER_GRAMMARS = {
  iptables: {
    restore: [...RESTORE, ...OLDER_RESTORE].map(olderLineOf),
    save: [...SAVE, ...OLDER_SAVE].map(olderLineOf),
  },
  ipvs: {
    restore: [...IPVS_RESTORE, ...OLDER_IPVS_RESTORE].map(olderLineOf),
    save: [...IPVS_SAVE, ...OLDER_IPVS_SAVE].map(olderLineOf),
  },
  nftables: {
    restore: [...NFTABLES_RESTORE, ...ALPHA_RESTORE].map(nftablesLineOf),
    save: [...NFTABLES_SAVE, ...ALPHA_SAVE].map(nftablesLineOf),
  },
  userspace: { restore: USERSPACE_RESTORE.map(olderLineOf), save: USERSPACE_SAVE.map(olderLineOf) },
} as const satisfies Record<ProxyMode, unknown>

/** A cache of lines that match a grammar, because most lines repeat. */
const known = new Map<readonly RegExp[], Set<string>>()

/** Returns the lines of a text that are not kube-proxy rules; the text must end with a newline. */
export function foreignLines(
  text: string,
  mode: ProxyMode,
  style: 'restore' | 'save',
  kubernetesVersion?: string,
): readonly string[] {
  const isOlder = kubernetesVersion !== undefined && !isVersionAtLeast(kubernetesVersion, '1.30')
  const grammar = (isOlder ? OLDER_GRAMMARS : GRAMMARS)[mode][style]
  const lines = text.split('\n')
  const last = lines.pop()
  const foreign = lines.filter((line) => !isLineOf(grammar, line))
  return last === '' ? foreign : [...foreign, `${last} (no newline)`]
}

function isLineOf(grammar: readonly RegExp[], line: string): boolean {
  const seen = known.get(grammar) ?? new Set()
  known.set(grammar, seen)
  if (!seen.has(line) && grammar.some((pattern) => pattern.test(line))) seen.add(line)
  return seen.has(line)
}
