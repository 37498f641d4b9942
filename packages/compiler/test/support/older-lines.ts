// The grammar of the lines that only older versions of kube-proxy write, until 1.24. Like `line-grammar` it models the
// behavior of kube-proxy and is independent of the library.

const HASH = '[A-Z2-7]{16}'

/** Parts that only these lines use. */
export const OLDER_PARTS: Readonly<Record<string, string>> = {
  oldPool: `KUBE-(?:SVC|XLB)-${HASH}`,
  oldTarget: `KUBE-(?:(?:SVC|XLB|FW)-${HASH}|MARK-MASQ)`,
  oldGuard: `KUBE-(?:(?:SVC|XLB)-${HASH}|MARK-MASQ|MARK-DROP)`,
  number: '(?:0|[1-9]\\d{0,4})',
  fiveDecimals: '0\\.\\d{5}',
}

const ESTABLISHED = '-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT'
const SNAT = '-m comment --comment "kubernetes service traffic requiring SNAT"'
const OF_PODS = (which: string) => `-m comment --comment "kubernetes forwarding conntrack pod ${which} rule"`

/** The lines of both modes, for iptables-restore. */
const SHARED_RESTORE = [
  ':KUBE-MARK-DROP - [0:0]',
  `-A KUBE-POSTROUTING ${SNAT} -m mark --mark {mark}/{mark} -j MASQUERADE{? --random-fully}`,
  '-A KUBE-MARK-MASQ -j MARK --set-xmark {mark}/{mark}',
  `-A KUBE-FORWARD ${OF_PODS('{source|destination}')} ${ESTABLISHED}`,
  `-A KUBE-FORWARD -s {cidr} ${OF_PODS('source')} ${ESTABLISHED}`,
  `-A KUBE-FORWARD ${OF_PODS('destination')} -d {cidr} ${ESTABLISHED}`,
]

/** The corresponding lines of iptables-save. */
const SHARED_SAVE = [
  ':KUBE-MARK-DROP - [0:0]',
  `-A KUBE-POSTROUTING ${SNAT} -m mark --mark {shortMark}/{shortMark} -j MASQUERADE{? --random-fully}`,
  `-A KUBE-FORWARD ${OF_PODS('{source|destination}')} ${ESTABLISHED}`,
  `-A KUBE-FORWARD -s {cidr} ${OF_PODS('source')} ${ESTABLISHED}`,
  `-A KUBE-FORWARD -d {cidr} ${OF_PODS('destination')} ${ESTABLISHED}`,
]

const NOT_FROM_OUTSIDE = '-m physdev ! --physdev-is-in -m addrtype ! --src-type LOCAL'
const FROM_NODE = '-m addrtype --src-type LOCAL'
const REDIRECTED = '-m comment --comment "Redirect pods trying to reach external loadbalancer VIP to clusterIP"'

/** The rules that balance between endpoints: with affinity, at random, and the last one. Returns `{match} -j`. */
function balancing(affinity: string, ...decimals: readonly string[]): readonly string[] {
  return [`${affinity} `, ...decimals.map((each) => `-m statistic --mode random --probability ${each} `), '']
}

const TO_ENDPOINT = '-j KUBE-SEP-{hash}'
const RECENT = '-m recent --name KUBE-SEP-{hash} --rcheck --seconds {seconds} --reap'
const MASK = '--mask {255.255.255.255|ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff} --rsource'
const SAVED_RECENT = `-m recent --rcheck --seconds {seconds} --reap --name KUBE-SEP-{hash} ${MASK}`

/** The rules of KUBE-XLB- that are the same in both formats. */
const LOCAL_POLICY = [
  ':KUBE-XLB-{hash} - [0:0]',
  '-A KUBE-{XLB|SVL}-{hash} -m comment --comment "{svc} has no local endpoints" -j KUBE-MARK-DROP',
  `-A KUBE-XLB-{hash} -m comment --comment "masquerade LOCAL traffic for {svc} LB IP" ${FROM_NODE} -j KUBE-MARK-MASQ`,
  `-A KUBE-XLB-{hash} -m comment --comment "route LOCAL traffic for {svc} LB IP to service chain" ${FROM_NODE} -j KUBE-SVC-{hash}`,
]

const TO_PORT = '-m {proto} -p {proto} -d {cidr} --dport {port}'

/** The lines of iptables mode, for iptables-restore. */
export const OLDER_RESTORE: readonly string[] = [
  ...SHARED_RESTORE,
  ...LOCAL_POLICY,
  `-A KUBE-{SERVICES|EXTERNAL-SERVICES} -m comment --comment "{svc} has no endpoints" ${TO_PORT} -j REJECT`,
  `-A KUBE-SERVICES -m comment --comment "{svc} {cluster|external|loadbalancer} IP" ${TO_PORT} -j {oldTarget}`,
  // In 1.23, addresses have no length.
  '-A KUBE-SERVICES -m comment --comment "{svc} external IP" -m {proto} -p {proto} -d {ip} --dport {port} -j {oldPool}',
  '-A KUBE-SVC-{hash} -m comment --comment "{svc} external IP" -m {proto} -p {proto} -d {ip} --dport {port} -j KUBE-MARK-MASQ',
  '-A KUBE-SVC-{hash} -m comment --comment "{svc} external IP" -m {proto} -p {proto} -d {ip} --dport {port} ! -s {cidr} -j KUBE-MARK-MASQ',
  '-A KUBE-FW-{hash} -m comment --comment "{svc} loadbalancer IP" -s {ip} -j {oldPool}',
  `-A KUBE-SERVICES -m comment --comment "{svc} {cluster|external} IP" ${TO_PORT} ! -s {cidr} -j KUBE-MARK-MASQ`,
  `-A KUBE-SERVICES -m comment --comment "{svc} external IP" ${TO_PORT} ${NOT_FROM_OUTSIDE} -j {oldPool}`,
  `-A KUBE-SERVICES -m comment --comment "{svc} external IP" ${TO_PORT} -m addrtype --dst-type LOCAL -j {oldPool}`,
  '-A KUBE-FW-{hash} -m comment --comment "{svc} loadbalancer IP" -j {oldGuard}',
  '-A KUBE-FW-{hash} -m comment --comment "{svc} loadbalancer IP" -s {cidr} -j {oldPool}',
  '-A KUBE-NODEPORTS -m comment --comment {svc} -m {proto} -p {proto} --dport {port} -j {oldTarget}',
  '-A KUBE-NODEPORTS -m comment --comment {svc} -m {proto} -p {proto} --dport {port} -s {127.0.0.0/8|::1/128} -j KUBE-MARK-MASQ',
  `-A KUBE-SVC-{hash} -m comment --comment "{svc} {cluster|external} IP" ${TO_PORT} -j KUBE-MARK-MASQ`,
  `-A KUBE-SVC-{hash} -m comment --comment "{svc} {cluster|external} IP" ${TO_PORT} ! -s {cidr} -j KUBE-MARK-MASQ`,
  '-A KUBE-SVC-{hash} -m comment --comment {svc} -m {proto} -p {proto} --dport {port} -j KUBE-MARK-MASQ',
  `-A KUBE-XLB-{hash} ${REDIRECTED} -s {cidr} -j KUBE-SVC-{hash}`,
  ...balancing(RECENT, '{fiveDecimals}', '{tenDecimals}').flatMap((match) => [
    `-A KUBE-SVC-{hash} ${match}${TO_ENDPOINT}`,
    `-A {oldPool} -m comment --comment {svc} ${match}${TO_ENDPOINT}`,
    `-A KUBE-XLB-{hash} -m comment --comment "Balancing rule {number} for {svc}" ${match}${TO_ENDPOINT}`,
  ]),
  '-A KUBE-SEP-{hash} -m comment --comment {svc} -s {cidr} -j KUBE-MARK-MASQ',
  '-A KUBE-SEP-{hash} -s {cidr} -j KUBE-MARK-MASQ',
  '-A KUBE-SEP-{hash} -m {proto} -p {proto} -j DNAT --to-destination {at}',
  '-A KUBE-SEP-{hash} -m recent --name KUBE-SEP-{hash} --set -m {proto} -p {proto} -j DNAT --to-destination {at}',
]

const PORT = '-m {proto} --dport {port}'

/** The lines of iptables mode of iptables-save. */
export const OLDER_SAVE: readonly string[] = [
  ...SHARED_SAVE,
  ...LOCAL_POLICY,
  '-A INPUT -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
  `-A KUBE-SERVICES -d {cidr} -p {proto} -m comment --comment "{svc} {cluster|external|loadbalancer} IP" ${PORT} -j {oldTarget}`,
  `-A KUBE-SERVICES ! -s {cidr} -d {cidr} -p {proto} -m comment --comment "{svc} {cluster|external} IP" ${PORT} -j KUBE-MARK-MASQ`,
  `-A KUBE-SERVICES -d {cidr} -p {proto} -m comment --comment "{svc} external IP" ${PORT} ${NOT_FROM_OUTSIDE} -j {oldPool}`,
  `-A KUBE-SERVICES -d {cidr} -p {proto} -m comment --comment "{svc} external IP" ${PORT} -m addrtype --dst-type LOCAL -j {oldPool}`,
  '-A KUBE-FW-{hash} -m comment --comment "{svc} loadbalancer IP" -j {oldGuard}',
  '-A KUBE-FW-{hash} -s {cidr} -m comment --comment "{svc} loadbalancer IP" -j {oldPool}',
  `-A KUBE-NODEPORTS -p {proto} -m comment --comment "{svc}" ${PORT} -j {oldTarget}`,
  `-A KUBE-NODEPORTS -s {127.0.0.0/8|::1/128} -p {proto} -m comment --comment "{svc}" ${PORT} -j KUBE-MARK-MASQ`,
  `-A KUBE-SVC-{hash} -d {cidr} -p {proto} -m comment --comment "{svc} {cluster|external} IP" ${PORT} -j KUBE-MARK-MASQ`,
  `-A KUBE-SVC-{hash} ! -s {cidr} -d {cidr} -p {proto} -m comment --comment "{svc} {cluster|external} IP" ${PORT} -j KUBE-MARK-MASQ`,
  `-A KUBE-SVC-{hash} -p {proto} -m comment --comment "{svc}" ${PORT} -j KUBE-MARK-MASQ`,
  `-A KUBE-XLB-{hash} -s {cidr} ${REDIRECTED} -j KUBE-SVC-{hash}`,
  ...balancing(SAVED_RECENT, '{elevenDecimals}').flatMap((match) => [
    `-A KUBE-SVC-{hash} ${match}${TO_ENDPOINT}`,
    `-A {oldPool} -m comment --comment "{svc}" ${match}${TO_ENDPOINT}`,
    `-A KUBE-XLB-{hash} -m comment --comment "Balancing rule {number} for {svc}" ${match}${TO_ENDPOINT}`,
  ]),
  '-A KUBE-SEP-{hash} -s {cidr} -j KUBE-MARK-MASQ',
  '-A KUBE-SEP-{hash} -p {proto} -m {proto} -j DNAT --to-destination {at}',
  `-A KUBE-SEP-{hash} -p {proto} -m recent --set --name KUBE-SEP-{hash} ${MASK} -m {proto} -j DNAT --to-destination {at}`,
]

/** The lines of ipvs mode that are the same in both formats. */
const IPVS_FIREWALL = [
  ':KUBE-FIREWALL - [0:0]',
  '-A KUBE-FIREWALL -j KUBE-MARK-DROP',
  '-A KUBE-FIREWALL -m comment --comment "Kubernetes service load balancer ip + port + source IP for packet filter purpose" -m set --match-set KUBE-{?6-}LOAD-BALANCER-SOURCE-IP dst,dst,src -j RETURN',
  '-A KUBE-FIREWALL -m comment --comment "Kubernetes service load balancer ip + port + source cidr for packet filter purpose" -m set --match-set KUBE-{LOAD-BALANCER-SOURCE-CIDR|6-LOAD-BALANCER-SOURCE-CID} dst,dst,src -j RETURN',
  '-A KUBE-LOAD-BALANCER -m comment --comment "Kubernetes service load balancer ip + port for load balancer with sourceRange" -m set --match-set KUBE-{?6-}LOAD-BALANCER-FW dst,dst -j KUBE-FIREWALL',
]

/** The lines about SCTP node ports of ipvs mode until 1.15, where they are in port sets. */
const IPVS_SCTP = [
  'create KUBE-NODE-PORT-{?LOCAL-}SCTP bitmap:port range 0-65535',
  'add KUBE-NODE-PORT-{?LOCAL-}SCTP {port}',
  '-A KUBE-SERVICES -p sctp -m comment --comment "Kubernetes nodeport SCTP port for masquerade purpose" -m set --match-set KUBE-NODE-PORT-SCTP dst -j KUBE-NODE-PORT',
  '-A KUBE-NODE-PORT -p sctp -m comment --comment "Kubernetes nodeport SCTP port with externalTrafficPolicy=local" -m set --match-set KUBE-NODE-PORT-LOCAL-SCTP dst -j RETURN',
]

/** The lines of ipvs mode, for iptables-restore and ipset restore. */
export const OLDER_IPVS_RESTORE: readonly string[] = [...SHARED_RESTORE, ...IPVS_FIREWALL, ...IPVS_SCTP]

/** The lines of ipvs mode of iptables-save and ipset save. */
export const OLDER_IPVS_SAVE: readonly string[] = [...SHARED_SAVE, ...IPVS_FIREWALL, ...IPVS_SCTP]
