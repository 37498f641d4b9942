import {
  isDispatchChain,
  isServicePortChainOfAnyVersion,
} from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { tableOfNeighborChain } from '../../neighbors/chain-tables.js'

/** Patterns for names of kube-proxy chains, in any version, that occur in only one iptables table, with this table. */
const TABLES: readonly (readonly [table: string, names: RegExp])[] = [
  ['nat', /^KUBE-(?:POSTROUTING|MARK-MASQ|MARK-DROP|PORTALS-\w+|NODEPORT-\w+|LOAD-BALANCER|LB)$/],
  [
    'filter',
    /^KUBE-(?:FORWARD|EXTERNAL-SERVICES|PROXY-FIREWALL|FIREWALL|IPVS-FILTER|IPVS-OUT-FILTER|SOURCE-RANGES-FIREWALL|NODEPORT-NON-LOCAL)$/,
  ],
  ['nat', /^MINIKUBE\S*$/],
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
  if (Object.hasOwn(JUMPS, pair)) return JUMPS[pair]
  if (isServicePortChainOfAnyVersion(chain)) return 'nat'
  return TABLES.find(([, names]) => names.test(chain))?.[0] ?? tableOfNeighborChain(chain)
}

/**
 * Returns the chain that a kube-proxy rule with these words must belong to. A rule that jumps to a service-port chain
 * belongs to KUBE-SERVICES if it matches an address, and to KUBE-NODEPORTS if it matches only a port. Some comments
 * also determine the chain, or one of the two chains that reject packets to Services without endpoints.
 */
export function inferChainFromWords(words: readonly string[]): string | undefined {
  const led = words[words.indexOf('-j') + 1] ?? ''
  const text = words[words.indexOf('--comment') + 1] ?? ''
  if (led === 'KUBE-NODEPORTS' && /^"kubernetes service nodeports;/.test(text)) return 'KUBE-SERVICES'
  if (led === 'KUBE-POSTROUTING' && text === '"kubernetes postrouting rules"') return 'POSTROUTING'
  if (/ has no (?:local )?endpoints"?$/.test(text) && /^(?:REJECT|DROP)$/.test(led)) {
    // A port of every address is a node port, and only traffic policies of external clients are common.
    return words.includes('-d') && led === 'REJECT' ? 'KUBE-SERVICES' : 'KUBE-EXTERNAL-SERVICES'
  }
  if (!words.includes('-j') || !isDispatchChain(led) || !words.includes('--dport')) return undefined
  if (words.includes('-d')) return / (?:cluster|external|loadbalancer) IP"?$/.test(text) ? 'KUBE-SERVICES' : undefined
  return words.includes('-s') ? undefined : 'KUBE-NODEPORTS'
}

/** Names of chains, sets and maps in the kube-proxy table of nftables mode. */
const OBJECT_NAMES =
  /^(?:(?:service|endpoint|external|firewall)-[A-Z0-9]{8}|nat-(?:prerouting|output|postrouting)|(?:filter-)?(?:prerouting|input|forward|output)(?:-pre-dnat)?|services|service-(?:ips|nodeports|endpoints-check)|no-endpoint-(?:services|nodeports)|cluster-ips(?:-check)?|nodeport(?:s|-ips|-endpoints-check)|firewall-(?:ips|check)|masquerading|mark-for-masquerade|reject-chain|hairpin-connections|nat-(?:prerouting|output|postrouting))/

/**
 * Returns the name of the nftables table that contains an object with this name: `kube-proxy`, or the table of
 * iptables-nft (`nat`). Undefined if the name does not determine the table.
 */
export function tableOfObject(name: string): string | undefined {
  return OBJECT_NAMES.test(name) ? 'kube-proxy' : tableOfChain(name)
}
