import fc from 'fast-check'
import type { Table } from '../../../src/dataplane/nftables/ast.js'
import { tableOf } from './tables.js'

// Generates valid tables as kube-proxy writes them, in any generation.

const address = fc.integer({ min: 1, max: 60 }).map((last) => `10.180.0.${last}`)
const port = fc.integer({ min: 1, max: 65535 })
const protocol = fc.constantFrom('tcp', 'udp', 'sctp')
const range = fc.oneof(
  fc.tuple(fc.nat(7), fc.integer({ min: 22, max: 32 })).map(([third, length]) => masked(`203.0.${third}.0`, length)),
  address,
  fc.tuple(fc.nat(15), fc.constant(29)).map(([block, length]) => `198.51.100.${block * 8}/${length}`),
)
const bit = fc.nat(31)

/** Masks an address with trailing zeros. In IPv4 the third byte may lose bits. */
function masked(text: string, length: number): string {
  const [a, b, third = '0'] = text.split('.')
  const kept = length >= 24 ? Number(third) : Number(third) & (0xff << (24 - length))
  return `${a}.${b}.${kept}.0/${length}`
}

const service = fc.record({
  name: fc.stringMatching(/^[A-Z2-7]{8}-[a-z]{1,6}\/[a-z]{1,6}\/tcp\/[a-z0-9]{0,4}$/),
  clusterIp: fc.integer({ min: 1, max: 250 }).map((last) => `172.30.0.${last}`),
  protocol,
  port,
  endpoints: fc.uniqueArray(fc.tuple(address, port), { maxLength: 12, selector: String }),
  ranges: fc.array(range, { maxLength: 5 }),
  affinity: fc.option(fc.integer({ min: 1, max: 86400 }), { nil: undefined }),
  comment: fc.stringMatching(/^[a-z]{1,6}\/[a-z]{1,6}(:[a-z0-9]{1,4})?$/),
})

/** Generates a table of a few services, randomly of an old or a new generation. */
export const kubeProxyTable: fc.Arbitrary<Table> = fc
  .record({
    isNew: fc.boolean(),
    bit,
    services: fc.uniqueArray(service, { maxLength: 8, selector: ({ name }) => name }),
    cidrs: fc.uniqueArray(
      fc.nat(15).map((block) => `10.${block * 16}.0.0/12`),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ isNew, bit: markBit, services, cidrs }) => {
    const mark = `0x${(2 ** markBit).toString(16).padStart(8, '0')}`
    const lines = [
      'add table ip kube-proxy { comment "rules for kube-proxy" ; }',
      `add chain ip kube-proxy filter-output { type filter hook output priority ${isNew ? 0 : -110} ; }`,
      'add chain ip kube-proxy nat-prerouting { type nat hook prerouting priority -100 ; }',
      'add chain ip kube-proxy nat-postrouting { type nat hook postrouting priority 100 ; }',
      'add chain ip kube-proxy masquerading',
      'add chain ip kube-proxy cluster-ips-check',
      'add chain ip kube-proxy reject-chain { comment "helper for @no-endpoint-services / @no-endpoint-nodeports" ; }',
      'add chain ip kube-proxy services',
      'add set ip kube-proxy cluster-ips { type ipv4_addr ; comment "Active ClusterIPs" ; }',
      'add set ip kube-proxy hairpin-connections { type ipv4_addr . ipv4_addr . inet_proto . inet_service ; }',
      'add map ip kube-proxy service-ips { type ipv4_addr . inet_proto . inet_service : verdict ; }',
      'add map ip kube-proxy no-endpoint-services { type ipv4_addr . inet_proto . inet_service : verdict ; }',
      'add rule ip kube-proxy filter-output ct state new jump cluster-ips-check',
      'add rule ip kube-proxy nat-prerouting jump services',
      'add rule ip kube-proxy nat-postrouting jump masquerading',
      `add rule ip kube-proxy cluster-ips-check ip daddr { ${cidrs.join(',')} } drop comment "Drop traffic to unallocated ClusterIPs"`,
      ...(isNew
        ? [
            `add rule ip kube-proxy masquerading mark and ${mark} != 0 mark set mark xor ${mark} masquerade fully-random`,
            'add rule ip kube-proxy masquerading ct status dnat ip saddr . ip daddr . meta l4proto . th dport @hairpin-connections masquerade fully-random',
          ]
        : [
            `add rule ip kube-proxy masquerading mark and ${mark} == 0 return`,
            `add rule ip kube-proxy masquerading mark set mark xor ${mark}`,
            'add rule ip kube-proxy masquerading masquerade fully-random',
          ]),
      'add rule ip kube-proxy reject-chain reject',
      'add rule ip kube-proxy services ip daddr . meta l4proto . th dport vmap @service-ips',
    ]
    const taken = new Set<string>()
    for (const each of services) {
      const key = `${each.clusterIp} . ${each.protocol} . ${each.port}`
      if (taken.has(key)) continue
      taken.add(key)
      lines.push(...serviceLines(each, key, isNew))
    }
    return tableOf(`${lines.join('\n')}\n`)
  })

type Service = typeof service extends fc.Arbitrary<infer Value> ? Value : never

function serviceLines(
  { name, clusterIp, protocol, endpoints, ranges, affinity, comment }: Service,
  key: string,
  isNew: boolean,
): readonly string[] {
  const chain = `service-${name}`
  const lines = [`add chain ip kube-proxy ${chain}`, `add element ip kube-proxy cluster-ips { ${clusterIp} }`]
  if (endpoints.length === 0) {
    return [
      ...lines,
      `add element ip kube-proxy no-endpoint-services { ${key} comment "${comment}" : goto reject-chain }`,
    ]
  }
  lines.push(`add element ip kube-proxy service-ips { ${key} : goto ${chain} }`)
  if (ranges.length > 0) {
    lines.push(
      `add chain ip kube-proxy firewall-${name}`,
      `add rule ip kube-proxy firewall-${name} ip saddr != { ${ranges.join(' , ')} } drop`,
    )
  }
  const count = endpoints.length
  if (isNew && affinity === undefined) {
    const data = endpoints.map(([ip, port], index) => `${index} : ${ip} . ${port}`).join(' , ')
    const to = `ip addr . port to numgen random mod ${count} map { ${data} }`
    const [first] = endpoints
    const dnat = count === 1 && first !== undefined ? `to ${first[0]}:${first[1]}` : to
    return [...lines, `add rule ip kube-proxy ${chain} meta l4proto ${protocol} dnat ${dnat}`]
  }
  const ends: string[] = []
  for (const [index, [ip, port]] of endpoints.entries()) {
    const end = `endpoint-${name}__${ip}/${port}`
    ends.push(`${index} : goto ${end}`)
    lines.push(`add chain ip kube-proxy ${end}`)
    if (affinity !== undefined) {
      const set = `affinity-${name}__${ip}/${port}`
      lines.push(
        `add set ip kube-proxy ${set} { type ipv4_addr ; flags dynamic,timeout ; timeout ${affinity}s ; }`,
        `add rule ip kube-proxy ${chain} ip saddr @${set} goto ${end}`,
        `add rule ip kube-proxy ${end} update @${set} { ip saddr }`,
      )
    }
    lines.push(`add rule ip kube-proxy ${end} meta l4proto ${protocol} dnat to ${ip}:${port}`)
  }
  return [...lines, `add rule ip kube-proxy ${chain} numgen random mod ${count} vmap { ${ends.join(' , ')} }`]
}
