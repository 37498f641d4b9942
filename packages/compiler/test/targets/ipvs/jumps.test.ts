import { expect, it } from 'vitest'
import { printRule } from '../../../src/dataplane/iptables/print/print.js'
import { FILTER_JUMPS, NAT_JUMPS } from '../../../src/targets/ipvs/jumps.js'

it('NAT_JUMPS contains the jumps in creation order', () => {
  expect(NAT_JUMPS.map((rule) => printRule(rule, 'restore', 'IPv4'))).toEqual([
    '-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
    '-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
    '-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING',
  ])
})

it('FILTER_JUMPS contains the jumps in reverse creation order', () => {
  expect(FILTER_JUMPS.map((rule) => printRule(rule, 'restore', 'IPv4'))).toEqual([
    '-A INPUT -m comment --comment "kubernetes ipvs access filter" -j KUBE-IPVS-FILTER',
    '-A INPUT -m comment --comment "kube-proxy firewall rules" -j KUBE-PROXY-FIREWALL',
    '-A INPUT -m comment --comment "kubernetes health check rules" -j KUBE-NODE-PORT',
    '-A FORWARD -m comment --comment "kube-proxy firewall rules" -j KUBE-PROXY-FIREWALL',
    '-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD',
    '-A OUTPUT -m comment --comment "kubernetes ipvs access filter" -j KUBE-IPVS-OUT-FILTER',
  ])
})
