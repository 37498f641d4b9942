import { expect, it } from 'vitest'
import type { Table } from '../../../../../compiler/src/dataplane/iptables/ast.js'
import { createCoverageQueries } from '../../../../../compiler/src/dataplane/netfilter/coverage.js'
import { createMissingContentLookup } from '../../../../src/dataplane/iptables/evaluate/missing.js'

const table: Table = {
  name: 'nat',
  jumps: [{ chain: 'OUTPUT', matches: [] }],
  blocks: [{ owner: '', chains: ['A', 'B'], rules: [{ chain: 'A', matches: [] }] }],
}

const notAll = (chain: string) => ({ what: 'some', reason: `not all of chain nat/${chain} is in the dump` })
const none = (what: string, chain: string) => ({ what, reason: `chain nat/${chain} is missing in the dump` })
const hidden = {
  what: 'some',
  reason: 'the listing of chain nat/A does not show all matches of its rules',
}

it.each([
  ['A', [], notAll('A')],
  ['OUTPUT', [], notAll('OUTPUT')],
  ['B', [], none('all', 'B')],
  ['C', [], none('all', 'C')],
  ['POSTROUTING', [], none('some', 'POSTROUTING')],
  ['THEIRS', [], none('some', 'THEIRS')],
  ['A', ['nat/A'], undefined],
  ['A', ['nat'], undefined],
  ['C', ['iptables'], undefined],
  ['A', ['filter', 'filter/A', 'nat/B'], notAll('A')],
])(
  'createMissingContentLookup for chain %s returns the missing rules if the complete parts are %j',
  (chain, complete, missing) => {
    const known = { ...createCoverageQueries({ complete }), isOwned: (id: string) => id !== 'nat/THEIRS' }
    expect(createMissingContentLookup(table, known)(chain)).toEqual(missing)
  },
)

it('createMissingContentLookup reports that matches may be missing in a truncated chain', () => {
  const missing = createMissingContentLookup(table, createCoverageQueries({ complete: ['nat'], truncated: ['nat/A'] }))
  expect([missing('A'), missing('B')]).toEqual([hidden, undefined])
  expect(createMissingContentLookup(table, createCoverageQueries({ complete: [], truncated: ['nat/A'] }))('A')).toEqual(
    notAll('A'),
  )
})

it('createMissingContentLookup reports all rules as missing if the owner of a chain is unknown', () => {
  expect(createMissingContentLookup(table, createCoverageQueries({ complete: [] }))('THEIRS')).toEqual(
    none('all', 'THEIRS'),
  )
})
