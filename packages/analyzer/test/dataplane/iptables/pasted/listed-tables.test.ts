import { describe, expect, it } from 'vitest'
import { nameListedTables } from '../../../../src/dataplane/iptables/pasted/listed-tables.js'
import type { PastedBlock } from '../../../../src/dataplane/iptables/pasted/pasted-block.js'
import { block } from './blocks-of.js'

/** Returns the tables of listings of these chains; `…` after a chain marks missing text. */
function tablesOf(chains: string, fields: Partial<PastedBlock> = {}): string {
  const listings = chains.split(' ').map((text) => {
    const chain = { name: text.replace('…', ''), afterGap: false }
    return block({ kind: 'listing', table: undefined, ...fields, chains: [chain], hasGap: text.endsWith('…') })
  })
  return nameListedTables(listings)
    .map(({ table }) => table ?? '-')
    .join(' ')
}

describe('nameListedTables', () => {
  it.each([
    ['nat', 'PREROUTING INPUT OUTPUT POSTROUTING DOCKER', 'nat nat nat nat nat'],
    ['mangle', 'PREROUTING INPUT FORWARD OUTPUT POSTROUTING', 'mangle mangle mangle mangle mangle'],
    ['filter', 'INPUT FORWARD OUTPUT DOCKER', 'filter filter filter filter'],
  ])('names %s when the built-in chains are those of this table', (_, chains, tables) => {
    expect(tablesOf(chains)).toBe(tables)
  })

  it('names each table when listings of several tables follow one another', () => {
    expect(tablesOf('INPUT FORWARD OUTPUT PREROUTING INPUT OUTPUT POSTROUTING A INPUT FORWARD OUTPUT')).toBe(
      'filter filter filter nat nat nat nat nat filter filter filter',
    )
  })

  it.each([
    ['chains are missing', 'PREROUTING INPUT'],
    ['text is missing', 'PREROUTING INPUT… OUTPUT POSTROUTING'],
    ['an excerpt may have omitted chains', 'PREROUTING OUTPUT'],
    ['the listing has no built-in chain', 'KUBE-SERVICES'],
  ])('names no table when %s', (_, chains) => {
    expect(tablesOf(chains)).toBe(chains.replace(/\S+/g, '-'))
  })

  it('keeps the table when a command names it', () => {
    expect(tablesOf('INPUT FORWARD OUTPUT', { table: 'security' })).toBe('security security security')
  })
})
