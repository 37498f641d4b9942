/**
 * Patterns for chain names that occur in only one iptables table, with this table: chains of kube-proxy in any version,
 * and chains of other programs on nodes.
 */
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

/** The iptables table of a jump between two chains. Required for chain names that occur in several tables. */
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
  'KUBE-FIREWALL RETURN': 'nat',
}

/** Returns the only iptables table with a chain of this name; `jumpTarget` is the target of one of its rules. */
export function tableOfChain(chain: string, jumpTarget = ''): string | undefined {
  const pair = `${chain} ${jumpTarget}`
  return Object.hasOwn(JUMPS, pair) ? JUMPS[pair] : TABLES.find(([, names]) => names.test(chain))?.[0]
}

/**
 * Returns the chain that a kube-proxy rule with these words must belong to. A rule that jumps to a service-port chain
 * belongs to KUBE-SERVICES if it matches an address, and to KUBE-NODEPORTS if it matches only a port. Some comments
 * also determine the chain.
 */
export function inferChainFromWords(words: readonly string[]): string | undefined {
  const led = words[words.indexOf('-j') + 1] ?? ''
  const text = words[words.indexOf('--comment') + 1] ?? ''
  if (led === 'KUBE-NODEPORTS' && /^"kubernetes service nodeports;/.test(text)) return 'KUBE-SERVICES'
  if (led === 'KUBE-POSTROUTING' && text === '"kubernetes postrouting rules"') return 'POSTROUTING'
  if (!words.includes('-j') || !/^KUBE-(?:SVC|SVL|EXT|FW|XLB)-/.test(led) || !words.includes('--dport'))
    return undefined
  if (words.includes('-d')) return / (?:cluster|external|loadbalancer) IP"?$/.test(text) ? 'KUBE-SERVICES' : undefined
  return words.includes('-s') ? undefined : 'KUBE-NODEPORTS'
}

/** Names of chains, sets and maps in the kube-proxy table of nftables mode. */
const OBJECT_NAMES =
  /^(?:(?:service|endpoint|external|firewall)-[A-Z0-9]{8}|nat-(?:prerouting|output|postrouting)|(?:filter-)?(?:prerouting|input|forward|output)(?:-pre-dnat)?|services|service-(?:ips|nodeports|endpoints-check)|no-endpoint-(?:services|nodeports)|cluster-ips(?:-check)?|nodeport(?:s|-ips|-endpoints-check)|firewall-(?:ips|check)|masquerading|mark-for-masquerade|reject-chain|hairpin-connections|nat-(?:prerouting|output|postrouting))/

/**
 * Returns the name of the nftables table (`kube-proxy`) that contains an object with this name. Undefined if the name
 * does not determine the table.
 */
export function tableOfObject(name: string): string | undefined {
  return OBJECT_NAMES.test(name) ? 'kube-proxy' : undefined
}
