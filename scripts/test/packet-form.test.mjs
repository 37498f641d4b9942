import { describe, expect, it } from 'vitest'
import { isSameForPackets } from '../mutants/packet-form.mjs'

const IPTABLES = `*nat
:KUBE-SERVICES - [0:0]
:KUBE-SVC-A - [0:0]
-A KUBE-SERVICES -m comment --comment "ns/web cluster IP" -p tcp -d 10.96.0.1 -j KUBE-SVC-A
-A KUBE-SERVICES -j RETURN
-A KUBE-SVC-A -j MASQUERADE
COMMIT
`
const NFTABLES = `add table ip kube-proxy { comment "rules for kube-proxy" ; }
add chain ip kube-proxy filter-input { type filter hook input priority 0 ; }
add chain ip kube-proxy reject-chain { comment "helper" ; }
add map ip kube-proxy service-ips { type ipv4_addr : verdict ; comment "all traffic" ; }
add rule ip kube-proxy filter-input ip daddr vmap @service-ips comment "some"
add rule ip kube-proxy reject-chain reject
add element ip kube-proxy service-ips { 10.96.0.1 : goto reject-chain }
add element ip kube-proxy service-ips { 10.96.0.2 : goto reject-chain }
`
const IPSET = `create KUBE-CLUSTER-IP hash:ip,port family inet
add KUBE-CLUSTER-IP 10.96.0.1,tcp:80
-A KUBE-SERVICES -m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT
`

const moved = (text, line, before) => text.replace(`${line}\n`, '').replace(`${before}\n`, `${line}\n${before}\n`)

describe('isSameForPackets', () => {
  it.each([
    ['a comment of iptables', IPTABLES, IPTABLES.replace('cluster IP', 'other')],
    ['a missing comment of iptables', IPTABLES, IPTABLES.replace(/-m comment --comment "[^"]*" /, '')],
    ['a name of a chain of iptables', IPTABLES, IPTABLES.replaceAll('KUBE-SVC-A', 'KUBE-SVC-B')],
    ['the order of chains', IPTABLES, moved(IPTABLES, ':KUBE-SVC-A - [0:0]', ':KUBE-SERVICES - [0:0]')],
    ['comments of nft', NFTABLES, NFTABLES.replaceAll(/comment "[^"]*"/g, 'comment "other"')],
    ['a missing comment of a chain of nft', NFTABLES, NFTABLES.replace(' { comment "helper" ; }', '')],
    ['a name of a base chain', NFTABLES, NFTABLES.replaceAll('filter-input', 'filter-in')],
    ['a name of a map', NFTABLES, NFTABLES.replaceAll('service-ips', 'ips')],
    ['a name of a table', NFTABLES, NFTABLES.replaceAll(' kube-proxy', ' other')],
    ['a name of an ipset', IPSET, IPSET.replaceAll('KUBE-CLUSTER-IP', 'KUBE-IP')],
  ])('ignores a change of %s', (_, text, other) => {
    expect(other).not.toBe(text)
    expect(isSameForPackets(text, other)).toBe(true)
  })

  it.each([
    ['the order of rules', IPTABLES, swapped(IPTABLES)],
    ['an address', IPTABLES, IPTABLES.replace('10.96.0.1', '10.96.0.2')],
    ['a name of one rule', IPTABLES, IPTABLES.replace('-j KUBE-SVC-A', '-j KUBE-SVC-B')],
    ['a hook', NFTABLES, NFTABLES.replace('hook input', 'hook forward')],
    ['a missing element', NFTABLES, NFTABLES.replace(/add element .*10.96.0.2.*\n/, '')],
    ['an entry of an ipset', IPSET, IPSET.replace('tcp:80', 'tcp:81')],
  ])('does not ignore a change of %s', (_, text, other) => {
    expect(other).not.toBe(text)
    expect(isSameForPackets(text, other)).toBe(false)
  })
})

/** Swaps the two rules of KUBE-SERVICES. */
function swapped(text) {
  return text.replace(/(-A KUBE-SERVICES .*\n)(-A KUBE-SERVICES .*\n)/, '$2$1')
}
