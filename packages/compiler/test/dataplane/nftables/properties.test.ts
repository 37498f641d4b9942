import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseNftables } from '../../../../analyzer/src/dataplane/nftables/parse/parse.js'
import { parseNftablesJson } from '../../../../analyzer/src/dataplane/nftables/parse/parse-json.js'
import { applyTransaction } from '../../../../analyzer/test/support/apply-transaction.js'
import { checkNftables } from '../../../../analyzer/test/support/check-nftables.js'
import { parseCommands } from '../../../../analyzer/test/support/parse-commands.js'
import type { NamedSet, Rule, Table } from '../../../src/dataplane/nftables/ast.js'
import { canonicalize } from '../../../src/dataplane/nftables/canonical.js'
import type { NftCommand } from '../../../src/dataplane/nftables/command.js'
import { toListedForm } from '../../../src/dataplane/nftables/listed-form.js'
import { printCommands, printTable } from '../../../src/dataplane/nftables/print/print-commands.js'
import { printListing } from '../../../src/dataplane/nftables/print/print-listing.js'
import type { NftVersion } from '../../../src/dataplane/nftables/version.js'
import { anyText } from '../../support/any-text.js'
import { isWhole, runs } from '../../support/runs.js'
import { jsonOf } from './json-of.js'
import { table, tableOf, tablesOf } from './tables.js'
import { BEGINNING, transaction } from './transactions.js'

const VERSIONS: readonly NftVersion[] = ['1.0', '1.1']

/** Objects are in the order of nft; sets and chains in their own order. */
describe('an arbitrary nftables table', () => {
  it.each(VERSIONS)('equals the table that is parsed from its listing by nft %s', (version) => {
    fc.assert(
      fc.property(table, (it) => {
        expect(tableOf(printListing(it, { version }))).toEqual(it)
      }),
      { numRuns: runs(100) },
    )
  })

  it('equals the table that is parsed from its commands, with base chains and sets first', () => {
    fc.assert(
      fc.property(table, (it) => {
        expect(canonicalize(tableOf(printTable(it)))).toEqual(canonicalize(it))
      }),
      { numRuns: runs(100) },
    )
  })

  it('has the same canonical form as commands, as JSON and as a listing of kube-rules or nft', () => {
    fc.assert(
      fc.property(table, (it) => {
        const normal = canonicalize(it)
        expect(canonicalize(normal)).toEqual(normal)
        for (const version of VERSIONS) {
          const listed = toListedForm(it, version)
          expect(toListedForm(listed, version)).toEqual(listed)
          expect(canonicalize(listed)).toEqual(normal)
          expect(canonicalize(tableOf(printListing(listed, { version })))).toEqual(normal)
        }
        if (hasUnknown(it)) return
        const read = parseNftablesJson(jsonOf([toListedForm(it, '1.0')]))
        if (!read.ok) throw new Error(JSON.stringify(read.problems))
        expect(read.value.map(canonicalize)).toEqual([normal])
      }),
      { numRuns: runs(100) },
    )
  })

  it('is printed as the same text after a round trip through the parser', () => {
    fc.assert(
      fc.property(table, (it) => {
        expect(printTable(tableOf(printTable(it)))).toBe(printTable(it))
        for (const version of VERSIONS) {
          const text = printListing(toListedForm(it, version), { version })
          expect(printListing(tableOf(text), { version })).toBe(text)
        }
      }),
      { numRuns: runs(100) },
    )
  })

  it('is read by all functions without a modification or an exception', () => {
    fc.assert(
      fc.property(table, (it) => {
        const before = JSON.stringify(it)
        for (const { code } of checkNftables(it)) expect(code).toBe('structure')
        canonicalize(it)
        applyTransaction(it, [{ verb: 'flush', object: 'table', family: it.family, table: it.name }])
        expect(JSON.stringify(it)).toBe(before)
      }),
      { numRuns: runs(100) },
    )
  })

  it('contains each kind of statement and set in enough of the samples', () => {
    const statements = new Map<string, number>()
    const sets = new Map<string, number>()
    for (const each of fc.sample(table, { numRuns: 300, seed: 1 })) {
      for (const { kind } of each.chains.flatMap(({ rules }) => rules.flatMap((rule) => rule.statements))) {
        statements.set(kind, (statements.get(kind) ?? 0) + 1)
      }
      for (const { kind, elements } of each.sets) if (elements.length > 2) sets.set(kind, (sets.get(kind) ?? 0) + 1)
    }
    expect(statements.size).toBe(16)
    expect(Math.min(...statements.values())).toBeGreaterThan(20)
    expect(sets.get('set')).toBeGreaterThan(50)
    expect(sets.get('map')).toBeGreaterThan(50)
  })
})

/** A table with all kinds of objects and statements. */
const [EVERYTHING] = tablesOf(`table ip t {
	comment "a table"
	flags dormant
	counter k {
		packets 1 bytes 2
	}

	map m {
		type ipv4_addr . inet_service : verdict
		policy memory
		size 10
		flags timeout
		timeout 5s
		gc-interval 3s
		counter
		comment "a map"
		elements = { 10.0.0.1 . 80 counter packets 1 bytes 2 timeout 3s expires 2s comment "an element" : goto a }
	}

	chain base {
		comment "a chain"
		type filter hook prerouting priority filter; policy accept;
		ip saddr != { 10.0.0.1, 10.0.0.2 } ct state established,related meta mark & 0x00004000 == 0x00004000 jump a comment "a rule"
		ip daddr . th dport vmap @m
		fib daddr type local meta mark set meta mark | 0x00004000 counter packets 1 bytes 2 counter name "k"
	}

	chain a {
		update @m { ip saddr . th dport }
		meta l4proto tcp dnat ip to numgen random mod 2 map { 0 : 10.0.0.1, 1 : 10.0.0.2 }
		dnat to 10.0.0.1:80
		reject with icmp port-unreachable
		masquerade fully-random
	}
}
`) as [Table]

function hasUnknown({ chains, objects }: Table): boolean {
  const isUnknown = ({ kind }: { readonly kind: string }) => kind === 'unknown'
  return objects.some(isUnknown) || chains.some(({ rules }) => rules.some((rule) => rule.statements.some(isUnknown)))
}

/** Reports whether a table contains statements that are JSON only, because they have no text form. */
function hasJson({ chains }: Table): boolean {
  return chains.some(({ rules }) =>
    rules.some(({ statements }) => statements.some(({ kind }) => kind === 'unknownJson')),
  )
}

describe('an arbitrary transaction', () => {
  it('equals the transaction that is parsed from its text', () => {
    fc.assert(
      fc.property(transaction, (commands) => {
        expect(parseCommands(printCommands(commands))).toEqual({ ok: true, value: commands })
      }),
      { numRuns: runs(100) },
    )
  })

  it('is atomic, and results in a table that can be loaded again', () => {
    fc.assert(
      fc.property(fc.array(transaction, { maxLength: 6 }), (transactions) => {
        let current = tableAfter(undefined, BEGINNING)
        for (const commands of transactions) {
          const before = JSON.stringify(current)
          const after = applyTransaction(current, commands)
          expect(JSON.stringify(current)).toBe(before)
          if (after.ok) current = after.table
        }
        if (current === undefined) return
        expect(checkNftables(current)).toEqual([])
        expect(tableAfter(undefined, commandsFor(current))).toEqual(tableOf(printTable(current)))
      }),
      { numRuns: runs(100) },
    )
  })

  function tableAfter(before: Table | undefined, commands: readonly NftCommand[]): Table | undefined {
    const applied = applyTransaction(before, commands)
    if (!applied.ok) throw new Error(applied.error.message)
    return applied.table
  }

  function commandsFor(it: Table): readonly NftCommand[] {
    const read = parseCommands(printTable(it))
    if (!read.ok) throw new Error(JSON.stringify(read.problems))
    return read.value
  }
})

describe('arbitrary text in the parser of nftables', () => {
  const words = fc.constantFrom(
    ...[
      'add',
      'table',
      'ip',
      't',
      'chain',
      'c',
      '{',
      '}',
      ';',
      ',',
      ':',
      '.',
      '"',
      '"a b"',
      '#',
      '\n',
      '@',
      '@s',
      'set',
    ],
    ...[
      'type',
      'filter',
      'hook',
      'input',
      'priority',
      '0',
      'elements',
      '=',
      'rule',
      'map',
      'vmap',
      'dnat',
      'to',
      'numgen',
    ],
    ...['random', 'mod', '2', 'mark', 'and', '0x1', '!=', 'ct', 'state', 'new', 'jump', 'accept', 'counter', 'comment'],
    ...[
      'ip saddr',
      'meta',
      '10.0.0.1',
      '10.0.0.0/8',
      'add table ip t\n',
      'add chain ip t c\n',
      'flush',
      'delete',
      'update',
    ],
  )
  const text = fc.oneof(
    anyText(),
    fc.array(words, { maxLength: 40 }).map((list) => list.join(' ')),
  )

  it('is rejected without an exception, or accepted and printable', () => {
    fc.assert(
      fc.property(text, (it) => {
        checkRead(it)
      }),
      { numRuns: runs(300) },
    )
  })

  it('is accepted or rejected without an exception if it is modified text of a table', () => {
    fc.assert(
      fc.property(table, fc.boolean(), fc.nat(), fc.nat(30), words, (it, isListed, place, length, word) => {
        const whole = isListed ? printListing(it, { version: '1.0' }) : printTable(it)
        const at = place % whole.length
        checkRead(`${whole.slice(0, at)}${word}${whole.slice(at + length)}`)
      }),
      { numRuns: runs(300) },
    )
  })

  it('is accepted or rejected without an exception if it is JSON', () => {
    const json = fc.oneof(
      fc.jsonValue(),
      fc.jsonValue().map((value) => ({ nftables: [{ table: { family: 'ip', name: 't' } }, value] })),
    )
    fc.assert(
      fc.property(json, (it) => {
        expect(parseNftablesJson(JSON.stringify(it)).ok).toBeTypeOf('boolean')
      }),
    )
    fc.assert(
      fc.property(table, fc.nat(), fc.jsonValue(), (it, place, value) => {
        if (hasUnknown(it)) return
        const parts = jsonOf([it]).split(/(?<=[:,[])(?=["\d])/)
        parts[place % parts.length] = `${JSON.stringify(value)},`
        expect(parseNftablesJson(parts.join('')).ok).toBeTypeOf('boolean')
      }),
      { numRuns: runs(100) },
    )
  })

  const STRANGE: readonly unknown[] = [
    ...['', 'a b', '"', 'a"b', '{', '}', ';', '#', '\n', 'a\u0000', '\u2028', 'accept', 'x', '1e+300'],
    ...[-1, 0.5, 1e300, 2 ** 32, 0, 7, true, null, [], {}, ['a b'], ['x', 'y']],
  ]

  it('is rejected or printable if it is JSON of a table with one changed word or number', () => {
    const seen = { read: 0, rejected: 0 }
    fc.assert(
      fc.property(
        fc.oneof(table, fc.constant(EVERYTHING)),
        fc.nat(),
        fc.constantFrom(...STRANGE),
        (it, place, other) => {
          if (!hasUnknown(it)) seen[readWithOther(it, place, other)]++
        },
      ),
      { numRuns: runs(400) },
    )
    if (!isWhole) return
    expect(seen.read).toBeGreaterThan(10)
    expect(seen.rejected).toBeGreaterThan(10)
  })

  /** Replaces one value in the JSON of a table, and parses the result. */
  function readWithOther(it: Table, place: number, other: unknown): 'read' | 'rejected' {
    const json: unknown = JSON.parse(jsonOf([it]))
    const slots = slotsOf(json)
    const [holder, key] = slots[place % slots.length] as Slot
    holder[key] = other
    const read = parseNftablesJson(JSON.stringify(json))
    if (!read.ok) return 'rejected'
    for (const each of read.value.filter((found) => !hasUnknown(found) && !hasJson(found)))
      expect([key, other, parseNftables(printListing(each, { version: '1.1' }))]).toMatchObject([
        key,
        other,
        { ok: true },
      ])
    return 'read'
  }

  type Slot = readonly [holder: Record<string, unknown>, key: string]

  /** Returns every location in the JSON. */
  function slotsOf(json: unknown): readonly Slot[] {
    if (typeof json !== 'object' || json === null) return []
    const holder = json as Record<string, unknown>
    return Object.keys(holder).flatMap((key): readonly Slot[] => [[holder, key], ...slotsOf(holder[key])])
  }

  function checkRead(it: string): void {
    parseCommands(it)
    const read = parseNftables(it)
    if (!read.ok) {
      expect(read.problems.length).toBeGreaterThan(0)
      for (const { line, column, excerpt } of read.problems) {
        expect(Math.min(line, column)).toBeGreaterThan(0)
        expect(excerpt.split('\n').length).toBe(2)
      }
      return
    }
    for (const each of read.value) {
      canonicalize(each)
      const [again] = parsedTables(printListing(each, { version: '1.1' }))
      expect(again === undefined ? undefined : canonicalize(again)).toEqual(canonicalize(each))
    }
  }

  function parsedTables(it: string): readonly Table[] {
    const read = parseNftables(it)
    return read.ok ? read.value : []
  }
})

describe('hostile input in an nftables table', () => {
  const nasty = fc.oneof(
    anyText({ minLength: 1, maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom(
        'a',
        '"',
        "'",
        '\n',
        '\r',
        '\0',
        '\v',
        '\u2028',
        ' ',
        '-',
        '\\',
        ',',
        ':',
        ';',
        '{',
        '}',
        '#',
      ),
      maxLength: 12,
    }),
    fc.constantFrom(
      'x\nflush ruleset',
      '" ; flush ruleset',
      'a'.repeat(2000),
      '# x',
      '\u0085',
      'x } ; flush ruleset ; {',
    ),
  )
  const match = (value: string): Rule => ({
    statements: [
      {
        kind: 'match',
        left: [{ kind: 'payload', protocol: 'ip', field: 'saddr' }],
        operator: '!=',
        right: { kind: 'anonymous', keys: [value, '10.0.0.1'] },
      },
    ],
  })
  const set = (parts: Partial<NamedSet>): Table => ({
    ...empty,
    sets: [{ kind: 'set', name: 's', key: { kind: 'type', types: ['ipv4_addr'] }, elements: [], ...parts }],
  })
  const empty: Table = { family: 'ip', name: 't', chains: [], sets: [], objects: [] }
  const rule = (it: Rule): Table => ({ ...empty, chains: [{ name: 'c', rules: [it] }] })
  const places: readonly ((text: string) => Table)[] = [
    (text) => ({ ...empty, name: text }),
    (text) => ({ ...empty, comment: text }),
    (text) => ({ ...empty, chains: [{ name: text, rules: [{ statements: [{ kind: 'drop' }] }] }] }),
    (text) => rule({ statements: [{ kind: 'drop' }], comment: text }),
    (text) => rule({ statements: [{ kind: 'jump', chain: text }] }),
    (text) => rule({ statements: [{ kind: 'namedCounter', name: text }] }),
    (text) => rule({ statements: [{ kind: 'unknown', words: ['log', text] }] }),
    (text) => rule({ statements: [{ kind: 'reject', with: `tcp ${text}` }] }),
    (text) => rule(match(text)),
    (text) =>
      rule({
        statements: [{ kind: 'setUpdate', operation: 'update', set: text, key: [{ kind: 'meta', key: 'mark' }] }],
      }),
    (text) => rule({ statements: [{ kind: 'dnat', to: { kind: 'address', address: text, port: 80 } }] }),
    (text) => set({ name: text }),
    (text) => set({ comment: text }),
    (text) => set({ flags: [text] }),
    (text) => set({ key: { kind: 'type', types: [text] } }),
    (text) => set({ key: { kind: 'typeof', words: ['ip', text] } }),
    (text) => set({ elements: [{ key: text }] }),
    (text) => set({ key: { kind: 'type', types: ['ifname'] }, elements: [{ key: text }] }),
    (text) => set({ elements: [{ key: '10.0.0.1', comment: text }] }),
    (text) => set({ kind: 'map', data: ['ipv4_addr'], elements: [{ key: '10.0.0.1', data: text }] }),
    (text) => ({ ...empty, objects: [{ kind: 'unknown', type: 'quota', name: 'q', lines: [['over', text]] }] }),
  ]

  it('is rejected, or printed with as many lines and words as harmless input', () => {
    fc.assert(
      fc.property(nasty, fc.constantFrom(...places), fc.boolean(), (text, place, isListed) => {
        const hostile = print(place(text), isListed)
        if (hostile === undefined) return
        const harmless = print(place('10.0.0.9'), isListed) ?? print(place('abc'), isListed) ?? ''
        expect(wordsOf(hostile, OF_WORDS)).toEqual(wordsOf(harmless, OF_WORDS))
        if (!keepsWords(place)) expect(wordsOf(hostile, OF_MARKS)).toEqual(wordsOf(harmless, OF_MARKS))
      }),
      { numRuns: runs(1000) },
    )
  })

  function print(it: Table, isListed: boolean): string | undefined {
    try {
      return isListed ? printListing(it, { version: '1.0' }) : printTable(it)
    } catch (error) {
      expect(String(error)).toContain('This is a bug in kube-rules')
      return undefined
    }
  }

  const OF_WORDS = /(?:"[^"]*"|[^\s"])+/g
  const OF_MARKS = /"[^"]*"(?:-(?:"[^"]*"|[^\s"{};,]+))?|[{};,]|[^\s"{};,]+/g

  /** Reports whether the location contains foreign words, which may include commas and braces. */
  function keepsWords(place: (text: string) => Table): boolean {
    return /unknown|typeof/.test(JSON.stringify(place('10.0.0.9')))
  }

  /**
   * Counts the words, or the words and punctuation, of each line. It models a reader that knows only blanks and double
   * quotes.
   */
  function wordsOf(text: string, pattern: RegExp): readonly number[] {
    return text.split(/[\n\r\v\f\0\u0085\u2028\u2029]/).map((line) => line.match(pattern)?.length ?? 0)
  }
})
