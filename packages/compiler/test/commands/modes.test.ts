import { describe, expect, it } from 'vitest'
import { isProxyMode, listModes } from '../../src/index.js'

describe('isProxyMode', () => {
  it('accepts every mode', () => {
    expect(listModes().filter(isProxyMode)).toEqual(['iptables', 'ipvs', 'nftables', 'userspace'])
  })

  it.each(['', 'IPTables', 'kernelspace', 'toString', '__proto__'])('rejects %j', (name) => {
    expect(isProxyMode(name)).toBe(false)
  })

  it('reports a value that is not a text', () => {
    expect(() => isProxyMode(1 as never)).toThrow('name: ')
  })
})
