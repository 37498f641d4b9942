import { expect, it } from 'vitest'
import type { Table } from '../../../../../compiler/src/dataplane/iptables/ast.js'
import { knownIn } from '../../../../../compiler/src/dataplane/netfilter/fragment.js'
import { missingOfChains } from '../../../../src/dataplane/iptables/evaluate/missing.js'

const table: Table = {
  name: 'nat',
  jumps: [{ chain: 'OUTPUT', matches: [] }],
  blocks: [{ owner: '', chains: ['A', 'B'], rules: [{ chain: 'A', matches: [] }] }],
}

const notAll = (chain: string) => ({ what: 'some', reason: `not all of chain nat/${chain} is in what was given` })
const none = (what: string, chain: string) => ({ what, reason: `chain nat/${chain} is not in what was given` })
const hidden = {
  what: 'some',
  reason: 'the listing of chain nat/A does not show all that its rules ask for',
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
])('of chain %s, with all of %j, is missing what its rules and its name tell', (chain, whole, missing) => {
  const known = { ...knownIn({ whole }), isOurs: (id: string) => id !== 'nat/THEIRS' }
  expect(missingOfChains(table, known)(chain)).toEqual(missing)
})

it('of a chain that is shown in part is missing what is not shown', () => {
  const missing = missingOfChains(table, knownIn({ whole: ['nat'], shownInPart: ['nat/A'] }))
  expect([missing('A'), missing('B')]).toEqual([hidden, undefined])
  expect(missingOfChains(table, knownIn({ whole: [], shownInPart: ['nat/A'] }))('A')).toEqual(notAll('A'))
})

it('of chains that may be of anybody is missing all', () => {
  expect(missingOfChains(table, knownIn({ whole: [] }))('THEIRS')).toEqual(none('all', 'THEIRS'))
})
