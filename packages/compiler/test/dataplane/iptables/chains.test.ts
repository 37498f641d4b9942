import { expect, it } from 'vitest'
import type { Rule, Table } from '../../../src/dataplane/iptables/ast.js'
import { chainsOf, isTableInUse } from '../../../src/dataplane/iptables/chains.js'

const toA: Rule = { chain: 'INPUT', matches: [], target: { kind: 'jump', chain: 'A' } }
const toB: Rule = { chain: 'OUTPUT', matches: [], target: { kind: 'goto', chain: 'B' } }
const accept: Rule = { chain: 'OUTPUT', matches: [], target: { kind: 'accept' } }
const first: Rule = { chain: 'C', matches: [] }
const second: Rule = { chain: 'C', matches: [], target: { kind: 'drop' } }

it('chainsOf returns built-in, declared and referenced chains, each with its rules in order', () => {
  const table: Table = {
    name: 'filter',
    jumps: [toA, toB, accept],
    blocks: [
      { owner: '', chains: ['C', 'B'], rules: [first] },
      { owner: 'x', chains: [], rules: [second] },
    ],
  }
  expect([...chainsOf(table)]).toEqual([
    ['INPUT', [toA]],
    ['FORWARD', []],
    ['OUTPUT', [toB, accept]],
    ['C', [first, second]],
    ['B', []],
    ['A', []],
  ])
})

it('chainsOf accepts arbitrary chain names', () => {
  const table: Table = { name: 'raw', jumps: [], blocks: [{ owner: '', chains: ['__proto__'], rules: [first] }] }
  expect([...chainsOf(table).keys()]).toEqual(['PREROUTING', 'OUTPUT', '__proto__', 'C'])
})

it.each<[string, Partial<Table>, boolean]>([
  ['nothing', {}, false],
  ['empty blocks', { blocks: [{ owner: '', chains: [], rules: [] }] }, false],
  ['an empty list of policies', { policies: [] }, false],
  ['a chain', { blocks: [{ owner: '', chains: ['C'], rules: [] }] }, true],
  ['rules and no declared chains', { blocks: [{ owner: '', chains: [], rules: [second] }] }, true],
  ['a jump', { jumps: [toA] }, true],
  ['a policy', { policies: [{ chain: 'FORWARD', policy: 'DROP' }] }, true],
])('isTableInUse returns whether a table with %s exists in the kernel', (_, content, inUse) => {
  expect(isTableInUse({ name: 'filter', jumps: [], blocks: [], ...content })).toBe(inUse)
})
