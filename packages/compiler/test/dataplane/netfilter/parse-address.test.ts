import { describe, expect, it } from 'vitest'
import { parseAddress } from '../../../src/dataplane/netfilter/parse-address.js'

describe('parseAddress', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['FD00:0::1', 'fd00::1'],
    ['010.0.0.1', undefined],
    ['10.1', undefined],
    ['::ffff:10.0.0.1', undefined],
    ['web', undefined],
    ['', undefined],
  ])('maps %j to %s', (text, address) => {
    expect(parseAddress(text)).toBe(address)
  })

  it('rejects an address of another family, and a network', () => {
    expect(['10.0.0.1', '10.0.0.0/8', 'fd00::1'].map((text) => parseAddress(text, 'IPv4'))).toEqual([
      '10.0.0.1',
      undefined,
      undefined,
    ])
  })
})
