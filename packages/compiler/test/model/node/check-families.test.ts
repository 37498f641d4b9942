import { expect, it } from 'vitest'
import { compile } from '../../../src/compilation/compile.js'

it('checkFamilies warns about a field with only secondary-family addresses, and names the field', () => {
  const nodes = [
    { metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } },
  ]
  const configuration = { clusterCIDR: 'fd00:244::/64' }
  const { diagnostics } = compile({ services: [], nodes, configuration })
  expect(diagnostics.filter(({ code }) => code === 'otherAddressFamily').map(({ message }) => message)).toEqual([
    "the node's primary address family is IPv4, but clusterCIDR has only addresses of the other one",
  ])
})
