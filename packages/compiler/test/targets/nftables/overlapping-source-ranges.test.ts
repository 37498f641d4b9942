import { expect, it } from 'vitest'
import { compile } from '../../../src/compilation/compile.js'
import { at, service, slice } from '../../support/objects.js'

const isReported = (kubernetesVersion: string, ranges: readonly string[]) => {
  const web = service()
  const spec = { ...web.spec, type: 'LoadBalancer', loadBalancerSourceRanges: ranges }
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }
  const configuration = { featureGates: { NFTablesProxyMode: true } }
  const input = { services: [{ ...web, spec, status }], endpointSlices: [slice(at('10.244.1.1'))], configuration }
  const { diagnostics } = compile(input, {
    nodeName: 'node-1',
    families: ['IPv4'],
    mode: 'nftables',
    kubernetesVersion,
  })
  return diagnostics.some(({ message }) => message.endsWith('(overlappingSourceRanges)'))
}

it.each([
  [true, ['203.0.113.0/24', '203.0.113.128/25']],
  [true, ['203.0.113.7/32', '0.0.0.0/0']],
  [false, ['203.0.113.0/25', '203.0.113.128/25']],
  [false, ['203.0.113.0/24']],
])('overlapping source ranges are reported only in version 1.29: %s for %j', (expected, ranges) => {
  expect(isReported('1.29', ranges)).toBe(expected)
  expect(isReported('1.30', ranges)).toBe(false)
})

it('source ranges are checked for overlaps in linear time', () => {
  const ranges = Array.from({ length: 20_000 }, (_, index) => `10.${index >> 8}.${index & 255}.0/24`)
  expect(isReported('1.29', ranges)).toBe(false)
})
