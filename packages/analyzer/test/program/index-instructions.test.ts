import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAddressOperand } from '../../src/program/address-range.js'
import { evaluateAll } from '../../src/program/evaluate-literal.js'
import { indexInstructions, indexItems } from '../../src/program/index-instructions.js'
import type { Instruction, Literal } from '../../src/program/program.js'
import { kernelPacket, nodeFacts } from './programs.js'

const to = (...networks: readonly string[]): Literal => ({
  kind: 'address',
  side: 'destination',
  operands: networks.map((network) => readAddressOperand(network, 'IPv4') ?? { text: network }),
})
const port = (first: number, last = first): Literal => ({
  kind: 'port',
  side: 'destination',
  ranges: [{ first, last }],
})
const not = (literal: Literal): Literal => ({ ...literal, negated: true })

function instruction(name: string, ...literals: readonly Literal[]): Instruction {
  return { literals, effects: [], condition: () => name }
}

const namesOf = (instructions: readonly Instruction[]) => instructions.map(({ condition }) => condition()).join(' ')

/** Instructions for two Services, and others that an index does not place. */
const MANY = [
  instruction('any'),
  instruction('a80', to('10.96.0.1'), port(80)),
  instruction('a443', to('10.96.0.1'), port(443)),
  instruction('net', to('10.96.0.0/12')),
  instruction('b', to('10.96.0.2')),
  instruction('p80', port(80)),
  ...Array.from({ length: 12 }, (_, index) => instruction(`p${1000 + index}`, port(1000 + index))),
  instruction('two', to('10.96.0.1', '10.96.0.2')),
  instruction('last', not(to('10.96.0.1'))),
]

describe('indexInstructions', () => {
  const { instructionsFor: find } = indexInstructions(MANY)
  const at = (destination: string, destinationPort: number, allPorts = false) =>
    namesOf(find(kernelPacket({ destination, destinationPort }), allPorts))

  it('finds the instructions of a destination, and those for any destination, in order', () => {
    expect(at('10.96.0.1', 80)).toBe('any a80 net p80 two last')
    expect(at('10.96.0.1', 443)).toBe('any a443 net two last')
    expect(at('10.96.0.2', 1003)).toBe('any net b p1003 two last')
    expect(at('10.0.0.1', 81)).toBe('any net two last')
  })

  it('includes other ports of the destination if these are read', () => {
    const ports = Array.from({ length: 12 }, (_, index) => `p${1000 + index}`).join(' ')
    expect(at('10.96.0.1', 9, true)).toBe(`any a80 a443 net p80 ${ports} two last`)
  })

  it('returns the same list for destinations that no instruction requires', () => {
    const packets = [{ destination: '10.0.0.1' }, { destination: '10.0.0.2', destinationPort: 9 }]
    const [first, second] = packets.map((fields) => find(kernelPacket({ destinationPort: 7, ...fields }), false))
    expect(first).toBe(second)
  })

  it('returns all instructions if the packet may have any address of the node', () => {
    const packet = kernelPacket({ destination: '127.0.0.1', destinationPort: 9, translatedBy: 'redirectToInterface' })
    expect(find(packet, false)).toEqual(MANY)
  })

  it('finds every instruction that may match, whatever the chain and the packet', () => {
    const chains = fc.array(fc.constantFrom(...MANY), { maxLength: 40 })
    const destinations = fc.constantFrom('10.96.0.1', '10.96.0.2', '203.0.113.2')
    fc.assert(
      fc.property(chains, destinations, fc.constantFrom(80, 443, 1003, 9), (chain, destination, destinationPort) => {
        const packet = kernelPacket({ destination, destinationPort })
        const matching = (list: readonly Instruction[]) =>
          list.filter(({ literals }) => evaluateAll(literals, packet, 'INPUT', nodeFacts()) !== 'no')
        expect(matching(indexInstructions(chain).instructionsFor(packet, false))).toEqual(matching(chain))
      }),
    )
  })
})

describe('indexItems', () => {
  it('lowers an item when a packet reaches it, once', () => {
    const lowered: string[] = []
    const items = Array.from({ length: 20 }, (_, index) => `10.96.0.${index}`)
    const { instructionsFor: find } = indexItems(
      [...items, 'any'],
      (item) => ({ address: item === 'any' ? undefined : item, port: undefined }),
      (item) => {
        lowered.push(item)
        return [instruction(`${item}-1`), instruction(`${item}-2`)]
      },
    )
    const at = (destination: string) => namesOf(find(kernelPacket({ destination }), false))
    expect(lowered).toEqual([])
    expect(at('10.96.0.5')).toBe('10.96.0.5-1 10.96.0.5-2 any-1 any-2')
    expect(at('10.96.0.5')).toBe(at('10.96.0.5'))
    expect(at('10.96.0.99')).toBe('any-1 any-2')
    expect(lowered).toEqual(['10.96.0.5', 'any'])
  })
})
