import { expect, it } from 'vitest'
import { featuresOf } from '../../src/model/configuration/features.js'
import type { ProxyMode } from '../../src/model/configuration/versions.js'
import type { FrontendKind } from '../../src/plan/plan.js'
import { type RankedClaimant, selectPreferredClaimant, sortByPrecedence } from '../../src/plan/precedence.js'

const address = (place: number): RankedClaimant => ({ yields: false, place })
const nodePort = (place: number): RankedClaimant => ({ yields: true, place })

it.each<[string, readonly RankedClaimant[], RankedClaimant | undefined]>([
  ['undefined without claimants', [], undefined],
  ['the only claimant', [nodePort(7)], nodePort(7)],
  ['the first service port of two with the same address', [address(2), address(1)], address(1)],
  ['the first service port of two with the same node port', [nodePort(1), nodePort(2)], nodePort(1)],
  ['an address before a node port of an earlier service port', [nodePort(0), address(9)], address(9)],
  ['an address before a node port in any order of the claimants', [address(9), nodePort(0)], address(9)],
  ['the first of several addresses before node ports', [nodePort(0), address(3), nodePort(1), address(2)], address(2)],
])('selectPreferredClaimant returns %s', (_, contenders, winner) => {
  expect(selectPreferredClaimant(contenders)).toEqual(winner)
})

it('selectPreferredClaimant returns the first of two equal claimants', () => {
  const [first, second] = [address(1), address(1)]
  expect(selectPreferredClaimant([first, second])).toBe(first)
})

it.each<[ProxyMode, string, readonly FrontendKind[]]>([
  ['iptables', '1.14', ['clusterIP', 'externalIP', 'loadBalancer', 'nodePort']],
  ['iptables', '1.37', ['clusterIP', 'externalIP', 'loadBalancer', 'nodePort']],
  ['nftables', '1.31', ['clusterIP', 'externalIP', 'loadBalancer', 'nodePort']],
  ['nftables', '1.32', ['loadBalancer', 'externalIP', 'clusterIP', 'nodePort']],
  ['ipvs', '1.14', ['nodePort', 'loadBalancer', 'externalIP', 'clusterIP']],
  ['ipvs', '1.37', ['nodePort', 'loadBalancer', 'externalIP', 'clusterIP']],
])('sortByPrecedence returns the frontends of a service port in %s mode of %s', (mode, version, expected) => {
  const kinds: readonly FrontendKind[] = ['clusterIP', 'externalIP', 'loadBalancer', 'nodePort']
  const frontends = kinds.map((kind) => ({ kind }))
  expect(sortByPrecedence(frontends, featuresOf(mode, version, new Map())).map(({ kind }) => kind)).toEqual(expected)
})
