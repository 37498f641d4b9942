import { expect, it } from 'vitest'
import { compile } from '../../../src/compilation/compile.js'
import { printFamily } from '../../support/print-family.js'

/** The first version of each generation of kube-proxy's text. */
const GENERATIONS: Readonly<Record<string, string>> = {
  1: '1.30',
  2: '1.32',
  3: '1.34',
  4: '1.36',
  5: '1.37',
}

// The rules of one Service in each generation. The Service has a cluster IP, a node port, a load balancer with source
// ranges, and one endpoint on the node. The digits before each line are its generations. `T` is `ip kube-proxy`, `S`
// the text after the first word in chain names of the service port.
const TEXT = `
12345 add table T { comment "rules for kube-proxy" ; }
12··· add chain T filter-prerouting { type filter hook prerouting priority -110 ; }
··345 add chain T filter-prerouting-pre-dnat { type filter hook prerouting priority -110 ; }
··345 add chain T filter-output-pre-dnat { type filter hook output priority -110 ; }
12··· add chain T filter-input { type filter hook input priority -110 ; }
··345 add chain T filter-input { type filter hook input priority 0 ; }
12··· add chain T filter-forward { type filter hook forward priority -110 ; }
··345 add chain T filter-forward { type filter hook forward priority 0 ; }
12··· add chain T filter-output { type filter hook output priority -110 ; }
··345 add chain T filter-output { type filter hook output priority 0 ; }
12··· add chain T filter-output-post-dnat { type filter hook output priority -90 ; }
12345 add chain T nat-prerouting { type nat hook prerouting priority -100 ; }
12345 add chain T nat-output { type nat hook output priority -100 ; }
12345 add chain T nat-postrouting { type nat hook postrouting priority 100 ; }
12345 add chain T nodeport-endpoints-check
12345 add chain T service-endpoints-check
12345 add chain T firewall-check
12345 add chain T services
12345 add chain T masquerading
12345 add chain T cluster-ips-check
123·· add chain T mark-for-masquerade
12345 add chain T reject-chain { comment "helper for @no-endpoint-services / @no-endpoint-nodeports" ; }
123·· add chain T endpoint-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80
12345 add chain T service-S
12345 add chain T external-S
12345 add chain T firewall-S
···45 add set T hairpin-connections { type ipv4_addr . ipv4_addr . inet_proto . inet_service ; comment "service hairpin connections" ; }
12345 add set T cluster-ips { type ipv4_addr ; comment "Active ClusterIPs" ; }
12345 add set T nodeport-ips { type ipv4_addr ; comment "IPs that accept NodePort traffic" ; }
12345 add map T no-endpoint-services { type ipv4_addr . inet_proto . inet_service : verdict ; comment "vmap to drop or reject packets to services with no endpoints" ; }
12345 add map T no-endpoint-nodeports { type inet_proto . inet_service : verdict ; comment "vmap to drop or reject packets to service nodeports with no endpoints" ; }
12345 add map T firewall-ips { type ipv4_addr . inet_proto . inet_service : verdict ; comment "destinations that are subject to LoadBalancerSourceRanges" ; }
12345 add map T service-ips { type ipv4_addr . inet_proto . inet_service : verdict ; comment "ClusterIP, ExternalIP and LoadBalancer IP traffic" ; }
12345 add map T service-nodeports { type inet_proto . inet_service : verdict ; comment "NodePort traffic" ; }
12··· add rule T filter-prerouting ct state new jump firewall-check
··345 add rule T filter-prerouting-pre-dnat ct state new jump firewall-check
··345 add rule T filter-output-pre-dnat ct state new jump firewall-check
12345 add rule T filter-input ct state new jump nodeport-endpoints-check
12345 add rule T filter-input ct state new jump service-endpoints-check
12345 add rule T filter-forward ct state new jump service-endpoints-check
12345 add rule T filter-forward ct state new jump cluster-ips-check
12345 add rule T filter-output ct state new jump service-endpoints-check
12··· add rule T filter-output ct state new jump firewall-check
··345 add rule T filter-output ct state new jump cluster-ips-check
12··· add rule T filter-output-post-dnat ct state new jump cluster-ips-check
12345 add rule T nat-prerouting jump services
12345 add rule T nat-output jump services
12345 add rule T nat-postrouting jump masquerading
12345 add rule T nodeport-endpoints-check ip daddr @nodeport-ips meta l4proto . th dport vmap @no-endpoint-nodeports
12345 add rule T service-endpoints-check ip daddr . meta l4proto . th dport vmap @no-endpoint-services
12345 add rule T firewall-check ip daddr . meta l4proto . th dport vmap @firewall-ips
···45 add rule T services ip daddr @cluster-ips ip saddr != 10.0.0.0/8 mark set mark or 0x00004000 comment "masquerade clusterIP traffic from outside cluster"
12345 add rule T services ip daddr . meta l4proto . th dport vmap @service-ips
12345 add rule T services ip daddr @nodeport-ips meta l4proto . th dport vmap @service-nodeports
123·· add rule T masquerading mark and 0x00004000 == 0 return
123·· add rule T masquerading mark set mark xor 0x00004000
123·· add rule T masquerading masquerade fully-random
···45 add rule T masquerading mark and 0x00004000 != 0 mark set mark xor 0x00004000 masquerade fully-random
···45 add rule T masquerading ct status dnat ip saddr . ip daddr . meta l4proto . th dport @hairpin-connections masquerade fully-random
12345 add rule T cluster-ips-check ip daddr @cluster-ips reject comment "Reject traffic to invalid ports of ClusterIPs"
12345 add rule T cluster-ips-check ip daddr { 172.30.0.0/16 } drop comment "Drop traffic to unallocated ClusterIPs"
123·· add rule T mark-for-masquerade mark set mark or 0x00004000
12345 add rule T reject-chain reject
123·· add rule T endpoint-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80 ip saddr 10.180.0.1 jump mark-for-masquerade
123·· add rule T endpoint-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80 meta l4proto tcp dnat to 10.180.0.1:80
12··· add rule T service-S ip daddr 172.30.0.41 tcp dport 80 ip saddr != 10.0.0.0/8 jump mark-for-masquerade
··3·· add rule T service-S ip daddr 172.30.0.41 ip saddr != 10.0.0.0/8 jump mark-for-masquerade
123·· add rule T service-S numgen random mod 1 vmap { 0 : goto endpoint-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80 }
···4· add rule T service-S meta l4proto tcp dnat ip addr . port to numgen random mod 1 map { 0 : 10.180.0.1 . 80 }
····5 add rule T service-S meta l4proto tcp dnat to 10.180.0.1:80
123·· add rule T external-S jump mark-for-masquerade
···45 add rule T external-S mark set mark or 0x00004000 comment "masquerade"
12345 add rule T external-S goto service-S
12345 add rule T firewall-S ip saddr != { 203.0.113.0/25 } drop
···45 add element T hairpin-connections { 10.180.0.1 . 10.180.0.1 . tcp . 80 }
12345 add element T cluster-ips { 172.30.0.41 }
12345 add element T nodeport-ips { 192.168.0.2 }
1···· add element T firewall-ips { 1.2.3.4 . tcp . 80 comment "ns1/svc1:p80" : goto firewall-S }
·2345 add element T firewall-ips { 1.2.3.4 . tcp . 80 : goto firewall-S }
12345 add element T service-ips { 172.30.0.41 . tcp . 80 : goto service-S }
12345 add element T service-ips { 1.2.3.4 . tcp . 80 : goto external-S }
12345 add element T service-nodeports { tcp . 3001 : goto external-S }
`

const INPUT = {
  services: [
    {
      metadata: { namespace: 'ns1', name: 'svc1' },
      spec: {
        type: 'LoadBalancer',
        clusterIP: '172.30.0.41',
        loadBalancerSourceRanges: ['203.0.113.0/25'],
        ports: [{ name: 'p80', port: 80, nodePort: 3001 }],
      },
      status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'ns1', name: 'svc1-1', labels: { 'kubernetes.io/service-name': 'svc1' } },
      addressType: 'IPv4',
      ports: [{ name: 'p80', port: 80 }],
      endpoints: [{ addresses: ['10.180.0.1'], nodeName: 'node-1' }],
    },
  ],
  nodes: [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }],
  serviceCIDRs: [{ metadata: { name: 'kubernetes' }, spec: { cidrs: ['172.30.0.0/16', 'fd00::/108'] } }],
}

/** Returns the lines of a generation. */
function expected(generation: string): readonly string[] {
  return TEXT.trim()
    .split('\n')
    .filter((line) => line.slice(0, 5).includes(generation))
    .map((line) =>
      line
        .slice(6)
        .replace(/^(add \w+) T /, '$1 ip kube-proxy ')
        .replace(/(service|external|firewall)-S\b/g, '$1-ULMVA6XW-ns1/svc1/tcp/p80'),
    )
}

it.each(Object.entries(GENERATIONS))(
  'nftables mode prints the expected table of generation %s, which starts with version %s',
  (generation, kubernetesVersion) => {
    const featureGates = kubernetesVersion === '1.30' ? { NFTablesProxyMode: true } : {}
    const configuration = { clusterCIDR: '10.0.0.0/8', featureGates }
    const result = compile({ ...INPUT, configuration }, { mode: 'nftables', families: ['IPv4'], kubernetesVersion })
    expect(printFamily(result, { family: 'IPv4' }).split('\n')).toEqual([...expected(generation), ''])
  },
)

it('nftables mode prints the same table in all versions of a generation', () => {
  const textOf = (kubernetesVersion: string) => {
    const configuration = { featureGates: kubernetesVersion === '1.30' ? { NFTablesProxyMode: true } : {} }
    return printFamily(compile({ ...INPUT, configuration }, { mode: 'nftables', kubernetesVersion }), {
      family: 'IPv4',
    })
  }
  const pairs = [
    ['1.30', '1.31'],
    ['1.32', '1.33'],
    ['1.34', '1.35'],
  ] as const
  for (const [first, last] of pairs) expect(textOf(last)).toBe(textOf(first))
  expect(new Set(Object.values(GENERATIONS).map(textOf)).size).toBe(5)
})
