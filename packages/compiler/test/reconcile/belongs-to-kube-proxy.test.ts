import { describe, expect, it } from 'vitest'
import { belongsToKubeProxy, isReferencedByKubeProxy } from '../../src/reconcile/belongs-to-kube-proxy.js'

describe('belongsToKubeProxy', () => {
  it.each([
    'nat/KUBE-SERVICES',
    'filter/KUBE-PROXY-FIREWALL',
    'nat/KUBE-SVC-TCOU7JCQXEZGVUNU',
    'nat/KUBE-NODE-PORT',
    'filter/KUBE-IPVS-FILTER',
    'nat/KUBE-FIRE-WALL',
    'nat/KUBE-FIREWALL',
    'nat/KUBE-PORTALS-HOST',
    'filter/KUBE-NODEPORT-NON-LOCAL',
    'nftables ip kube-proxy',
    'nftables ip6 kube-proxy chain services',
  ])('returns true for %s, because some mode creates it', (id) => {
    expect([belongsToKubeProxy(id), isReferencedByKubeProxy(id)]).toEqual([true, true])
  })

  it.each(['ipset KUBE-CLUSTER-IP', 'ipset KUBE-6-CLUSTER-IP', 'ipset KUBE-6-LOAD-BALANCER-SOURCE-CID'])(
    'returns false for %s despite its name',
    (id) => {
      expect([belongsToKubeProxy(id), isReferencedByKubeProxy(id)]).toEqual([false, true])
    },
  )

  it.each([
    'nat/OUTPUT',
    'nat/CNI-HOSTPORT-DNAT',
    'filter/KUBE-KUBELET-CANARY',
    'filter/KUBE-FIREWALL',
    'ipset OTHERS',
    'ipvs TCP 10.96.0.1:80',
    'nftables ip other',
    'nftables inet kube-proxy',
    'nftables ip kube-proxy-2',
  ])('returns false for %s', (id) => {
    expect([belongsToKubeProxy(id), isReferencedByKubeProxy(id)]).toEqual([false, false])
  })
})
