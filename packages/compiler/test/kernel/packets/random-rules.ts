import type { IpFamily, Protocol } from '@kube-rules/types'
import fc from 'fast-check'

// Rules of other programs that no program would write: random matches, effects, chains and jumps. Every text that is
// drawn can be loaded. They are written for IPv4 and UDP; `wordsFor` writes them for others.

const ADDRESSES = ['192.0.2.1', '192.0.2.2', '10.244.1.11', '10.244.1.12', '198.18.0.1', '198.18.0.2', '203.0.113.1']
const NETWORKS = ['10.244.0.0/16', '192.0.2.0/24', '203.0.113.0/24', '0.0.0.0/1']
const TARGETS = ['10.244.1.11', '10.244.1.12', '198.18.0.2', '192.0.2.1', '203.0.113.2']
const PORTS = ['80', '81', '8080']
const MARKS = ['0x0', '0x1', '0x4000', '0x4001']
const MASKS = ['0x1', '0x4000', '0xffffffff']

const oneOf = fc.constantFrom
type Text = fc.Arbitrary<string>

/** Joins drawn words by a space. */
function words(...parts: readonly (Text | string)[]): Text {
  return fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((all) => all.join(' '))
}

const either = (...texts: readonly Text[]) => fc.oneof(...texts)
const address = oneOf(...ADDRESSES)
const network = oneOf(...ADDRESSES, ...NETWORKS)
const mark = oneOf(...MARKS)
const mask = oneOf(...MASKS)
const port = oneOf(...PORTS)

/** Rules in one line each, at most `most`. */
function linesOf(rule: Text, most: number): fc.Arbitrary<readonly string[]> {
  return fc.array(rule, { maxLength: most })
}

/** A choice of matches without two of a kind. */
function someOf(kinds: readonly Text[], most: number): Text {
  return fc
    .uniqueArray(fc.nat(kinds.length - 1), { maxLength: most })
    .chain((chosen) => fc.tuple(...chosen.map((at) => kinds[at] as Text)))
    .map((all) => all.join(' '))
}

/** Words of rules for IPv4 with what stands for them in rules for IPv6, in the order in which they are replaced. */
const IPV6_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b((?:\d+\.){3}\d+):(?=\d)/g, '[$1]:'],
  [/\b10\.244\.0\.0\/16/g, 'fd00:244::/32'],
  [/\b10\.244\.1\.0\b/g, 'fd00:244:1::'],
  [/\b10\.244\.1\.(\d+)/g, 'fd00:244:1::$1'],
  [/\b192\.0\.2\.0\/24/g, '2001:db8:1::/64'],
  [/\b192\.0\.2\.(\d+)/g, '2001:db8:1::$1'],
  [/\b198\.0\.0\.0\b/g, '2001:db8:f::'],
  [/\b198\.18\.0\.(\d+)/g, '2001:db8:f::$1'],
  [/\b203\.0\.113\.0\/24/g, '2001:db8:cb::/112'],
  [/\b203\.0\.113\.(\d+)/g, '2001:db8:cb::$1'],
  [/\b0\.0\.0\.0\/1\b/g, '8000::/1'],
  [/\bBROADCAST\b/g, 'MULTICAST'],
  [/-j TTL --ttl-set/g, '-j HL --hl-set'],
  [/--match-set (\S+)/g, '--match-set $1-6'],
  [/^(create|add) (\S+)/gm, '$1 $2-6'],
  [/^(add all-6) (\S+)/gm, '$1 $2-6'],
  [/^(create .* hash:\S+)/gm, '$1 family inet6'],
  [/^table ip /gm, 'table ip6 '],
  [/\bipv4_addr\b/g, 'ipv6_addr'],
  [/\bip (?=[ds]addr|to\b|addr\b)/g, 'ip6 '],
  [/\bprotocol ip\b/g, 'protocol ip6'],
]

/** Returns rules, sets or commands that are written for IPv4 and UDP, for a family and a protocol. */
export function wordsFor(text: string, family: IpFamily, protocol: Protocol): string {
  const inFamily = family === 'IPv4' ? text : IPV6_WORDS.reduce((words, [from, to]) => words.replace(from, to), text)
  return protocol === 'UDP' ? inFamily : inFamily.replace(/\budp\b/g, 'tcp')
}

export const IPSETS = `create addresses hash:ip
add addresses 10.244.1.11
add addresses 203.0.113.1
create networks hash:net
add networks 10.244.0.0/16
add networks 10.244.1.12 nomatch
add networks 192.0.2.0/24
create ports hash:ip,port
add ports 203.0.113.1,udp:80
add ports 192.0.2.1,udp:81
create network-ports hash:net,port
add network-ports 203.0.113.0/24,udp:81
create all list:set
add all addresses
add all networks
`

const not = oneOf('', '!')
const PROTOCOL_MATCHES: readonly Text[] = [
  fc.constant('-p udp -m udp'),
  words('-p udp -m udp', not, '--dport', oneOf(...PORTS, '80:81')),
  words('-p udp -m multiport', not, '--dports', oneOf('80,81', '81:8080')),
  fc.constant('-p tcp'),
  words('-p tcp -m tcp', not, oneOf('--syn', '--tcp-flags SYN,RST SYN', '--tcp-flags ALL ACK')),
  fc.constant('-p sctp'),
]

/** Matches of the interface that a packet came in by, for chains that have one. */
const IN_INTERFACE = words(not, '-i', oneOf('ext', 'pod1', 'pod+', 'lo', 'uplink'))

const IPTABLES_MATCHES: readonly Text[] = [
  words(not, '-s', network),
  words(not, '-d', network),
  words(
    '-m mark',
    not,
    '--mark',
    either(
      mark,
      words(mark, mask).map((text) => text.replace(' ', '/')),
    ),
  ),
  words(
    '-m connmark',
    not,
    '--mark',
    words(mark, mask).map((text) => text.replace(' ', '/')),
  ),
  words(
    '-m conntrack',
    not,
    '--ctstate',
    oneOf('NEW', 'ESTABLISHED', 'INVALID', 'UNTRACKED', 'DNAT', 'SNAT', 'NEW,DNAT'),
  ),
  words('-m conntrack', not, oneOf('--ctorigdst', '--ctorigsrc', '--ctreplsrc'), address),
  words('-m conntrack', not, oneOf('--ctorigdstport', '--ctreplsrcport'), port),
  words('-m conntrack', not, '--ctstatus', oneOf('NONE', 'CONFIRMED', 'ASSURED')),
  words('-m conntrack --ctdir', oneOf('ORIGINAL', 'REPLY')),
  words('-m addrtype', not, '--dst-type', oneOf('LOCAL', 'UNICAST', 'BROADCAST')),
  words('-m addrtype', not, '--src-type', oneOf('LOCAL', 'UNICAST')),
  words('-m iprange', not, '--dst-range', oneOf('10.244.1.0-10.244.1.11', '198.0.0.0-203.0.113.1')),
  words('-m pkttype --pkt-type', oneOf('unicast', 'broadcast')),
  words('-m set', not, '--match-set', oneOf('addresses dst', 'networks src', 'networks dst', 'ports dst,dst')),
  words('-m statistic --mode random', not, '--probability', oneOf('0.5', '0.25')),
  words('-m conntrack', not, '--ctproto', oneOf('6', '17')),
  words('-m state --state', oneOf('NEW', 'ESTABLISHED')),
  words('-m set', not, '--match-set', oneOf('network-ports dst,dst', 'all dst', 'ports src,dst')),
]

interface TableOfIptables {
  readonly name: string
  readonly chains: readonly string[]
  /** The chains of other programs that rules of a chain jump to. */
  readonly jumps: (chain: string) => readonly string[]
  readonly effects: (chain: string) => readonly Text[]
}

const MARKINGS: readonly Text[] = [
  words('-j MARK', oneOf('--set-xmark', '--or-mark', '--and-mark', '--xor-mark'), mark),
  words(
    '-j CONNMARK --set-xmark',
    words(mark, mask).map((text) => text.replace(' ', '/')),
  ),
  words('-j CONNMARK', oneOf('--save-mark', '--restore-mark'), '--nfmask', mask, '--ctmask', mask),
]
const COMMON: readonly Text[] = [...MARKINGS, fc.constant(''), fc.constant('-j ACCEPT'), fc.constant('-j RETURN')]
const NEW_DESTINATION = words('-j DNAT --to-destination', oneOf(...TARGETS))
const NEW_SOURCE = words('-j SNAT --to-source', oneOf('192.0.2.1', '198.18.0.1'))

const jumpsForward = (chain: string) => ['A', 'B', 'C'].filter((name) => !/^[ABC]$/.test(chain) || name > chain)

const TABLES: readonly TableOfIptables[] = [
  {
    name: 'raw',
    chains: ['PREROUTING', 'OUTPUT', 'A', 'B', 'C'],
    jumps: jumpsForward,
    effects: () => [...COMMON, oneOf('-j DROP', '-j CT --notrack', '-j CT --zone 5')],
  },
  {
    name: 'mangle',
    chains: ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING', 'A', 'B', 'C'],
    jumps: jumpsForward,
    effects: () => [...COMMON, ...MARKINGS, oneOf('-j DROP', '-j TTL --ttl-set 60')],
  },
  {
    name: 'nat',
    chains: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING', 'A', 'B'],
    jumps: (chain) => (chain === 'PREROUTING' || chain === 'OUTPUT' ? ['A', 'B'] : chain === 'A' ? ['B'] : []),
    effects: (chain) => {
      if (chain === 'INPUT') return [...COMMON, NEW_SOURCE]
      if (chain === 'POSTROUTING') return [...COMMON, NEW_SOURCE, fc.constant('-j MASQUERADE')]
      return [...COMMON, NEW_DESTINATION, NEW_DESTINATION, oneOf('-j REDIRECT', '-j NETMAP --to 203.0.113.0/24')]
    },
  },
  {
    name: 'filter',
    chains: ['INPUT', 'FORWARD', 'OUTPUT', 'A', 'B', 'C'],
    jumps: jumpsForward,
    effects: () => [...COMMON, oneOf('-j DROP', '-j REJECT')],
  },
]

/** Effects that change the port need a protocol in the same rule. */
const NEW_PORT: readonly Text[] = [
  words(
    '-j DNAT --to-destination',
    words(oneOf(...TARGETS), port).map((text) => text.replace(' ', ':')),
  ),
  words('-j REDIRECT --to-ports', port),
]

function iptablesTable({ name, chains, jumps, effects }: TableOfIptables): Text {
  const ruleOf = (chain: string) => {
    const jump = jumps(chain).map((to) => oneOf(`-j ${to}`, `-j ${to}`, `-g ${to}`))
    const any = words(
      either(fc.constant(''), ...PROTOCOL_MATCHES),
      /INPUT|PREROUTING|FORWARD|[ABC]/.test(chain) ? either(fc.constant(''), fc.constant(''), IN_INTERFACE) : '',
      someOf(IPTABLES_MATCHES, 2),
      either(...effects(chain), ...jump),
    )
    const translatesPort = name === 'nat' && /^(PREROUTING|OUTPUT|[AB])$/.test(chain)
    const toPort = words(PROTOCOL_MATCHES[1] as Text, someOf(IPTABLES_MATCHES, 1), either(...NEW_PORT))
    return words('-A', chain, translatesPort ? either(any, any, toPort) : any)
  }
  const own = chains.filter((chain) => chain.length === 1).map((chain) => `:${chain} - [0:0]\n`)
  return fc.tuple(...chains.map((chain) => linesOf(ruleOf(chain), 5))).map(
    (rules) =>
      `*${name}\n${own.join('')}${rules
        .flat()
        .map((rule) => `${rule.replace(/ +/g, ' ')}\n`)
        .join('')}COMMIT\n`,
  )
}

/** Rules in the format of iptables-restore, in four tables. */
export const iptablesRules: Text = fc.tuple(...TABLES.map(iptablesTable)).map((tables) => tables.join(''))

const NFT_SETS = `	set addresses { type ipv4_addr; elements = { 10.244.1.11, 203.0.113.1 }; }
	set networks { type ipv4_addr; flags interval; elements = { 10.244.0.0/16, 203.0.113.1-203.0.113.5 }; }
	set ports { type ipv4_addr . inet_service; flags interval; elements = { 203.0.113.0/24 . 80-81, 10.244.1.12 . 8080 }; }
	map backends { type ipv4_addr : ipv4_addr; elements = { 203.0.113.1 : 10.244.1.11, 192.0.2.1 : 10.244.1.12 }; }
	map ports-of { type ipv4_addr . inet_service : ipv4_addr . inet_service; elements = { 203.0.113.1 . 80 : 10.244.1.11 . 81, 192.0.2.1 . 81 : 203.0.113.2 . 80 }; }
	map marks { type inet_service : mark; flags interval; elements = { 80 : 0x1, 81-100 : 0x4001 }; }
`

const differs = oneOf('', '!=')
const NFT_MATCHES: readonly Text[] = [
  words('ip daddr', differs, either(network, oneOf('{ 10.244.1.11, 203.0.113.1 }', '@addresses', '@networks'))),
  words('ip saddr', differs, either(network, oneOf('{ 192.0.2.2, 10.244.0.0/16 }', '@networks'))),
  words('udp dport', differs, oneOf(...PORTS, '80-81', '{ 80, 8080 }')),
  words('ip daddr . udp dport', differs, '@ports'),
  words('meta mark', differs, either(mark, oneOf('{ 0x1, 0x4000-0x4001 }'))),
  words('meta mark and', mask, oneOf('==', '!='), mark),
  words('ct mark and', mask, oneOf('==', '!='), mark),
  words('ct state', oneOf('new', '!= new', 'established,related', 'invalid', 'untracked', '{ new, established }')),
  words('ct status', oneOf('dnat', '!= dnat', 'snat', 'confirmed')),
  words('ct', oneOf('original ip daddr', 'original ip saddr', 'reply ip saddr'), differs, address),
  words('ct direction', oneOf('original', 'reply')),
  words('fib daddr type', differs, oneOf('local', 'unicast', 'broadcast')),
  words('fib saddr type', differs, oneOf('local', 'unicast')),
  words('iifname', differs, oneOf('"ext"', '"pod1"', '"lo"', '{ "pod1", "uplink" }', '"pod*"')),
  words('numgen random mod 2', oneOf('==', '!='), '0'),
  words('meta l4proto udp ct original proto-dst', differs, port),
  words('meta pkttype', differs, oneOf('host', 'broadcast')),
]

const verdictFor = (jumps: readonly string[]) =>
  oneOf('accept', 'drop', 'continue', 'return', ...jumps.flatMap((chain) => [`jump ${chain}`, `goto ${chain}`]))

function verdictMaps(jumps: readonly string[]): readonly Text[] {
  const verdict = verdictFor(jumps)
  const map = (key: string, first: string, second: string) =>
    words(`${key} vmap { ${first} :`, verdict, `, ${second} :`, verdict, '}')
  return [
    map('udp dport', '80', '81'),
    map('ip daddr', '10.244.0.0/16', '203.0.113.1'),
    map('meta mark', '0x0', '0x4000'),
    map('ct state', 'new', 'established'),
    map('ip daddr . udp dport', '203.0.113.1 . 80', '10.244.1.11 . 80'),
    map('iifname', '"pod1"', '"ext"'),
    map('numgen random mod 2', '0', '1'),
  ]
}

const NFT_MARKINGS: readonly Text[] = [
  words('meta mark set', either(mark, words('meta mark', oneOf('or', 'and', 'xor'), mark), fc.constant('ct mark'))),
  fc.constant('meta mark set udp dport map @marks'),
  words('ct mark set', either(mark, fc.constant('meta mark'), words('ct mark', oneOf('or', 'and'), mark))),
]

interface BaseChainKind {
  readonly type: 'filter' | 'nat'
  readonly hook: string
  readonly priorities: readonly number[]
  readonly jumps: readonly string[]
  readonly effects: readonly Text[]
}

const FILTER_EFFECTS = [oneOf('drop', 'notrack', 'counter')]
const NEW_DESTINATIONS = [
  words('dnat ip to', oneOf(...TARGETS)),
  words(
    'meta l4proto udp dnat ip to',
    words(oneOf(...TARGETS), port).map((text) => text.replace(' ', ':')),
  ),
  fc.constant('dnat ip to ip daddr map @backends'),
  fc.constant('dnat ip addr . port to ip daddr . udp dport map @ports-of'),
  fc.constant('dnat ip to numgen random mod 2 map { 0 : 10.244.1.11, 1 : 10.244.1.12 }'),
  fc.constant('meta l4proto udp redirect to udp dport map { 80 : 81, 81 : 8080 }'),
  words(
    'meta l4proto udp redirect to',
    port.map((text) => `:${text}`),
  ),
]
const NEW_SOURCES = [words('snat ip to', oneOf('192.0.2.1', '198.18.0.1'))]

/**
 * The priorities differ within a hook and from those of kube-proxy, because the order of chains with the same priority
 * depends on their history.
 */
const BASE_CHAINS: readonly BaseChainKind[] = [
  { type: 'filter', hook: 'prerouting', priorities: [-310, -199, -50], jumps: ['f', 'g'], effects: FILTER_EFFECTS },
  { type: 'filter', hook: 'output', priorities: [-310, -199, 5], jumps: ['f', 'g'], effects: FILTER_EFFECTS },
  { type: 'filter', hook: 'input', priorities: [-120, 5], jumps: ['f', 'g'], effects: [oneOf('drop', 'reject')] },
  { type: 'filter', hook: 'forward', priorities: [-120, 5], jumps: ['f', 'g'], effects: [oneOf('drop', 'reject')] },
  { type: 'filter', hook: 'postrouting', priorities: [-150, 110], jumps: ['f', 'g'], effects: [fc.constant('drop')] },
  { type: 'nat', hook: 'prerouting', priorities: [-101, -99, 10], jumps: ['d'], effects: NEW_DESTINATIONS },
  { type: 'nat', hook: 'output', priorities: [-101, 10], jumps: ['d'], effects: NEW_DESTINATIONS },
  { type: 'nat', hook: 'input', priorities: [99, 101], jumps: ['s'], effects: NEW_SOURCES },
  {
    type: 'nat',
    hook: 'postrouting',
    priorities: [99, 101],
    jumps: ['s'],
    effects: [...NEW_SOURCES, fc.constant('masquerade')],
  },
]

function nftRule(jumps: readonly string[], effects: readonly Text[]): Text {
  const maps = jumps.length === 0 ? [] : verdictMaps(jumps)
  // No other match of a rule may name a protocol.
  const byFlags = words(
    'tcp flags & (syn | ack)',
    oneOf('==', '!='),
    oneOf('syn', 'ack'),
    either(words('meta mark set', mark), verdictFor(jumps)),
  )
  const any = words(
    someOf(NFT_MATCHES, 2),
    either(...NFT_MARKINGS, ...NFT_MARKINGS, verdictFor(jumps), ...effects, ...maps),
  )
  return fc.oneof({ weight: 9, arbitrary: any }, { weight: 1, arbitrary: byFlags })
}

function chainText(name: string, head: string, rules: readonly string[]): string {
  return `\tchain ${name} {\n${[head, ...rules]
    .filter(Boolean)
    .map((line) => `\t\t${line}\n`)
    .join('')}\t}\n`
}

function baseChain({ type, hook, priorities, jumps, effects }: BaseChainKind): Text {
  return fc
    .tuple(oneOf(...priorities), oneOf('accept', 'accept', 'accept', 'drop'), linesOf(nftRule(jumps, effects), 5))
    .filter(([, , rules]) => rules.length > 0)
    .map(([priority, policy, rules]) =>
      chainText(`${type}_${hook}`, `type ${type} hook ${hook} priority ${priority}; policy ${policy};`, rules),
    )
}

/** A table of nftables with chains at some hooks. */
export const nftablesRules: Text = fc
  .record({
    family: oneOf('ip', 'inet'),
    base: fc
      .subarray(BASE_CHAINS as BaseChainKind[], { minLength: 2 })
      .chain((kinds) => fc.tuple(...kinds.map(baseChain))),
    f: linesOf(nftRule(['g'], FILTER_EFFECTS), 4),
    g: linesOf(nftRule([], FILTER_EFFECTS), 2),
    d: linesOf(nftRule([], NEW_DESTINATIONS), 2),
    s: linesOf(nftRule([], NEW_SOURCES), 2),
  })
  .map(({ family, base, g, f, d, s }) => {
    const translation =
      family === 'ip' ? (text: string) => text.replace(/\b([ds]nat) ip to/g, '$1 to') : (text: string) => text
    const own = [chainText('g', '', g), chainText('f', '', f), chainText('d', '', d), chainText('s', '', s)]
    return translation(`table ${family} foreign {\n${NFT_SETS}${own.join('')}${base.join('')}}\n`)
  })
