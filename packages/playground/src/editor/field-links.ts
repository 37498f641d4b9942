/**
 * Reports whether a line of the objects contains a field that produces a rule: a port, a node port, an address, a
 * traffic policy or session affinity.
 */
export function isFieldOfRule(field: string, rule: string): boolean {
  return patternsOf(field).some((pattern) => pattern.test(rule))
}

const ADDRESS = /(?<![\w.:])(?:\d+(?:\.\d+){3}|[\da-f]*:[\da-f]*:[\da-f:]*)(?![\w.:])/gi
const NODE_PORT = /(?<![\w.])(?:nodePort|healthCheckNodePort)"?:\s*(\d+)/g
const PORT = /(?<![\w.])port"?:\s*(\d+)/g
/**
 * For each traffic policy, the pattern of its field, and the pattern of the iptables, nftables and IPVS rules that
 * depend on the policy.
 */
const POLICIES = [
  [/(?<![\w.])externalTrafficPolicy"?:/, /^-A KUBE-(?:EXT|XLB)-|chain external-|^add KUBE-\S+-LOCAL/],
  [/(?<![\w.])internalTrafficPolicy"?:/, /cluster IP" [^"]*-j KUBE-SV|: goto (?:local|service)-|^add KUBE-CLUSTER-IP/],
] as const
const AFFINITY_FIELD = /(?<![\w.])sessionAffinity"?:\s*"?ClientIP|(?<![\w.])timeoutSeconds"?:/
/** Matches session affinity in the rules of iptables, nftables and IPVS. */
const AFFINITY_RULE = /-m recent |(?:@|^\s*set )affinity-|^-A -[tuf] .* -p \d| persistent \d/

function patternsOf(field: string): readonly RegExp[] {
  const patterns = [
    ...Array.from(field.matchAll(ADDRESS), ([address]) =>
      patternOf(address, address.includes(':') ? '[\\da-f:]' : '[\\da-f.]'),
    ),
    ...Array.from(field.matchAll(NODE_PORT), ([, port = '']) => patternOf(port, '[\\w.]')),
    ...POLICIES.flatMap(([policy, rule]) => (policy.test(field) ? [rule] : [])),
    ...(AFFINITY_FIELD.test(field) ? [AFFINITY_RULE] : []),
  ]
  // A line with a node port is about the node port.
  return patterns.length > 0
    ? patterns
    : Array.from(field.matchAll(PORT), ([, port = '']) => destinationPortPattern(port))
}

/** Builds the pattern of rules of iptables, nftables, IPVS and ipset that match an address with a port. */
function destinationPortPattern(port: string): RegExp {
  return new RegExp(
    `^-A KUBE-(?!NODEPORTS)[\\w-]+ .*--dport ${port}(?!\\d)|[\\da-f] \\. \\w+ \\. ${port} :|^-A -[tu] \\S+:${port}(?!\\d)|,\\w+:${port}(?!\\d)`,
  )
}

/** Builds the pattern of a value. The pattern does not match if one of `characters` precedes or follows the value. */
function patternOf(value: string, characters: string): RegExp {
  return new RegExp(`(?<!${characters})${value.replaceAll('.', '\\.')}(?!${characters})`, 'i')
}
