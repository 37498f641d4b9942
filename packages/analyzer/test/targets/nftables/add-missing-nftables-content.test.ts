import { expect, it } from 'vitest'
import { printListing } from '../../../../compiler/src/dataplane/nftables/print/print-listing.js'
import { tablesOf } from '../../../../compiler/test/dataplane/nftables/tables.js'
import { addMissingNftablesContent } from '../../../src/targets/nftables/add-missing-nftables-content.js'

const TAKEN = ' comment "missing in the dump; assumed to be as kube-proxy creates it"'

function filled(text: string, complete: readonly string[] = [], family: 'IPv4' | 'IPv6' = 'IPv4') {
  return addMissingNftablesContent({ tables: tablesOf(text) }, { complete }, family).tables
}

/** Returns the chains of the first table; `~` after a rule marks a completed one. */
function chainsOf(text: string, family: 'IPv4' | 'IPv6' = 'IPv4'): Readonly<Record<string, readonly string[]>> {
  const [table] = filled(text, [], family)
  const chains = table?.chains.map((chain) => {
    const listed = printListing({ ...table, sets: [], chains: [chain] }, { version: '1.1' })
    return [chain.name, (listed.match(/^\t\t.+$/gm) ?? []).map((line) => line.trim().replace(TAKEN, ' ~'))]
  })
  return Object.fromEntries(chains ?? [])
}

const IPS = '\tmap service-ips {\n\t\ttype ipv4_addr . inet_proto . inet_service : verdict\n\t}\n'
const NODE_PORTS = '\tmap service-nodeports {\n\t\ttype inet_proto . inet_service : verdict\n\t}\n'
const table = (parts: string, address = 'ip', name = 'kube-proxy') => `table ${address} ${name} {\n${parts}}\n`

const AT_NODE_PORTS = 'fib daddr type local meta l4proto . th dport vmap @service-nodeports ~'
const OTHERS = {
  'nat-prerouting': ['type nat hook prerouting priority dstnat; policy accept;', 'jump services ~'],
  'nat-output': ['type nat hook output priority dstnat; policy accept;', 'jump services ~'],
  'nat-postrouting': ['type nat hook postrouting priority srcnat; policy accept;', 'jump masquerading ~'],
  'mark-for-masquerade': ['meta mark set meta mark | 0x00004000 ~'],
  masquerading: ['meta mark & 0x00004000 == 0x00000000 return ~', 'masquerade ~'],
}

it.each([
  ['IPv4', 'ip', 'ipv4_addr'],
  ['IPv6', 'ip6', 'ipv6_addr'],
] as const)('addMissingNftablesContent adds for %s the rules that look up the maps', (family, address, type) => {
  const maps = IPS.replace('ipv4_addr', type) + NODE_PORTS
  const atAddresses = `${address} daddr . meta l4proto . th dport vmap @service-ips ~`
  expect(chainsOf(table(maps, address), family)).toEqual({ ...OTHERS, services: [atAddresses, AT_NODE_PORTS] })
})

it('addMissingNftablesContent adds lookups only for maps that the table contains', () => {
  expect(chainsOf(table(NODE_PORTS))).toEqual({ ...OTHERS, services: [AT_NODE_PORTS] })
  expect(chainsOf(table(''))).toEqual({ ...OTHERS, services: [] })
})

it('addMissingNftablesContent keeps existing chains unchanged', () => {
  const services = '\tchain services {\n\t\tdrop\n\t}\n'
  expect(chainsOf(table(IPS + services))).toEqual({ ...OTHERS, services: ['drop'] })
})

it.each([
  ['a table of another program', table(IPS, 'ip', 'mine'), []],
  ['a table of another family', table(IPS, 'inet'), []],
  ['a complete table', table(IPS), ['nftables ip kube-proxy']],
  ['a table of a complete dump', table(IPS), ['nftables']],
])('addMissingNftablesContent keeps %s unchanged', (_, text, whole) => {
  expect(filled(text, whole).map(({ chains }) => chains)).toEqual([[]])
})

it('addMissingNftablesContent returns a complete state unchanged', () => {
  const state = { tables: tablesOf(table(IPS)) }
  expect(addMissingNftablesContent(state, undefined, 'IPv4')).toEqual(state)
})

// The names are from kube-proxy: the hash of the rest of the name precedes it.
const UDP_ENDPOINT = 'endpoint-2HWVZDRI-kube-system/dns/udp/dns__10.244.2.3/5353'
const IPV6_ENDPOINT = 'endpoint-2F2GQMQR-default/np/tcp/http__fd00.10.244..5/8080'
const TCP_ENDPOINT = 'endpoint-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80'

it.each([
  ['a choice', `numgen random mod 2 vmap { 0 : goto ${UDP_ENDPOINT}, 1 : goto ${TCP_ENDPOINT} }`, ''],
  ['single rules', `jump ${UDP_ENDPOINT}\n\t\tgoto ${TCP_ENDPOINT}`, ''],
  [
    'a map',
    'accept',
    `\tmap x {\n\t\ttype inet_service : verdict\n\t\telements = { 1 : goto ${UDP_ENDPOINT}, 2 : goto ${TCP_ENDPOINT} }\n\t}\n`,
  ],
])('addMissingNftablesContent adds the endpoints that %s refers to', (_, rules, map) => {
  expect(chainsOf(table(`${map}\tchain a {\n\t\t${rules}\n\t}\n`))).toMatchObject({
    [UDP_ENDPOINT]: ['ip saddr 10.244.2.3 jump mark-for-masquerade ~', 'meta l4proto udp dnat to 10.244.2.3:5353 ~'],
    [TCP_ENDPOINT]: ['ip saddr 10.180.0.1 jump mark-for-masquerade ~', 'meta l4proto tcp dnat to 10.180.0.1:80 ~'],
  })
})

it('addMissingNftablesContent adds endpoints of IPv6', () => {
  expect(chainsOf(table(`\tchain a {\n\t\tgoto ${IPV6_ENDPOINT}\n\t}\n`, 'ip6'), 'IPv6')[IPV6_ENDPOINT]).toEqual([
    'ip6 saddr fd00:10:244::5 jump mark-for-masquerade ~',
    'meta l4proto tcp dnat to [fd00:10:244::5]:8080 ~',
  ])
})

it.each([
  ['the hash is of another endpoint', UDP_ENDPOINT.replace('2.3', '2.4')],
  ['the hash is of another service port', UDP_ENDPOINT.replace('dns__', 'dnt__')],
  ['the protocol is unknown', UDP_ENDPOINT.replace('/udp/', '/icmp/')],
  ['the address is not one', UDP_ENDPOINT.replace('10.244.2.3', '10.244.2')],
  ['the chain is of a service port', 'service-ULMVA6XW-ns1/svc1/tcp/p80'],
])('addMissingNftablesContent adds no endpoint if %s', (_, chain) => {
  expect(Object.keys(chainsOf(table(`\tchain a {\n\t\tgoto ${chain}\n\t}\n`)))).not.toContain(chain)
})

it('addMissingNftablesContent keeps the chains of endpoints', () => {
  const own = `\tchain ${UDP_ENDPOINT} {\n\t\tdrop\n\t}\n`
  expect(chainsOf(table(`\tchain a {\n\t\tgoto ${UDP_ENDPOINT}\n\t}\n${own}`))[UDP_ENDPOINT]).toEqual(['drop'])
})

const mapOf = (name: string) => `\tmap ${name} {\n\t\ttype inet_service : verdict\n\t}\n`
const filterHook = (hook: string, priority = 'filter') =>
  `type filter hook ${hook} priority ${priority}; policy accept;`
const AT_SERVICES = 'ct state new jump service-endpoints-check ~'
const AT_CLOSED_NODE_PORTS = 'ct state new jump nodeport-endpoints-check ~'

it.each([
  [
    'no-endpoint-services',
    {
      'filter-input': [filterHook('input'), AT_SERVICES],
      'filter-forward': [filterHook('forward'), AT_SERVICES],
      'filter-output': [filterHook('output'), AT_SERVICES],
      'service-endpoints-check': ['ip daddr . meta l4proto . th dport vmap @no-endpoint-services ~'],
      'reject-chain': ['reject ~'],
    },
  ],
  [
    'no-endpoint-nodeports',
    {
      'filter-input': [filterHook('input'), AT_CLOSED_NODE_PORTS],
      'nodeport-endpoints-check': ['fib daddr type local meta l4proto . th dport vmap @no-endpoint-nodeports ~'],
      'reject-chain': ['reject ~'],
    },
  ],
  [
    'firewall-ips',
    {
      'filter-prerouting-pre-dnat': [filterHook('prerouting', 'dstnat - 10'), 'ct state new jump firewall-check ~'],
      'filter-output-pre-dnat': [filterHook('output', 'dstnat - 10'), 'ct state new jump firewall-check ~'],
      'firewall-check': ['ip daddr . meta l4proto . th dport vmap @firewall-ips ~'],
    },
  ],
])('addMissingNftablesContent adds the filter chains that look up %s', (map, chains) => {
  expect(chainsOf(table(mapOf(map)))).toEqual({ ...OTHERS, services: [], ...chains })
})

it('addMissingNftablesContent adds both lookups to the input of a node', () => {
  const maps = mapOf('no-endpoint-services') + mapOf('no-endpoint-nodeports')
  expect(chainsOf(table(maps))['filter-input']).toEqual([filterHook('input'), AT_CLOSED_NODE_PORTS, AT_SERVICES])
})
