import { expect, it } from 'vitest'
import { compile } from '../../../src/compilation/compile.js'
import { printFamily } from '../../support/print-family.js'

/** The table of kube-proxy v1.29; `T` is `ip kube-proxy`. */
const TEXT = `
add table T { comment "rules for kube-proxy" ; }
add chain T filter-input { type filter hook input priority -101 ; }
add chain T filter-forward { type filter hook forward priority -101 ; }
add chain T filter-output { type filter hook output priority -101 ; }
add chain T nat-prerouting { type nat hook prerouting priority -100 ; }
add chain T nat-output { type nat hook output priority -100 ; }
add chain T nat-postrouting { type nat hook postrouting priority 100 ; }
add chain T endpoints-check
add chain T firewall-check
add chain T firewall-allow-check
add chain T forward
add chain T services
add chain T masquerading
add chain T mark-for-masquerade
add chain T reject-chain { comment "helper for @no-endpoint-services / @no-endpoint-nodeports" ; }
add set T firewall { type ipv4_addr . inet_proto . inet_service ; comment "destinations that are subject to LoadBalancerSourceRanges" ; }
add set T firewall-allow { type ipv4_addr . inet_proto . inet_service . ipv4_addr ; flags interval ; comment "destinations+sources that are allowed by LoadBalancerSourceRanges" ; }
add map T no-endpoint-services { type ipv4_addr . inet_proto . inet_service : verdict ; comment "vmap to drop or reject packets to services with no endpoints" ; }
add map T no-endpoint-nodeports { type inet_proto . inet_service : verdict ; comment "vmap to drop or reject packets to service nodeports with no endpoints" ; }
add map T service-ips { type ipv4_addr . inet_proto . inet_service : verdict ; comment "ClusterIP, ExternalIP and LoadBalancer IP traffic" ; }
add map T service-nodeports { type inet_proto . inet_service : verdict ; comment "NodePort traffic" ; }
add rule T filter-input ct state new jump endpoints-check
add rule T filter-input ct state new jump firewall-check
add rule T filter-forward ct state new jump endpoints-check
add rule T filter-forward jump forward
add rule T filter-forward ct state new jump firewall-check
add rule T filter-output ct state new jump endpoints-check
add rule T filter-output ct state new jump firewall-check
add rule T nat-prerouting jump services
add rule T nat-output jump services
add rule T nat-postrouting jump masquerading
add rule T endpoints-check ip daddr . meta l4proto . th dport vmap @no-endpoint-services
add rule T endpoints-check fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @no-endpoint-nodeports
add rule T firewall-check ip daddr . meta l4proto . th dport @firewall jump firewall-allow-check
add rule T firewall-allow-check ip daddr . meta l4proto . th dport . ip saddr @firewall-allow return
add rule T firewall-allow-check drop
add rule T forward ct state invalid drop
add rule T services ip daddr . meta l4proto . th dport vmap @service-ips
add rule T services fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @service-nodeports
add rule T masquerading mark and 0x00004000 == 0 return
add rule T masquerading mark set mark xor 0x00004000
add rule T masquerading masquerade fully-random
add rule T mark-for-masquerade mark set mark or 0x00004000
add rule T reject-chain reject
add element T firewall { 1.2.3.4 . tcp . 80 comment "ns1/svc1:p80" }
add element T firewall-allow { 1.2.3.4 . tcp . 80 . 192.168.0.0/24 comment "ns1/svc1:p80" }
add element T firewall-allow { 1.2.3.4 . tcp . 80 . 1.2.3.4 }
add element T no-endpoint-services { 172.30.0.41 . tcp . 80 comment "ns1/svc1:p80" : goto reject-chain }
add element T no-endpoint-services { 1.2.3.4 . tcp . 80 comment "ns1/svc1:p80" : goto reject-chain }
add element T no-endpoint-nodeports { tcp . 3001 comment "ns1/svc1:p80" : goto reject-chain }
`

// A Service without endpoints whose source ranges contain the node.
const SERVICE = {
  metadata: { namespace: 'ns1', name: 'svc1' },
  spec: {
    type: 'LoadBalancer',
    clusterIP: '172.30.0.41',
    loadBalancerSourceRanges: ['192.168.0.0/24'],
    ports: [{ name: 'p80', port: 80, nodePort: 3001 }],
  },
  status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
}
const NODE = { metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }

function textOf(host = {}): string {
  const configuration = { clusterCIDR: '10.0.0.0/8', featureGates: { NFTablesProxyMode: true } }
  const serviceCIDRs = [{ metadata: { name: 'kubernetes' }, spec: { cidrs: ['172.30.0.0/16'] } }]
  const input = { services: [SERVICE], endpointSlices: [], nodes: [NODE], serviceCIDRs, configuration, host }
  const result = compile(input, { mode: 'nftables', families: ['IPv4'], kubernetesVersion: '1.29' })
  return printFamily(result, { family: 'IPv4' })
}

it('nftables mode in 1.29 prints a table with source range sets and without a cluster IP set', () => {
  expect(textOf().split('\n')).toEqual([...TEXT.trim().replaceAll(' T ', ' ip kube-proxy ').split('\n'), ''])
})

it('nftables mode in 1.29 does not drop invalid packets if conntrack is liberal', () => {
  expect(textOf({ conntrackTcpBeLiberal: true })).not.toContain('ct state invalid')
})
