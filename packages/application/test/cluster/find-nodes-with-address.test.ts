import { describe, expect, it } from 'vitest'
import { findNodesWithAddress } from '../../src/cluster/find-nodes-with-address.js'

const withAddresses = (name: string, ...addresses: readonly string[]) => ({
  metadata: { name },
  status: { addresses: addresses.map((address) => ({ type: 'InternalIP', address })) },
})

describe('findNodesWithAddress', () => {
  const nodes = [
    withAddresses('b', 'b.example', '192.0.2.2', '192.0.2.3'),
    withAddresses('a', '192.0.2.1', '2001:DB8:0::1'),
    withAddresses('', '192.0.2.1'),
    { metadata: { name: 'c' } },
  ]

  it('returns each Node with the first of its addresses, in the order of the Nodes', () => {
    expect(findNodesWithAddress(nodes, ['192.0.2.1', '192.0.2.3', '192.0.2.2'])).toEqual([
      { name: 'b', address: '192.0.2.2' },
      { name: 'a', address: '192.0.2.1' },
    ])
  })

  it('compares addresses, not their notation', () => {
    expect(findNodesWithAddress(nodes, ['2001:db8::1'])).toEqual([{ name: 'a', address: '2001:DB8:0::1' }])
  })

  it('finds no Node by a text that is not an address', () => {
    expect(findNodesWithAddress(nodes, ['b.example', ''])).toEqual([])
  })
})
