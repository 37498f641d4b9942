import type { Protocol } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { LocalTrafficDetection } from '../../../src/model/node/local-traffic-detection.js'
import { cidr } from '../../support/decisions.js'
import { endpoint, servicePort } from '../../support/model-builder.js'
import { commandsOf, elementsOf, type NftablesConfiguration, rulesOf } from '../../support/nftables-states.js'

// Expectations follow kube-proxy's behavior, form by form; the versions are the first of each generation.

const NAME = 'ULMVA6XW-ns1/svc1/tcp/p80'
const E1 = 'endpoint-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80'
const E2 = 'endpoint-2ZNDXFAB-ns1/svc1/tcp/p80__10.180.0.2/80'
const A1 = E1.replace('endpoint', 'affinity')
const A2 = E2.replace('endpoint', 'affinity')

const two = [endpoint(), endpoint({ ip: '10.180.0.2' })]
const local = endpoint({ ip: '10.180.0.2', local: true })
const NO_PODS: NftablesConfiguration = { node: { localTrafficDetection: undefined } }

function chains(lines: readonly string[], ...prefixes: readonly string[]) {
  return prefixes.map((prefix) => rulesOf(lines, `${prefix}-${NAME}`))
}

describe('the endpoint selection chain of a service port in nftables mode', () => {
  const of = (version: string, fields: Parameters<typeof servicePort>[0] = {}) =>
    rulesOf(commandsOf([servicePort({ endpoints: two, ...fields })], { version, ...NO_PODS }), `service-${NAME}`)

  it.each([
    ['1.35', `numgen random mod 2 vmap { 0 : goto ${E1} , 1 : goto ${E2} }`],
    [
      '1.36',
      'meta l4proto tcp dnat ip addr . port to numgen random mod 2 map { 0 : 10.180.0.1 . 80 , 1 : 10.180.0.2 . 80 }',
    ],
    [
      '1.37',
      'meta l4proto tcp dnat ip addr . port to numgen random mod 2 map { 0 : 10.180.0.1 . 80 , 1 : 10.180.0.2 . 80 }',
    ],
  ])('selects each endpoint with the same probability in %s', (version, rule) => {
    expect(of(version)).toEqual([rule])
  })

  it.each(['1.35', '1.36', '1.37'])('first sends known clients to their endpoint in %s', (version) => {
    expect(of(version, { affinitySeconds: 600 })).toEqual([
      `ip saddr @${A1} goto ${E1}`,
      `ip saddr @${A2} goto ${E2}`,
      `numgen random mod 2 vmap { 0 : goto ${E1} , 1 : goto ${E2} }`,
    ])
  })

  it('uses a map for one endpoint only if the Service has session affinity', () => {
    const endpoints = [endpoint()]
    expect(of('1.37', { endpoints, affinitySeconds: 600 })).toEqual([
      `ip saddr @${A1} goto ${E1}`,
      `numgen random mod 1 vmap { 0 : goto ${E1} }`,
    ])
    expect(of('1.37', { endpoints })).toEqual(['meta l4proto tcp dnat to 10.180.0.1:80'])
  })

  it('exists for all endpoints and for local endpoints if the rules need both chains', () => {
    const port = servicePort({
      ...{ endpoints: [endpoint(), local], externalIPs: ['192.0.2.1'], externalPolicyLocal: true },
    })
    expect(chains(commandsOf([port]), 'service', 'local')).toEqual([
      ['meta l4proto tcp dnat ip addr . port to numgen random mod 2 map { 0 : 10.180.0.1 . 80 , 1 : 10.180.0.2 . 80 }'],
      ['meta l4proto tcp dnat to 10.180.0.2:80'],
    ])
  })
})

describe('the chain of an endpoint in nftables mode', () => {
  const of = (version: string, affinitySeconds?: number) =>
    rulesOf(commandsOf([servicePort({ endpoints: [endpoint()], affinitySeconds })], { version }), E1)

  it('up to 1.35 masquerades hairpin packets, records clients and translates the destination', () => {
    expect(of('1.35', 600)).toEqual([
      'ip saddr 10.180.0.1 jump mark-for-masquerade',
      `update @${A1} { ip saddr }`,
      'meta l4proto tcp dnat to 10.180.0.1:80',
    ])
    expect(of('1.35')).toEqual([
      'ip saddr 10.180.0.1 jump mark-for-masquerade',
      'meta l4proto tcp dnat to 10.180.0.1:80',
    ])
  })

  it('exists only to record clients from version 1.36 on', () => {
    expect(of('1.36', 600)).toEqual([`update @${A1} { ip saddr }`, 'meta l4proto tcp dnat to 10.180.0.1:80'])
    expect(of('1.36')).toBeUndefined()
  })

  it('has a set of clients with the timeout of the session affinity', () => {
    const lines = commandsOf([servicePort({ endpoints: [endpoint()], affinitySeconds: 600 })])
    expect(lines).toContain(`add set ip kube-proxy ${A1} { type ipv4_addr ; flags dynamic,timeout ; timeout 600s ; }`)
    expect(elementsOf(lines, A1)).toEqual([])
  })
})

describe('the set hairpin-connections', () => {
  it('contains only local endpoints from version 1.36 on', () => {
    const port = servicePort({ endpoints: [endpoint(), local] })
    const of = (version: string) => elementsOf(commandsOf([port], { version }), 'hairpin-connections')
    expect(of('1.36')).toEqual(['10.180.0.2 . 10.180.0.2 . tcp . 80'])
    expect(of('1.35')).toEqual([])
  })
})

describe('packets to a cluster IP in nftables mode', () => {
  const port = servicePort({ endpoints: [endpoint()] })
  const of = (version: string, configuration: NftablesConfiguration = {}) => {
    const lines = commandsOf([port], { ...configuration, version })
    return [rulesOf(lines, `service-${NAME}`)?.slice(0, -1), rulesOf(lines, 'services')?.slice(0, -2)]
  }
  const everything = { settings: { masqueradeAll: true } }

  it('are masqueraded unless they come from pods', () => {
    const match = 'ip saddr != 10.0.0.0/8'
    expect(of('1.33')).toEqual([[`ip daddr 172.30.0.41 tcp dport 80 ${match} jump mark-for-masquerade`], []])
    expect(of('1.34')).toEqual([[`ip daddr 172.30.0.41 ${match} jump mark-for-masquerade`], []])
    const comment = 'comment "masquerade clusterIP traffic from outside cluster"'
    expect(of('1.36')).toEqual([[], [`ip daddr @cluster-ips ${match} mark set mark or 0x00004000 ${comment}`]])
  })

  it('are all masqueraded if masqueradeAll is on', () => {
    const settings = { masqueradeAll: true }
    const oldSettings = (version: string) => of(version, { settings: {} })
    expect(oldSettings('1.36')[1]).toHaveLength(1)
    const comment = 'comment "masquerade all clusterIP traffic"'
    expect(of('1.37', everything)).toEqual([[], [`ip daddr @cluster-ips mark set mark or 0x00004000 ${comment}`]])
    expect(of('1.37', { settings })).toEqual(of('1.37', everything))
  })

  it('are not masqueraded if there is no local traffic detection', () => {
    for (const version of ['1.30', '1.34', '1.36', '1.37']) expect(of(version, NO_PODS)).toEqual([[], []])
  })
})

describe('pod packets in nftables mode', () => {
  const port = servicePort({ endpoints: [endpoint()], externalIPs: ['192.0.2.1'], externalPolicyLocal: true })
  const first = (localTrafficDetection: LocalTrafficDetection, version: string) =>
    rulesOf(commandsOf([port], { node: { localTrafficDetection }, version }), `external-${NAME}`)?.[0]
  const behind = `goto service-${NAME} comment "short-circuit pod traffic"`

  it.each<[string, LocalTrafficDetection, string]>([
    ['1.37', { kind: 'cidr', cidr: cidr('10.244.0.0/16') }, 'ip saddr 10.244.0.0/16'],
    ['1.37', { kind: 'interface', interface: 'cbr0' }, 'iifname cbr0'],
    ['1.34', { kind: 'interface', interface: 'cbr0' }, 'iif cbr0'],
    ['1.37', { kind: 'interfacePrefix', prefix: 'cali' }, 'iifname cali*'],
    ['1.34', { kind: 'interfacePrefix', prefix: 'cali' }, 'iif cali*'],
  ])('are matched in %s according to the detection %j', (version, localTrafficDetection, match) => {
    expect(first(localTrafficDetection, version)).toBe(`${match} ${behind}`)
  })
})

describe('the chain of external destinations in nftables mode', () => {
  const of = (fields: Parameters<typeof servicePort>[0], configuration: NftablesConfiguration = {}) =>
    rulesOf(commandsOf([servicePort({ externalIPs: ['192.0.2.1'], ...fields })], configuration), `external-${NAME}`)

  it('masquerades packets if the policy is Cluster', () => {
    const endpoints = [endpoint()]
    expect(of({ endpoints })).toEqual(['mark set mark or 0x00004000 comment "masquerade"', `goto service-${NAME}`])
    expect(of({ endpoints }, { version: '1.35' })).toEqual(['jump mark-for-masquerade', `goto service-${NAME}`])
  })

  const SHORT_CIRCUITS = [
    `ip saddr 10.0.0.0/8 goto service-${NAME} comment "short-circuit pod traffic"`,
    'fib saddr type local mark set mark or 0x00004000 comment "masquerade local traffic"',
    `fib saddr type local goto service-${NAME} comment "short-circuit local traffic"`,
  ]

  it('short-circuits packets of pods and of the node if the policy is Local', () => {
    expect(of({ endpoints: [endpoint(), local], externalPolicyLocal: true })).toEqual([
      ...SHORT_CIRCUITS,
      `goto local-${NAME}`,
    ])
    const [pods, mark, node] = SHORT_CIRCUITS
    expect(of({ endpoints: [endpoint(), local], externalPolicyLocal: true }, { version: '1.35' })).toEqual([
      pods,
      mark?.replace('mark set mark or 0x00004000', 'jump mark-for-masquerade'),
      node,
      `goto local-${NAME}`,
    ])
  })

  it('contains only short circuits if the policy is Local and the node has no endpoint', () => {
    expect(of({ endpoints: [endpoint()], externalPolicyLocal: true })).toEqual(SHORT_CIRCUITS)
  })

  it('does not exist if a service port has no endpoints or only a cluster IP', () => {
    expect(of({})).toBeUndefined()
    expect(of({ endpoints: [endpoint()], externalIPs: [] })).toBeUndefined()
  })
})

describe('the source range chain in nftables mode', () => {
  const of = (fields: Parameters<typeof servicePort>[0]) =>
    rulesOf(commandsOf([servicePort({ loadBalancerIPs: ['1.2.3.4', '1.2.3.5'], ...fields })]), `firewall-${NAME}`)
  const ranges = [cidr('203.0.113.0/24'), cidr('198.51.100.0/25')]

  it('drops packets from other sources, whether there are endpoints or not', () => {
    const rules = ['ip saddr != { 203.0.113.0/24 , 198.51.100.0/25 } drop']
    expect(of({ sourceRanges: ranges, endpoints: [endpoint()] })).toEqual(rules)
    expect(of({ sourceRanges: ranges })).toEqual(rules)
  })

  it('accepts packets from the load-balancer IPs if a range contains the node', () => {
    expect(of({ sourceRanges: [...ranges, cidr('192.168.0.0/24')] })).toEqual([
      'ip saddr != { 203.0.113.0/24 , 198.51.100.0/25 , 192.168.0.0/24 , 1.2.3.4 , 1.2.3.5 } drop',
    ])
  })

  it('does not exist if there are no source ranges or no load-balancer IPs', () => {
    expect(of({ endpoints: [endpoint()] })).toBeUndefined()
    expect(of({ sourceRanges: ranges, loadBalancerIPs: [] })).toBeUndefined()
  })
})

describe('node ports in nftables mode', () => {
  const port = servicePort({ endpoints: [endpoint()], nodePort: 3001 })
  const of = (configuration: NftablesConfiguration) => {
    const lines = commandsOf([port], configuration)
    return {
      services: rulesOf(lines, 'services')?.at(-1),
      check: rulesOf(lines, 'nodeport-endpoints-check'),
      addresses: lines.some((line) => line.startsWith('add set ip kube-proxy nodeport-ips ')) && [
        ...elementsOf(lines, 'nodeport-ips'),
      ],
    }
  }
  const lookUp = 'meta l4proto . th dport vmap'

  it('are served on all node addresses except loopback', () => {
    expect(of({})).toEqual({
      services: `fib daddr type local ip daddr != 127.0.0.0/8 ${lookUp} @service-nodeports`,
      check: [`ip daddr != 127.0.0.0/8 ${lookUp} @no-endpoint-nodeports`],
      addresses: false,
    })
    const lines = commandsOf([port], { family: 'IPv6' })
    expect(rulesOf(lines, 'services')?.at(-1)).toBe(
      `fib daddr type local ip6 daddr != ::1 ${lookUp} @service-nodeports`,
    )
  })

  it.each([
    [
      ['192.168.0.2', '192.168.1.2'],
      ['192.168.0.2', '192.168.1.2'],
    ],
    [[], []],
    [['127.0.0.1', '192.168.0.2'], ['192.168.0.2']],
  ])('are served on the selected addresses %j except loopback', (addresses, elements) => {
    const settings = { localhostNodePorts: false }
    const node = { nodePorts: { all: false, addresses, containsLoopback: false } }
    expect(of({ node, settings })).toEqual({
      services: `ip daddr @nodeport-ips ${lookUp} @service-nodeports`,
      check: [`ip daddr @nodeport-ips ${lookUp} @no-endpoint-nodeports`],
      addresses: elements,
    })
  })
})

describe('node ports on loopback addresses in nftables mode', () => {
  const ports = [
    servicePort({ ...{ name: 'dns', protocol: 'UDP', nodePort: 30053, endpoints: [], portName: 'dns' } }),
    servicePort({ name: 'inside', endpoints: two }),
    servicePort({ endpoints: two, nodePort: 30080 }),
  ]
  const of = (rejectedLocalhostNodePorts: readonly Protocol[], family?: 'IPv6') =>
    commandsOf(family ? [] : ports, { settings: { rejectedLocalhostNodePorts }, ...(family && { family }) })
  const lookUp = 'meta l4proto . th dport vmap @localhost-nodeport-reject-ports'

  it('have no rules by default', () => {
    expect(of([]).filter((line) => line.includes('localhost'))).toEqual([])
  })

  it('are rejected and counted by protocol, whether there are endpoints or not', () => {
    expect(of(['SCTP', 'TCP', 'UDP']).filter((line) => line.includes('localhost'))).toEqual([
      'add chain ip kube-proxy localhost-nodeport-reject-sctp',
      'add chain ip kube-proxy localhost-nodeport-reject-tcp',
      'add chain ip kube-proxy localhost-nodeport-reject-udp',
      'add map ip kube-proxy localhost-nodeport-reject-ports { type inet_proto . inet_service : verdict ; comment "localhost NodePorts rejected by kube-proxy" ; }',
      'add counter ip kube-proxy localhost-nodeport-rejected-sctp',
      'add counter ip kube-proxy localhost-nodeport-rejected-tcp',
      'add counter ip kube-proxy localhost-nodeport-rejected-udp',
      `add rule ip kube-proxy nodeport-endpoints-check ip daddr 127.0.0.0/8 ${lookUp}`,
      'add rule ip kube-proxy localhost-nodeport-reject-sctp counter name "localhost-nodeport-rejected-sctp" reject',
      'add rule ip kube-proxy localhost-nodeport-reject-tcp counter name "localhost-nodeport-rejected-tcp" reject',
      'add rule ip kube-proxy localhost-nodeport-reject-udp counter name "localhost-nodeport-rejected-udp" reject',
      'add element ip kube-proxy localhost-nodeport-reject-ports { udp . 30053 : goto localhost-nodeport-reject-udp }',
      'add element ip kube-proxy localhost-nodeport-reject-ports { tcp . 30080 : goto localhost-nodeport-reject-tcp }',
    ])
  })

  it('are matched after node ports on other addresses', () => {
    expect(rulesOf(of(['UDP']), 'nodeport-endpoints-check')).toEqual([
      'ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @no-endpoint-nodeports',
      `ip daddr 127.0.0.0/8 ${lookUp}`,
    ])
    expect(rulesOf(of(['UDP'], 'IPv6'), 'nodeport-endpoints-check')?.[1]).toBe(`ip6 daddr ::1 ${lookUp}`)
  })

  it('have no rules for TCP if kube-proxy listens on TCP itself', () => {
    const lines = of(['SCTP', 'UDP'])
    expect(lines.filter((line) => line.includes('localhost-nodeport-reject-tcp'))).toEqual([])
    expect(elementsOf(lines, 'localhost-nodeport-reject-ports')).toEqual([
      'udp . 30053 : goto localhost-nodeport-reject-udp',
    ])
  })
})

describe('the fixed rules of nftables mode', () => {
  it('contain the configured masquerade mark', () => {
    const lines = commandsOf([], { settings: { masqueradeMark: 0x80000000 } })
    expect(rulesOf(lines, 'masquerading')?.[0]).toBe(
      'mark and 0x80000000 != 0 mark set mark xor 0x80000000 masquerade fully-random',
    )
    expect(rulesOf(lines, 'mark-for-masquerade')).toBeUndefined()
    const old = commandsOf([], { settings: { masqueradeMark: 1 }, version: '1.35' })
    expect(rulesOf(old, 'masquerading')).toEqual([
      'mark and 0x00000001 == 0 return',
      'mark set mark xor 0x00000001',
      'masquerade fully-random',
    ])
    expect(rulesOf(old, 'mark-for-masquerade')).toEqual(['mark set mark or 0x00000001'])
  })

  it('drop packets to unallocated addresses of the ServiceCIDRs, which keep their original notation', () => {
    const of = (serviceNetworks: readonly string[]) =>
      rulesOf(commandsOf([], { settings: { serviceNetworks } }), 'cluster-ips-check')?.slice(1)
    expect(of([])).toEqual([])
    expect(of(['10.96.0.0/12', '10.112.0.1/16'])).toEqual([
      'ip daddr { 10.96.0.0/12,10.112.0.1/16 } drop comment "Drop traffic to unallocated ClusterIPs"',
    ])
  })

  it('match IPv6 fields if the family is IPv6', () => {
    const port = servicePort({
      ...{ clusterIP: 'fd00::10', externalIPs: ['2001:db8::1'], affinitySeconds: 60, port: 53, protocol: 'UDP' },
      ...{ namespace: 'ns', name: 'svc', portName: 'dns', endpoints: [endpoint({ ip: 'fd00::1', port: 53 })] },
    })
    const localTrafficDetection: LocalTrafficDetection = { kind: 'cidr', cidr: cidr('fd00:1::/48') }
    const lines = commandsOf([port], { family: 'IPv6', node: { localTrafficDetection }, version: '1.33' })
    const chain = 'endpoint-QPV5MIS6-ns/svc/udp/dns__fd00..1/53'
    expect(rulesOf(lines, chain)).toEqual([
      'ip6 saddr fd00::1 jump mark-for-masquerade',
      'update @affinity-QPV5MIS6-ns/svc/udp/dns__fd00..1/53 { ip6 saddr }',
      'meta l4proto udp dnat to [fd00::1]:53',
    ])
    expect(lines.find((line) => line.includes('mark-for-masquerade') && line.includes('dport'))).toContain(
      ' ip6 daddr fd00::10 udp dport 53 ip6 saddr != fd00:1::/48 jump mark-for-masquerade',
    )
    expect(rulesOf(lines, 'service-endpoints-check')).toEqual([
      'ip6 daddr . meta l4proto . th dport vmap @no-endpoint-services',
    ])
    const { affinitySeconds: _, ...without } = port
    const map = commandsOf([without], { family: 'IPv6', version: '1.36' }).find((line) => line.includes('numgen'))
    expect(map).toMatch(/ meta l4proto udp dnat ip6 addr \. port to numgen random mod 1 map \{ 0 : fd00::1 \. 53 \}$/)
  })
})
