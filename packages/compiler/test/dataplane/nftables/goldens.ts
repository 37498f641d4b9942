// Goldens of kube-proxy's rules, written by hand.

/** Rules of kube-proxy 1.37, detector `ip saddr 10.0.0.0/8`, node ports on one address. */
const NEWEST = `add table ip kube-proxy { comment "rules for kube-proxy" ; }
add chain ip kube-proxy filter-prerouting-pre-dnat { type filter hook prerouting priority -110 ; }
add chain ip kube-proxy nat-postrouting { type nat hook postrouting priority 100 ; }
add chain ip kube-proxy firewall-check
add chain ip kube-proxy masquerading
add chain ip kube-proxy reject-chain { comment "helper for @no-endpoint-services / @no-endpoint-nodeports" ; }
add chain ip kube-proxy services
add chain ip kube-proxy service-ULMVA6XW-ns1/svc1/tcp/p80
add chain ip kube-proxy service-42NFTM6N-ns2/svc2/tcp/p80
add chain ip kube-proxy external-42NFTM6N-ns2/svc2/tcp/p80
add chain ip kube-proxy firewall-42NFTM6N-ns2/svc2/tcp/p80
add chain ip kube-proxy cluster-ips-check
add set ip kube-proxy cluster-ips { type ipv4_addr ; comment "Active ClusterIPs" ; }
add set ip kube-proxy nodeport-ips { type ipv4_addr ; comment "IPs that accept NodePort traffic" ; }
add set ip kube-proxy hairpin-connections { type ipv4_addr . ipv4_addr . inet_proto . inet_service ; comment "service hairpin connections" ; }
add set ip kube-proxy affinity-5OJB2KTY-ns1/svc1/tcp/p80__10.180.0.1/80 { type ipv4_addr ; flags dynamic,timeout ; timeout 10800s ; }
add map ip kube-proxy firewall-ips { type ipv4_addr . inet_proto . inet_service : verdict ; comment "destinations that are subject to LoadBalancerSourceRanges" ; }
add map ip kube-proxy service-ips { type ipv4_addr . inet_proto . inet_service : verdict ; comment "ClusterIP, ExternalIP and LoadBalancer IP traffic" ; }
add map ip kube-proxy service-nodeports { type inet_proto . inet_service : verdict ; comment "NodePort traffic" ; }
add map ip kube-proxy no-endpoint-services { type ipv4_addr . inet_proto . inet_service : verdict ; comment "vmap to drop or reject packets to services with no endpoints" ; }
add counter ip kube-proxy localhost-nodeport-rejected-udp
add rule ip kube-proxy filter-prerouting-pre-dnat ct state new jump firewall-check
add rule ip kube-proxy nat-postrouting jump masquerading
add rule ip kube-proxy firewall-check ip daddr . meta l4proto . th dport vmap @firewall-ips
add rule ip kube-proxy masquerading mark and 0x00004000 != 0 mark set mark xor 0x00004000 masquerade fully-random
add rule ip kube-proxy masquerading ct status dnat ip saddr . ip daddr . meta l4proto . th dport @hairpin-connections masquerade fully-random
add rule ip kube-proxy reject-chain counter name "localhost-nodeport-rejected-udp" reject
add rule ip kube-proxy services ip daddr @cluster-ips ip saddr != 10.0.0.0/8 mark set mark or 0x00004000 comment "masquerade clusterIP traffic from outside cluster"
add rule ip kube-proxy services ip daddr . meta l4proto . th dport vmap @service-ips
add rule ip kube-proxy services fib daddr type local ip daddr != 127.0.0.0/8 meta l4proto . th dport vmap @service-nodeports
add rule ip kube-proxy service-ULMVA6XW-ns1/svc1/tcp/p80 meta l4proto tcp dnat to 10.180.0.1:80
add rule ip kube-proxy service-42NFTM6N-ns2/svc2/tcp/p80 meta l4proto tcp dnat ip addr . port to numgen random mod 2 map { 0 : 10.180.0.4 . 80 , 1 : 10.180.0.5 . 80 }
add rule ip kube-proxy external-42NFTM6N-ns2/svc2/tcp/p80 fib saddr type local mark set mark or 0x00004000 comment "masquerade local traffic"
add rule ip kube-proxy external-42NFTM6N-ns2/svc2/tcp/p80 iifname cali* goto service-42NFTM6N-ns2/svc2/tcp/p80 comment "short-circuit pod traffic"
add rule ip kube-proxy firewall-42NFTM6N-ns2/svc2/tcp/p80 ip saddr != { 203.0.113.0/25 , 5.6.7.8 } drop
add rule ip kube-proxy cluster-ips-check ip daddr @cluster-ips reject comment "Reject traffic to invalid ports of ClusterIPs"
add rule ip kube-proxy cluster-ips-check ip daddr { 172.30.0.0/16,10.96.0.0/12 } drop comment "Drop traffic to unallocated ClusterIPs"
add element ip kube-proxy cluster-ips { 172.30.0.41 }
add element ip kube-proxy nodeport-ips { 192.168.0.2 }
add element ip kube-proxy hairpin-connections { 10.180.0.1 . 10.180.0.1 . tcp . 80 }
add element ip kube-proxy firewall-ips { 5.6.7.8 . tcp . 80 : goto firewall-42NFTM6N-ns2/svc2/tcp/p80 }
add element ip kube-proxy service-ips { 172.30.0.41 . tcp . 80 : goto service-ULMVA6XW-ns1/svc1/tcp/p80 }
add element ip kube-proxy no-endpoint-services { 192.168.99.33 . tcp . 80 comment "ns2/svc2:p80" : drop }
`

/** Rules that differ in earlier versions. */
const OLDER = `add table ip6 kube-proxy { comment "rules for kube-proxy" ; }
add chain ip6 kube-proxy filter-output-post-dnat { type filter hook output priority -90 ; }
add chain ip6 kube-proxy cluster-ips-check
add chain ip6 kube-proxy mark-for-masquerade
add chain ip6 kube-proxy masquerading
add chain ip6 kube-proxy endpoint-QPV5MIS6-ns/svc/udp/dns__fd00..1/53
add chain ip6 kube-proxy service-YMTK2R4Z-ns/svc/udp/dns
add chain ip6 kube-proxy nodeport-endpoints-check
add set ip6 kube-proxy affinity-QPV5MIS6-ns/svc/udp/dns__fd00..1/53 { type ipv6_addr ; flags dynamic,timeout ; timeout 60s ; }
add map ip6 kube-proxy no-endpoint-nodeports { type inet_proto . inet_service : verdict ; comment "vmap to drop or reject packets to service nodeports with no endpoints" ; }
add rule ip6 kube-proxy filter-output-post-dnat ct state new jump cluster-ips-check
add rule ip6 kube-proxy mark-for-masquerade mark set mark or 0x80000000
add rule ip6 kube-proxy masquerading mark and 0x80000000 == 0 return
add rule ip6 kube-proxy masquerading mark set mark xor 0x80000000
add rule ip6 kube-proxy masquerading masquerade fully-random
add rule ip6 kube-proxy endpoint-QPV5MIS6-ns/svc/udp/dns__fd00..1/53 ip6 saddr fd00::1 jump mark-for-masquerade
add rule ip6 kube-proxy endpoint-QPV5MIS6-ns/svc/udp/dns__fd00..1/53 update @affinity-QPV5MIS6-ns/svc/udp/dns__fd00..1/53 { ip6 saddr }
add rule ip6 kube-proxy endpoint-QPV5MIS6-ns/svc/udp/dns__fd00..1/53 meta l4proto udp dnat to [fd00::1]:53
add rule ip6 kube-proxy service-YMTK2R4Z-ns/svc/udp/dns ip6 daddr fd00:10::a udp dport 53 iif != lo jump mark-for-masquerade
add rule ip6 kube-proxy service-YMTK2R4Z-ns/svc/udp/dns ip6 saddr @affinity-QPV5MIS6-ns/svc/udp/dns__fd00..1/53 goto endpoint-QPV5MIS6-ns/svc/udp/dns__fd00..1/53
add rule ip6 kube-proxy service-YMTK2R4Z-ns/svc/udp/dns numgen random mod 1 vmap { 0 : goto endpoint-QPV5MIS6-ns/svc/udp/dns__fd00..1/53 }
add rule ip6 kube-proxy nodeport-endpoints-check ip6 daddr != ::1 meta l4proto . th dport vmap @no-endpoint-nodeports
add element ip6 kube-proxy no-endpoint-nodeports { udp . 30053 comment "ns/svc:dns" : goto mark-for-masquerade }
`

/** A bit that nft interprets as a prefix, and rules of other programs. */
const OTHERS = `add table inet others
add chain inet others input { type filter hook input priority 10 ; policy drop ; }
add chain inet others out { type nat hook output priority -100 ; }
add chain inet others more { comment "the rest" ; }
add set inet others blocked { type ipv4_addr ; flags interval ; comment "networks" ; }
add map inet others ports { type inet_service : ipv4_addr . inet_service ; }
add rule inet others input ct state established,related accept
add rule inet others input ct state vmap { invalid : drop , new : jump more }
add rule inet others input iifname lo accept
add rule inet others input meta nfproto ipv6 drop
add rule inet others more ip saddr @blocked counter packets 5 bytes 7 drop comment "no"
add rule inet others more tcp dport { 22,80,443-500 } accept
add rule inet others more mark and 0xff000000 == 0x12000000 drop
add rule inet others more icmpv6 type { nd-neighbor-solicit,nd-neighbor-advert } accept
add element inet others blocked { 192.0.2.0/24 }
add element inet others blocked { 198.51.100.7-198.51.100.9 }
add element inet others ports { 80 : 10.0.0.1 . 8080 }
`

export const GOLDENS: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'of the newest version', text: NEWEST },
  { name: 'of an older one', text: OLDER },
  { name: 'of others', text: OTHERS },
]
