/** Reports whether a line of objects has the node port, an address or the session affinity of a rule. */
export function isFieldOfRule(field: string, rule: string): boolean {
  return patternsOf(field).some((pattern) => pattern.test(rule))
}

const ADDRESS = /(?<![\w.:])(?:\d+(?:\.\d+){3}|[\da-f]*:[\da-f]*:[\da-f:]*)(?![\w.:])/gi
const NODE_PORT = /(?<![\w.])nodePort"?:\s*(\d+)/g
const AFFINITY_FIELD = /(?<![\w.])sessionAffinity"?:\s*"?ClientIP|(?<![\w.])timeoutSeconds"?:/
/** The session affinity of iptables, nftables and IPVS. */
const AFFINITY_RULE = /-m recent |(?:@|^\s*set )affinity-|^-A -[tuf] .* -p \d| persistent \d/

function patternsOf(field: string): readonly RegExp[] {
  return [
    ...Array.from(field.matchAll(ADDRESS), ([address]) =>
      patternOf(address, address.includes(':') ? '[\\da-f:]' : '[\\da-f.]'),
    ),
    ...Array.from(field.matchAll(NODE_PORT), ([, port = '']) => patternOf(port, '[\\w.]')),
    ...(AFFINITY_FIELD.test(field) ? [AFFINITY_RULE] : []),
  ]
}

/** Builds the pattern of a value that none of these characters continue. */
function patternOf(value: string, characters: string): RegExp {
  return new RegExp(`(?<!${characters})${value.replaceAll('.', '\\.')}(?!${characters})`, 'i')
}
