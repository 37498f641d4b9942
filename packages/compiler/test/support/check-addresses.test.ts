import { describe, expect, it } from 'vitest'
import { checkAddresses } from './check-addresses.js'

const problem = (index: number, message: string) => ({
  severity: 'error',
  code: 'structure',
  object: { kind: 'addresses', name: 'kube-ipvs0' },
  path: `addresses[${index}]`,
  message,
})

describe('checkAddresses', () => {
  it('accepts distinct canonical addresses of either family', () => {
    expect(checkAddresses({ addresses: ['10.0.0.1', '10.0.0.2', 'fd00::1'] })).toEqual([])
    expect(checkAddresses({ addresses: [] })).toEqual([])
  })

  it.each(['10.0.0.1/32', '010.0.0.1', 'fd00:0::1', 'FD00::1', 'localhost', '', '-x'])(
    'rejects %j, which is not a canonical address',
    (address) => {
      expect(checkAddresses({ addresses: ['10.0.0.9', address] })).toEqual([
        problem(1, `${JSON.stringify(address)} is not an address`),
      ])
    },
  )

  it('reports a repeated address once for each repetition', () => {
    expect(checkAddresses({ addresses: ['10.0.0.1', '10.0.0.2', '10.0.0.1', '10.0.0.1'] })).toEqual([
      problem(2, '"10.0.0.1" is there twice'),
      problem(3, '"10.0.0.1" is there twice'),
    ])
  })
})
