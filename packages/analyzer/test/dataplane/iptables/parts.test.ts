import { describe, expect, it } from 'vitest'
import type { RuleBlock, Table } from '../../../../compiler/src/dataplane/iptables/ast.js'
import { withLazyArray } from '../../../../compiler/src/internal/lazy-array.js'
import { readRule } from '../../../../compiler/test/dataplane/iptables/read-rule.js'
import { splitIptablesByOwner } from '../../../src/dataplane/iptables/parts.js'

/** Builds a block with the chain OWN, and rules as `CHAIN WORDS`. */
function block(rules: readonly string[], owner = 'x', family: 'IPv4' | 'IPv6' = 'IPv4'): RuleBlock {
  return {
    owner,
    chains: ['OWN'],
    rules: rules.map((text) => {
      const [chain = '', ...words] = text.split(' ')
      return { ...readRule(words.join(' '), family), chain }
    }),
  }
}

function partsOf(...blocks: readonly RuleBlock[]) {
  const table: Table = withLazyArray({ name: 'nat' as const, policies: [], jumps: [] }, 'blocks', () => blocks)
  return splitIptablesByOwner({ family: 'IPv4', tables: [table] })
}

/** Returns the destinations of the only part; undefined if packets to any address may reach its rules. */
function placesOf(...of: Parameters<typeof block>): readonly string[] | undefined {
  return partsOf(block(...of))?.parts[0]?.destinations
}

const VIRTUAL_SERVER = '-m ipvs --vaddr 10.96.0.1 --vproto tcp --vport 80'

describe('destinations of a block', () => {
  it.each<[string, readonly string[], readonly string[] | undefined]>([
    [
      'are the single addresses that its rules match',
      ['ALL -d 10.96.0.1/32 -j OWN', 'ALL -d 10.96.0.2 -j OWN'],
      ['10.96.0.1', '10.96.0.2'],
    ],
    ['are determined by rules in chains of other owners', ['OWN -j ACCEPT', 'ALL -d 10.96.0.1 -j OWN'], ['10.96.0.1']],
    ['are empty if no rule is in a chain of another owner', ['OWN -d 10.96.0.1 -j ACCEPT'], []],
    ['are unknown if a rule matches no address', ['ALL -j OWN', 'ALL -d 10.96.0.1 -j OWN'], undefined],
    ['are unknown if a rule matches all but one address', ['ALL ! -d 10.96.0.1 -j OWN'], undefined],
    ['are unknown if a rule matches a network', ['ALL -d 10.96.0.0/16 -j OWN'], undefined],
    ['are the address that a rule matches without negation', ['ALL ! -d 10.96.0.1 -d 10.96.0.2 -j OWN'], ['10.96.0.2']],
    ['are unknown if a rule matches only a source', ['ALL -s 10.96.0.1 -j OWN'], undefined],
    ['are unknown if a rule matches addresses of the node', ['ALL -m addrtype --dst-type LOCAL -j OWN'], undefined],
    ['are the address of a matched virtual server', [`ALL -s 10.96.0.2 ${VIRTUAL_SERVER} -j DROP`], ['10.96.0.1']],
  ])('%s', (_, rules, places) => {
    expect(placesOf(rules)).toEqual(places)
  })

  it('are unknown for a block without an owner', () => {
    expect(placesOf(['ALL -d 10.96.0.1 -j OWN'], '')).toBeUndefined()
  })

  it('are determined in IPv6 tables too', () => {
    expect(placesOf(['ALL -d fd00::1/128 -j OWN'], 'x', 'IPv6')).toEqual(['fd00::1'])
    expect(placesOf(['ALL -d fd00::1/128 -j OWN', 'ALL -d fd00::/32 -j OWN'], 'x', 'IPv6')).toBeUndefined()
  })
})

describe('iptables rules split by owner', () => {
  it('consist of shared rules and of blocks, and each block has destinations', () => {
    const [one, all] = [block(['ALL -d 10.96.0.1 -j OWN']), block(['ALL -j OWN'], 'y')]
    const parts = partsOf(all, one)
    expect(parts?.shared.length).toBe(2)
    expect(parts?.parts).toMatchObject([
      { owners: ['x'], source: one, destinations: ['10.96.0.1'], names: ['OWN'], following: 2 },
    ])
  })

  it.each([
    ['src,dst', false],
    ['src', false],
    ['dst,src', true],
    ['dst,dst', true],
  ])('are split with set directions %s: %s', (directions, isTold) => {
    const rules = ['OWN -j ACCEPT', `OWN -p tcp -m set --match-set A ${directions} -j ACCEPT`]
    expect(partsOf(block(rules)) !== undefined).toBe(isTold)
  })

  it('have a part for each address if the table was parsed instead of compiled', () => {
    const table: Table = { name: 'nat', policies: [], jumps: [], blocks: [block(['ALL -d 10.96.0.1 -j OWN'])] }
    expect(splitIptablesByOwner({ family: 'IPv4', tables: [table] })?.parts).toMatchObject([
      { owners: ['x'], destinations: ['10.96.0.1'], names: [] },
    ])
  })
})
