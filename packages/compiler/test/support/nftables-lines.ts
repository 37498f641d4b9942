// The grammar of kube-proxy's tables in nftables mode. Like `line-grammar` it models the behavior of kube-proxy and is
// independent of the library. `<…>` refers to a part or to one of several words, because nftables itself uses braces.

const LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?'
const PATH = `[A-Z2-7]{8}-${LABEL}/${LABEL}/(?:tcp|udp|sctp)/(?:${LABEL})?`
const OF_ENDPOINT = `(?:${PATH}__[0-9a-f.]{2,39}/[1-9]\\d{0,4}|[A-Z2-7]{8}-[-a-z0-9/_.]{228}\\.\\.\\.)`
const ENDPOINT_CHAIN = `endpoint-${OF_ENDPOINT}`

/** Builds a pattern of one or more `item` with `comma` as separator. */
function listOf(item: string, comma: string): string {
  return `${item}(?:${comma}${item})*`
}

const NETWORK = '[0-9a-f.:]{2,39}(?:/\\d{1,3})?'
const RANGE = `(?:${NETWORK}|[0-9a-f.:]{2,39}-[0-9a-f.:]{2,39})`
const TARGET = '[0-9a-f.:]{2,39} \\. [1-9]\\d{0,4}'
const SERVICE_PORT = `(?:${LABEL}/${LABEL}(?::${LABEL})?|[-a-z0-9/:]{128})`
const ENTRY =
  '(?:[0-9a-f.:]{2,39} \\. ){0,2}(?:tcp|udp|sctp) \\. [1-9]\\d{0,4}' +
  `(?: comment "${SERVICE_PORT}")?(?: : (?:drop|goto (?:reject-chain|localhost-nodeport-reject-(?:tcp|udp|sctp)|(?:service|local|external|firewall)-${PATH})))?`

/** Parts that only these lines use, with lists in both text formats. */
export const NFTABLES_PARTS: Readonly<Record<string, string>> = {
  pool: `(?:service|local)-${PATH}`,
  external: `external-${PATH}`,
  firewall: `firewall-${PATH}`,
  endpoint: ENDPOINT_CHAIN,
  affinity: `affinity-${OF_ENDPOINT}`,
  comment: SERVICE_PORT,
  number: '\\d{1,5}',
  device: '"?[A-Za-z0-9_.@:-]{1,15}\\*?"?',
  gotos: listOf(`\\d+ : goto ${ENDPOINT_CHAIN}`, ' , '),
  listedGotos: listOf(`\\d+ : goto ${ENDPOINT_CHAIN}`, ', '),
  targets: listOf(`\\d+ : ${TARGET}`, ' , '),
  listedTargets: listOf(`\\d+ : ${TARGET}`, ', '),
  network: RANGE,
  // Up to 1.29, kube-proxy copies source ranges from the Service.
  writtenNetwork: `(?:${RANGE}|(?=[0-9A-Fa-f:.]{2,39}/)[0-9A-Fa-f:.]+/(?:12[0-8]|1[01]\\d|[1-9]?\\d))`,
  sources: listOf(NETWORK, ' , '),
  networks: listOf(NETWORK, ','),
  listedNetworks: `(?:${RANGE}|\\{ ${listOf(RANGE, ', ')} \\})`,
  entries: listOf(`(?:${ENTRY}|[0-9a-f.:]{2,39})`, ', '),
  duration: '(?:\\d+d)?(?:\\d+h)?(?:\\d+m)?(?:\\d+s)?',
}

const TABLE = '<ip|ip6> kube-proxy'

/** Base chains with their hook and priority, as written and as listed by nft 1.1. */
const BASE_CHAINS: readonly (readonly [name: string, hook: string, priority: string, listed: string])[] = [
  ['filter-prerouting<?-pre-dnat>', 'filter hook prerouting', '-110', 'dstnat - 10'],
  ['filter-output-pre-dnat', 'filter hook output', '-110', 'dstnat - 10'],
  ['filter-output', 'filter hook output', '-110', 'dstnat - 10'],
  ['filter-output', 'filter hook output', '0', 'filter'],
  ['filter-input', 'filter hook input', '-110', '-110'],
  ['filter-input', 'filter hook input', '0', 'filter'],
  ['filter-forward', 'filter hook forward', '-110', '-110'],
  ['filter-forward', 'filter hook forward', '0', 'filter'],
  ['filter-output-post-dnat', 'filter hook output', '-90', 'dstnat + 10'],
  ['nat-prerouting', 'nat hook prerouting', '-100', 'dstnat'],
  ['nat-output', 'nat hook output', '-100', 'dstnat'],
  ['nat-postrouting', 'nat hook postrouting', '100', 'srcnat'],
]

const OWN_CHAINS = ['pool', 'external', 'firewall', 'endpoint']
const FIXED_CHAINS =
  '<nodeport-endpoints-check|service-endpoints-check|firewall-check|services|masquerading|cluster-ips-check|mark-for-masquerade>'
const HELPER = 'comment "helper for @no-endpoint-services / @no-endpoint-nodeports"'
const ADDRESS = '<ipv4_addr|ipv6_addr>'

/** Sets and maps: kind and name, type, comment. */
const SETS: readonly (readonly [name: string, type: string, comment: string])[] = [
  ['set cluster-ips', ADDRESS, 'Active ClusterIPs'],
  ['set nodeport-ips', ADDRESS, 'IPs that accept NodePort traffic'],
  ['set hairpin-connections', `${ADDRESS} . ${ADDRESS} . inet_proto . inet_service`, 'service hairpin connections'],
  [
    'map no-endpoint-services',
    `${ADDRESS} . inet_proto . inet_service : verdict`,
    'vmap to drop or reject packets to services with no endpoints',
  ],
  [
    'map no-endpoint-nodeports',
    'inet_proto . inet_service : verdict',
    'vmap to drop or reject packets to service nodeports with no endpoints',
  ],
  [
    'map localhost-nodeport-reject-ports',
    'inet_proto . inet_service : verdict',
    'localhost NodePorts rejected by kube-proxy',
  ],
  [
    'map firewall-ips',
    `${ADDRESS} . inet_proto . inet_service : verdict`,
    'destinations that are subject to LoadBalancerSourceRanges',
  ],
  [
    'map service-ips',
    `${ADDRESS} . inet_proto . inet_service : verdict`,
    'ClusterIP, ExternalIP and LoadBalancer IP traffic',
  ],
  ['map service-nodeports', 'inet_proto . inet_service : verdict', 'NodePort traffic'],
]

const SERVICE_KEY = '<ip|ip6> daddr . meta l4proto . th dport'
const NOT_LOOPBACK = '<ip daddr != 127.0.0.0/8|ip6 daddr != ::1>'
const AT_NODE = [NOT_LOOPBACK, '<ip|ip6> daddr @nodeport-ips']
const FROM_POD = ['<ip|ip6> saddr <cidr>', '<iifname|iif> <device>']
const NOT_FROM_POD = ['<ip|ip6> saddr != <cidr>', '<iifname|iif> != <device>']

/** Words that differ between the two text formats. */
interface Words {
  readonly or: string
  readonly xor: string
  readonly hasNoMark: readonly string[]
  readonly hasMark: readonly string[]
  readonly gotos: string
  readonly targets: string
  readonly dnat: string
  readonly sources: string
  readonly networks: string
}

const WRITTEN: Words = {
  or: 'mark set mark or <mark>',
  xor: 'mark set mark xor <mark>',
  hasNoMark: ['mark and <mark> == 0'],
  hasMark: ['mark and <mark> != 0'],
  gotos: '<gotos>',
  targets: '<targets>',
  dnat: 'dnat <ip|ip6> addr . port to',
  sources: '{ <sources> }',
  networks: '{ <networks> }',
}

const LISTED: Words = {
  or: 'meta mark set meta mark | <mark>',
  xor: 'meta mark set meta mark ^ <mark>',
  hasNoMark: ['meta mark & <mark> == 0x00000000', 'meta mark 0x00000000/1'],
  hasMark: ['meta mark & <mark> != 0x00000000', 'meta mark != 0x00000000/1'],
  gotos: '<listedGotos>',
  targets: '<listedTargets>',
  dnat: 'dnat <ip|ip6> addr . port to',
  sources: '<listedNetworks>',
  networks: '<listedNetworks>',
}

/** Returns each rule with its chain. */
function rules(words: Words): readonly (readonly [chain: string, rule: string])[] {
  const marks = [
    ['jump mark-for-masquerade', ''],
    [words.or, ' comment "masquerade"'],
  ] as const
  return [
    ['filter-input', 'ct state new jump <nodeport-endpoints-check|service-endpoints-check>'],
    ['filter-<forward|output>', 'ct state new jump <service-endpoints-check|cluster-ips-check>'],
    ['filter-output-post-dnat', 'ct state new jump cluster-ips-check'],
    ['filter-<prerouting|prerouting-pre-dnat|output|output-pre-dnat>', 'ct state new jump firewall-check'],
    ['nat-<prerouting|output>', 'jump services'],
    ['nat-postrouting', 'jump masquerading'],
    ['mark-for-masquerade', words.or],
    ...words.hasNoMark.map((match) => ['masquerading', `${match} return`] as const),
    ...words.hasMark.map((match) => ['masquerading', `${match} ${words.xor} masquerade fully-random`] as const),
    ['masquerading', words.xor],
    ['masquerading', 'masquerade fully-random'],
    [
      'masquerading',
      'ct status dnat <ip saddr . ip daddr|ip6 saddr . ip6 daddr> . meta l4proto . th dport @hairpin-connections masquerade fully-random',
    ],
    ['cluster-ips-check', '<ip|ip6> daddr @cluster-ips reject comment "Reject traffic to invalid ports of ClusterIPs"'],
    ['cluster-ips-check', `<ip|ip6> daddr ${words.networks} drop comment "Drop traffic to unallocated ClusterIPs"`],
    ['reject-chain', 'reject'],
    ['localhost-nodeport-reject-<proto>', 'counter name "localhost-nodeport-rejected-<proto>" reject'],
    [
      'nodeport-endpoints-check',
      '<ip daddr 127.0.0.0/8|ip6 daddr ::1> meta l4proto . th dport vmap @localhost-nodeport-reject-ports',
    ],
    ['service-endpoints-check', `${SERVICE_KEY} vmap @no-endpoint-services`],
    ['firewall-check', `${SERVICE_KEY} vmap @firewall-ips`],
    ['services', `${SERVICE_KEY} vmap @service-ips`],
    ...AT_NODE.map(
      (match) => ['nodeport-endpoints-check', `${match} meta l4proto . th dport vmap @no-endpoint-nodeports`] as const,
    ),
    ['services', '<ip|ip6> daddr @nodeport-ips meta l4proto . th dport vmap @service-nodeports'],
    ['services', `fib daddr type local ${NOT_LOOPBACK} meta l4proto . th dport vmap @service-nodeports`],
    ['services', `<ip|ip6> daddr @cluster-ips ${words.or} comment "masquerade all clusterIP traffic"`],
    ...NOT_FROM_POD.flatMap((match) => [
      [
        'services',
        `<ip|ip6> daddr @cluster-ips ${match} ${words.or} comment "masquerade clusterIP traffic from outside cluster"`,
      ] as const,
      ['<pool>', `<ip|ip6> daddr <ip> ${match} jump mark-for-masquerade`] as const,
      ['<pool>', `<ip|ip6> daddr <ip> <tcp|udp|sctp> dport <port> ${match} jump mark-for-masquerade`] as const,
    ]),
    ['<pool>', '<ip|ip6> daddr <ip> jump mark-for-masquerade'],
    ['<pool>', '<ip|ip6> daddr <ip> <tcp|udp|sctp> dport <port> jump mark-for-masquerade'],
    ...marks.map(([mark, comment]) => ['<external>', `${mark}${comment}`] as const),
    ...FROM_POD.map((match) => ['<external>', `${match} goto <pool> comment "short-circuit pod traffic"`] as const),
    ...marks.map(
      ([mark]) => ['<external>', `fib saddr type local ${mark} comment "masquerade local traffic"`] as const,
    ),
    ['<external>', 'fib saddr type local goto <pool> comment "short-circuit local traffic"'],
    ['<external>', 'goto <pool>'],
    ['<firewall>', `<ip|ip6> saddr != ${words.sources} drop`],
    ['<pool>', '<ip|ip6> saddr @<affinity> goto <endpoint>'],
    ['<pool>', `numgen random mod <number> vmap { ${words.gotos} }`],
    ['<pool>', `meta l4proto <proto> ${words.dnat} numgen random mod <number> map { ${words.targets} }`],
    ['<pool>', 'meta l4proto <proto> dnat to <at>'],
    ['<endpoint>', '<ip|ip6> saddr <ip> jump mark-for-masquerade'],
    ['<endpoint>', 'update @<affinity> { <ip|ip6> saddr }'],
    ['<endpoint>', 'meta l4proto <proto> dnat to <at>'],
  ]
}

const FRONTEND_KEY = '<ip> . <proto> . <port>'

/** The input of nft from kube-proxy, one command per line. */
export const NFTABLES_RESTORE: readonly string[] = [
  `add table ${TABLE} { comment "rules for kube-proxy" ; }`,
  ...BASE_CHAINS.map(([name, hook, priority]) => `add chain ${TABLE} ${name} { type ${hook} priority ${priority} ; }`),
  `add chain ${TABLE} ${FIXED_CHAINS}`,
  `add chain ${TABLE} reject-chain { ${HELPER} ; }`,
  `add chain ${TABLE} localhost-nodeport-reject-<proto>`,
  `add counter ${TABLE} localhost-nodeport-rejected-<proto>`,
  ...OWN_CHAINS.map((chain) => `add chain ${TABLE} <${chain}>`),
  ...SETS.map(([name, type, comment]) => {
    const [kind = '', set = ''] = name.split(' ')
    return `add ${kind} ${TABLE} ${set} { type ${type} ; comment "${comment}" ; }`
  }),
  `add set ${TABLE} <affinity> { type ${ADDRESS} ; flags dynamic,timeout ; timeout <seconds>s ; }`,
  ...rules(WRITTEN).map(([chain, rule]) => `add rule ${TABLE} ${chain} ${rule}`),
  `add element ${TABLE} <cluster-ips|nodeport-ips> { <ip> }`,
  `add element ${TABLE} hairpin-connections { <ip> . ${FRONTEND_KEY} }`,
  `add element ${TABLE} service-ips { ${FRONTEND_KEY} : goto <pool> }`,
  `add element ${TABLE} service-ips { ${FRONTEND_KEY} : goto <external> }`,
  `add element ${TABLE} service-nodeports { <proto> . <port> : goto <external> }`,
  `add element ${TABLE} firewall-ips { ${FRONTEND_KEY} : goto <firewall> }`,
  `add element ${TABLE} firewall-ips { ${FRONTEND_KEY} comment "<comment>" : goto <firewall> }`,
  `add element ${TABLE} no-endpoint-services { ${FRONTEND_KEY} comment "<comment>" : <drop|goto reject-chain> }`,
  `add element ${TABLE} localhost-nodeport-reject-ports { <proto> . <port> : goto localhost-nodeport-reject-<proto> }`,
  `add element ${TABLE} no-endpoint-nodeports { <proto> . <port> comment "<comment>" : <drop|goto reject-chain> }`,
]

/** The corresponding listing of nft 1.1. */
export const NFTABLES_SAVE: readonly string[] = [
  `table ${TABLE} {`,
  '\tcomment "rules for kube-proxy"',
  '',
  '\t}',
  '}',
  ...BASE_CHAINS.flatMap(([name, hook, _, listed]) => [
    `\tchain ${name} {`,
    `\t\ttype ${hook} priority ${listed}; policy accept;`,
  ]),
  `\tchain ${FIXED_CHAINS} {`,
  '\tchain reject-chain {',
  `\t\t${HELPER}`,
  '\tchain localhost-nodeport-reject-<proto> {',
  '\tcounter localhost-nodeport-rejected-<proto> {',
  '\t\tpackets 0 bytes 0',
  ...OWN_CHAINS.map((chain) => `\tchain <${chain}> {`),
  ...SETS.flatMap(([name, type, comment]) => [`\t${name} {`, `\t\ttype ${type}`, `\t\tcomment "${comment}"`]),
  '\tset <affinity> {',
  `\t\ttype ${ADDRESS}`,
  '\t\tsize 65535',
  '\t\tflags dynamic,timeout',
  '\t\ttimeout <duration>',
  ...rules(LISTED).map(([, rule]) => `\t\t${rule}`),
  '\t\telements = { <entries><,| }>',
  '\t\t\t     <entries><,| }>',
]

const ALLOWED = 'destinations+sources that are allowed by LoadBalancerSourceRanges'
const GUARDED = 'destinations that are subject to LoadBalancerSourceRanges'
const GUARDED_TYPE = `${ADDRESS} . inet_proto . inet_service`
const ALLOWED_TYPE = `${GUARDED_TYPE} . ${ADDRESS}`
const ALPHA_CHAINS = '<endpoints-check|firewall-allow-check|forward>'

/** The rules that only 1.29 has, which are the same in both text formats. */
const ALPHA_RULES: readonly (readonly [chain: string, rule: string])[] = [
  ['filter-<input|forward|output>', 'ct state new jump <endpoints-check|firewall-check>'],
  ['filter-forward', 'jump forward'],
  ['forward', 'ct state invalid drop'],
  ['endpoints-check', `${SERVICE_KEY} vmap @no-endpoint-services`],
  ['endpoints-check', `fib daddr type local ${NOT_LOOPBACK} meta l4proto . th dport vmap @no-endpoint-nodeports`],
  ['endpoints-check', '<ip|ip6> daddr @nodeport-ips meta l4proto . th dport vmap @no-endpoint-nodeports'],
  ['firewall-check', `${SERVICE_KEY} @firewall jump firewall-allow-check`],
  ['firewall-allow-check', `${SERVICE_KEY} . <ip saddr|ip6 saddr> @firewall-allow return`],
  ['firewall-allow-check', 'drop'],
]

/** The lines that only 1.29 writes. Its filter chains have a separate priority. */
export const ALPHA_RESTORE: readonly string[] = [
  ...['input', 'forward', 'output'].map(
    (hook) => `add chain ${TABLE} filter-${hook} { type filter hook ${hook} priority -101 ; }`,
  ),
  `add chain ${TABLE} ${ALPHA_CHAINS}`,
  `add set ${TABLE} firewall { type ${GUARDED_TYPE} ; comment "${GUARDED}" ; }`,
  `add set ${TABLE} firewall-allow { type ${ALLOWED_TYPE} ; flags interval ; comment "${ALLOWED}" ; }`,
  ...ALPHA_RULES.map(([chain, rule]) => `add rule ${TABLE} ${chain} ${rule}`),
  `add element ${TABLE} firewall { ${FRONTEND_KEY} comment "<comment>" }`,
  `add element ${TABLE} firewall-allow { ${FRONTEND_KEY} . <writtenNetwork> }`,
  `add element ${TABLE} firewall-allow { ${FRONTEND_KEY} . <writtenNetwork> comment "<comment>" }`,
]

const ALLOWED_ENTRY = `<ip> . <proto> . <port> . <network>`

/** The corresponding listing of nft 1.1. */
export const ALPHA_SAVE: readonly string[] = [
  ...['input', 'forward'].map((hook) => `\t\ttype filter hook ${hook} priority -101; policy accept;`),
  '\t\ttype filter hook output priority dstnat - 1; policy accept;',
  `\tchain ${ALPHA_CHAINS} {`,
  '\tset <firewall|firewall-allow> {',
  `\t\ttype ${GUARDED_TYPE}`,
  `\t\ttype ${ALLOWED_TYPE}`,
  '\t\tflags interval',
  `\t\tcomment "${ALLOWED}"`,
  ...ALPHA_RULES.map(([, rule]) => `\t\t${rule}`),
  ...['elements = { ', '\t     '].flatMap((start) =>
    [ALLOWED_ENTRY, `${ALLOWED_ENTRY} comment "<comment>"`].map((entry) => `\t\t${start}${entry}<,| }>`),
  ),
]
