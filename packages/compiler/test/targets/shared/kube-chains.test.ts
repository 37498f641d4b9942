import { expect, it } from 'vitest'
import {
  hasKubeProxyName,
  isDispatchChain,
  isEndpointChain,
  isKubeletChain,
  isServicePortChain,
  isServicePortChainOfAnyVersion,
  isUserspaceProxyChain,
} from '../../../src/targets/shared/kube-chains.js'

it.each([
  ['KUBE-SVC-A', 'dispatch', true],
  ['KUBE-SVL-A', 'dispatch', true],
  ['KUBE-EXT-A', 'dispatch', true],
  ['KUBE-FW-A', 'dispatch', true],
  ['KUBE-XLB-A', 'dispatch', false],
  ['KUBE-SEP-A', 'endpoint', true],
  ['KUBE-SERVICES', undefined, false],
  ['KUBE-SVC', undefined, false],
  ['MY-KUBE-SEP-A', undefined, false],
])('%s is a chain of a service port with the role %s, in new versions: %s', (chain, role, isNew) => {
  expect([isDispatchChain(chain), isEndpointChain(chain)]).toEqual([role === 'dispatch', role === 'endpoint'])
  expect([isServicePortChainOfAnyVersion(chain), isServicePortChain(chain)]).toEqual([role !== undefined, isNew])
})

it.each([
  ['KUBE-PORTALS-CONTAINER', true],
  ['KUBE-PORTALS-HOST', true],
  ['KUBE-NODEPORT-CONTAINER', true],
  ['KUBE-NODEPORT-HOST', true],
  ['KUBE-NODEPORT-NON-LOCAL', false],
  ['KUBE-PORTALS-HOST-2', false],
  ['MY-KUBE-PORTALS-HOST', false],
])('isUserspaceProxyChain returns for %s: %s', (chain, isProxy) => {
  expect(isUserspaceProxyChain(chain)).toBe(isProxy)
})

it.each([
  ['nat/KUBE-MARK-DROP', true],
  ['mangle/KUBE-KUBELET-CANARY', true],
  ['mangle/KUBE-IPTABLES-HINT', true],
  ['filter/KUBE-FIREWALL', false],
  ['nat/KUBE-MARK-MASQ', false],
])('isKubeletChain returns for %s: %s', (id, isKubelet) => {
  expect(isKubeletChain(id)).toBe(isKubelet)
})

it.each([
  ['KUBE-ROUTER-INPUT', true],
  ['KUBE-SERVICES', true],
  ['KUBE-FIREWALL', false],
  ['KUBE-PROXY-CANARY', false],
  ['CNI-KUBE-A', false],
])('hasKubeProxyName returns for %s: %s', (chain, looks) => {
  expect(hasKubeProxyName(chain)).toBe(looks)
})
