import { expect, it } from 'vitest'
import { type RankedClaimant, selectWinner } from '../../src/plan/precedence.js'

const address = (place: number): RankedClaimant => ({ yields: false, place })
const nodePort = (place: number): RankedClaimant => ({ yields: true, place })

it.each<[string, readonly RankedClaimant[], RankedClaimant | undefined]>([
  ['undefined without contenders', [], undefined],
  ['the only one', [nodePort(7)], nodePort(7)],
  ['the first service port of two addresses', [address(2), address(1)], address(1)],
  ['the first service port of two node ports', [nodePort(1), nodePort(2)], nodePort(1)],
  ['an address before the node port of an earlier service port', [nodePort(0), address(9)], address(9)],
  ['an address before a node port, in any order', [address(9), nodePort(0)], address(9)],
  ['the first of several addresses', [nodePort(0), address(3), nodePort(1), address(2)], address(2)],
])('is %s', (_, contenders, winner) => {
  expect(selectWinner(contenders)).toEqual(winner)
})

it('winner is the first of equal contenders', () => {
  const [first, second] = [address(1), address(1)]
  expect(selectWinner([first, second])).toBe(first)
})
