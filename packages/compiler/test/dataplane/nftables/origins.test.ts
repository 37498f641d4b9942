import { describe, expect, it } from 'vitest'
import type { LineOrigin } from '../../../src/dataplane/netfilter/line-origin.js'
import { originInCommands } from '../../../src/dataplane/nftables/origins/origin-in-commands.js'
import { originInListing } from '../../../src/dataplane/nftables/origins/origin-in-listing.js'
import { tablesOf } from './tables.js'

const STATE = {
  tables: tablesOf(`table ip t {
	counter k {
		comment "hi"
		packets 0 bytes 0
	}

	map m {
		type ipv4_addr : verdict
		comment "all"
		elements = { 10.0.0.1 : drop, 10.0.0.2 : accept }
	}

	chain c {
		ip daddr vmap @m
	}
}
`),
}

/** Of each line the place that it says, and what its rules are in words. */
function saidBy(read: (line: string) => Pick<LineOrigin, 'place' | 'rules'>, lines: readonly string[]) {
  return lines.map((line) => {
    const { place, rules } = read(line)
    return [place, ...(rules?.() ?? []).map(({ text }) => text)]
  })
}

describe('what a line says of a table', () => {
  it('is told of commands', () => {
    const lines = [
      'add table ip t',
      'add counter ip t k',
      'add map ip t m',
      'add chain ip t c',
      'add element ip t m { 10.0.0.1 : drop }',
      'add rule ip t c ip daddr vmap @m',
      'add rule ip t c drop',
      'add element ip t m { 10.0.0.2 : accept }',
      'add element ip t m { 10.0.0.3 : drop }',
      'add table ip other',
      'flush ruleset',
    ]
    expect(saidBy(originInCommands(STATE), lines)).toEqual([
      ['nftables ip t'],
      ['nftables ip t object k'],
      ['nftables ip t set m'],
      ['nftables ip t chain c'],
      ['nftables ip t element m 10.0.0.1', 'ip daddr vmap { 10.0.0.1 : drop }'],
      ['nftables ip t chain c', 'ip daddr vmap @m'],
      ['nftables ip t chain c'],
      ['nftables ip t element m 10.0.0.2', 'ip daddr vmap { 10.0.0.2 : accept }'],
      ['nftables ip t set m'],
      [''],
      [''],
    ])
  })

  it('is told of a listing', () => {
    const lines = [
      'table ip t {',
      '\tcomment "mine"',
      '\tcounter k {',
      '\t\tpackets 0 bytes 0',
      '\t}',
      '',
      '\tmap m {',
      '\t\ttype ipv4_addr : verdict',
      '\t\telements = { 10.0.0.1 : drop, 10.0.0.2 : accept }',
      '\t}',
      '\tchain c {',
      '\t\tip daddr vmap @m',
      '\t}',
      '}',
      'table ip other {',
      '}',
    ]
    expect(saidBy(originInListing(STATE), lines)).toEqual([
      ['nftables ip t'],
      ['nftables ip t'],
      ['nftables ip t object k'],
      ['nftables ip t object k'],
      ['nftables ip t object k'],
      [''],
      ['nftables ip t set m'],
      ['nftables ip t set m'],
      ['nftables ip t set m', 'ip daddr vmap { 10.0.0.1 : drop }', 'ip daddr vmap { 10.0.0.2 : accept }'],
      ['nftables ip t set m'],
      ['nftables ip t chain c'],
      ['nftables ip t chain c', 'ip daddr vmap @m'],
      ['nftables ip t chain c'],
      [''],
      [''],
      [''],
    ])
  })
})
