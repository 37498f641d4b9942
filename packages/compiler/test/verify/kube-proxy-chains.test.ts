import { expect, it } from 'vitest'
import { isKubeProxyChain, isOtherKubeChain } from '../../src/verify/kube-proxy-chains.js'

// Of mode userspace, and the chain of mode ipvs before v1.11.
it.each([
  'KUBE-PORTALS-CONTAINER',
  'KUBE-PORTALS-HOST',
  'KUBE-NODEPORT-CONTAINER',
  'KUBE-NODEPORT-HOST',
  'KUBE-NODEPORT-NON-LOCAL',
  'KUBE-FIRE-WALL',
])('%s is of an older kube-proxy', (chain) => {
  expect([isKubeProxyChain(chain), isOtherKubeChain(chain)]).toEqual([true, false])
})

it.each([
  ...['KUBE-SERVICES', 'KUBE-POSTROUTING', 'KUBE-MARK-MASQ', 'KUBE-FORWARD', 'KUBE-PROXY-FIREWALL'],
  ...['KUBE-NODEPORTS', 'KUBE-EXTERNAL-SERVICES', 'KUBE-SVC-ABCDEFGHIJKLMNOP'],
  ...['KUBE-NODE-PORT', 'KUBE-LOAD-BALANCER'],
  ...['KUBE-SOURCE-RANGES-FIREWALL', 'KUBE-IPVS-FILTER', 'KUBE-IPVS-OUT-FILTER'],
])('%s is of kube-proxy in mode iptables or ipvs', (chain) => {
  expect([isKubeProxyChain(chain), isOtherKubeChain(chain)]).toEqual([true, false])
})

it.each(['KUBE-FIREWALL', 'KUBE-MARK-DROP', 'KUBE-PROXY-CANARY', 'KUBE-KUBELET-CANARY', 'KUBE-IPTABLES-HINT'])(
  '%s is expected on a node, and not for kube-proxy to remove',
  (chain) => {
    expect([isKubeProxyChain(chain), isOtherKubeChain(chain)]).toEqual([false, false])
  },
)

it.each([
  ['KUBE-ROUTER-INPUT', true],
  ['DOCKER', false],
])('%s is of another program', (chain, isOther) => {
  expect([isKubeProxyChain(chain), isOtherKubeChain(chain)]).toEqual([false, isOther])
})
