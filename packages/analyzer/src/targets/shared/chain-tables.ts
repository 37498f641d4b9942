/** Names of chains of kube-proxy, of any age, and of programs that share its nodes, that are in one table only. */
const TABLES: readonly (readonly [table: string, names: RegExp])[] = [
  [
    'nat',
    /^(?:KUBE-(?:SVC|SVL|SEP|EXT|XLB|FW)-|KUBE-(?:POSTROUTING|MARK-MASQ|MARK-DROP|PORTALS-\w+|NODEPORT-\w+|LOAD-BALANCER|HOSTPORTS|HP-\S+|LB)$)/,
  ],
  [
    'filter',
    /^KUBE-(?:FORWARD|EXTERNAL-SERVICES|PROXY-FIREWALL|FIREWALL|IPVS-FILTER|IPVS-OUT-FILTER|SOURCE-RANGES-FIREWALL|NODEPORT-NON-LOCAL|NWPLCY-\S+|POD-FW-\S+|ROUTER-\S+)$/,
  ],
  [
    'nat',
    /^(?:CNI-\S+|FLANNEL-POSTRTG|IP-MASQ-AGENT|IP-MASQ|WEAVE|ISTIO_\w+|MINIKUBE\S*|cali-(?:nat-outgoing|fip-dnat|fip-snat)|AWS-(?:SNAT|CONNMARK)-CHAIN-\d+|ANTREA-(?:PREROUTING|POSTROUTING)|OUTPUT_direct)$/,
  ],
  [
    'filter',
    /^(?:FLANNEL-FWD|DOCKER-(?:USER|FORWARD|CT|BRIDGE|ISOLATION-STAGE-\d)|DOCKER-ISOLATION|WEAVE-NPC\S*|cali-(?:INPUT|FORWARD|wl-to-host|from-\S+|to-\S+|tw-\S+|fw-\S+|p[io]-\S+|pr[io]-\S+|cidr-block)|ufw\S*|FWD[IO]_\S+|IN_\S+|INPUT_(?:ZONES\S*|direct)|FORWARD_(?:IN|OUT)_ZONES\S*|NODE-LOCAL-DNS)$/,
  ],
  ['nat', /^(?:POST_\S+|POSTROUTING_ZONES\S*|CILIUM_(?:\w+_)?(?:PRE|POST|OUTPUT)_nat)$/],
  ['mangle', /^CILIUM_(?:\w+_)?(?:PRE|POST)_mangle$/],
  ['raw', /^CILIUM_(?:\w+_)?(?:PRE|OUTPUT)_raw$/],
  ['filter', /^CILIUM_(?:INPUT|OUTPUT|FORWARD)$/],
]

/** Where two chains of kube-proxy that are in several tables meet, the table where one leads to the other. */
const JUMPS: Readonly<Record<string, string>> = {
  'OUTPUT KUBE-SERVICES': 'nat',
  'OUTPUT DOCKER': 'nat',
  'KUBE-SERVICES KUBE-NODEPORTS': 'nat',
  'KUBE-SERVICES KUBE-NODE-PORT': 'nat',
  'KUBE-SERVICES ACCEPT': 'nat',
  'KUBE-SERVICES DROP': 'filter',
  'KUBE-NODEPORTS ACCEPT': 'filter',
  'KUBE-NODE-PORT ACCEPT': 'filter',
  'KUBE-NODE-PORT RETURN': 'nat',
  'KUBE-NODE-PORT KUBE-MARK-MASQ': 'nat',
  'KUBE-FIREWALL KUBE-MARK-DROP': 'nat',
}

/** The table of iptables that a chain of this name is in, where that is always the same; `led` is where a rule of it leads. */
export function tableOfChain(chain: string, led = ''): string | undefined {
  const pair = `${chain} ${led}`
  return Object.hasOwn(JUMPS, pair) ? JUMPS[pair] : TABLES.find(([, names]) => names.test(chain))?.[0]
}

/**
 * The chain that a rule of kube-proxy with these words is in, where it can be in no other: one that leads to the chain of a
 * service port looks for an address in KUBE-SERVICES, and for a port alone in KUBE-NODEPORTS; some say it in their comment.
 */
export function chainOfWords(words: readonly string[]): string | undefined {
  const led = words[words.indexOf('-j') + 1] ?? ''
  const text = words[words.indexOf('--comment') + 1] ?? ''
  if (led === 'KUBE-NODEPORTS' && /^"kubernetes service nodeports;/.test(text)) return 'KUBE-SERVICES'
  if (led === 'KUBE-POSTROUTING' && text === '"kubernetes postrouting rules"') return 'POSTROUTING'
  if (!words.includes('-j') || !/^KUBE-(?:SVC|SVL|EXT|FW|XLB)-/.test(led) || !words.includes('--dport'))
    return undefined
  if (words.includes('-d')) return / (?:cluster|external|loadbalancer) IP"?$/.test(text) ? 'KUBE-SERVICES' : undefined
  return words.includes('-s') ? undefined : 'KUBE-NODEPORTS'
}

/** What the table of kube-proxy in mode nftables is made of. */
const PARTS =
  /^(?:(?:service|endpoint|external|firewall)-[A-Z0-9]{8}|nat-(?:prerouting|output|postrouting)|(?:filter-)?(?:prerouting|input|forward|output)(?:-pre-dnat)?|services|service-(?:ips|nodeports|endpoints-check)|no-endpoint-(?:services|nodeports)|cluster-ips(?:-check)?|nodeport(?:s|-ips|-endpoints-check)|firewall-(?:ips|check)|masquerading|mark-for-masquerade|reject-chain|hairpin-connections|nat-(?:prerouting|output|postrouting))/

/** The table of nftables, as `ip kube-proxy` names it, that a part of this name is in; undefined where nobody can tell. */
export function tableOfPart(part: string): string | undefined {
  return PARTS.test(part) ? 'kube-proxy' : undefined
}
