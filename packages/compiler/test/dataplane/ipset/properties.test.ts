import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIpset } from '../../../../analyzer/src/dataplane/ipset/parse.js'
import type { Entry, HashSetType, IpSet, IpsetState, SetFamily } from '../../../src/dataplane/ipset/ast.js'
import { canonicalize } from '../../../src/dataplane/ipset/canonical.js'
import { printRestore, printSave } from '../../../src/dataplane/ipset/print.js'
import { assembleIpset, isIpsetId, resourcesOf } from '../../../src/dataplane/ipset/resources.js'
import { anyText } from '../../support/any-text.js'
import { checkIpset } from '../../support/check-ipset.js'
import { runs } from '../../support/runs.js'

const name = fc.stringMatching(/^[A-Z][A-Z0-9-]{0,30}$/)
const address = { inet: fc.ipV4(), inet6: fc.tuple(fc.nat(0xffff), fc.nat(0xffff)).map(([a, b]) => ipv6(a, b)) }
const network = {
  inet: fc.tuple(address.inet, fc.option(fc.integer({ min: 1, max: 32 }))).map(slash),
  inet6: fc.tuple(address.inet6, fc.option(fc.integer({ min: 1, max: 128 }))).map(slash),
}
const protocol = fc.constantFrom('tcp', 'udp', 'sctp', 'udplite', '6', '17', '132', '136')
const port = fc.nat(65535)
const comment = fc.stringMatching(/^[a-z' \\#/:;]{1,40}$/).map((text) => ['comment', text])

function ipv6(a: number, b: number): string {
  return `fd00:${a.toString(16)}::${b.toString(16)}`
}

function slash([text, length]: readonly [string, number | null]): string {
  return length === null ? text : `${text}/${length}`
}

function entry(type: HashSetType, family: SetFamily): fc.Arbitrary<Entry> {
  const first = { address: address[family], protocol, port }
  const options = { options: fc.option(comment, { nil: undefined }) }
  switch (type) {
    case 'hash:ip':
      return fc.record({ kind: fc.constant('ip'), address: address[family], ...options })
    case 'hash:ip,port':
      return fc.record({ kind: fc.constant('ip,port'), ...first, ...options })
    case 'hash:ip,port,ip':
      return fc.record({ kind: fc.constant('ip,port,ip'), ...first, secondAddress: address[family], ...options })
    case 'hash:ip,port,net':
      return fc.record({ kind: fc.constant('ip,port,net'), ...first, network: network[family], ...options })
  }
}

const hashSet: fc.Arbitrary<IpSet> = fc
  .tuple(
    fc.constantFrom<HashSetType>('hash:ip', 'hash:ip,port', 'hash:ip,port,ip', 'hash:ip,port,net'),
    fc.constantFrom<SetFamily>('inet', 'inet6'),
  )
  .chain(([type, family]) =>
    fc.record({
      type: fc.constant(type),
      name,
      family: fc.constant(family),
      hashsize: fc.constantFrom(64, 1024, 4096),
      maxelem: fc.integer({ min: 10, max: 65536 }),
      options: fc.constantFrom(undefined, ['comment'], ['timeout', '300', 'bucketsize', '12']),
      entries: fc.array(entry(type, family), { maxLength: 10 }),
    }),
  )

const bitmap: fc.Arbitrary<IpSet> = fc.record({
  type: fc.constant('bitmap:port'),
  name,
  firstPort: fc.constant(0),
  lastPort: fc.constant(65535),
  entries: fc.array(fc.record({ kind: fc.constant('port'), port }), { maxLength: 10 }),
})

const unknown: fc.Arbitrary<IpSet> = fc.record({
  type: fc.constant('unknown'),
  name,
  words: fc.constantFrom(
    ['hash:net', 'hashsize', '64'],
    ['list:set', 'size', '8'],
    ['bitmap:ip', 'range', '10.0.0.0/24'],
  ),
  // A list has an order, so it contains no duplicates.
  entries: fc.uniqueArray(fc.record({ kind: fc.constant('unknown'), text: name }), {
    maxLength: 5,
    selector: ({ text }) => text,
  }),
})

const state: fc.Arbitrary<IpsetState> = fc.record({
  sets: fc.uniqueArray(fc.oneof(hashSet, bitmap, unknown), { maxLength: 5, selector: (set) => set.name }),
})

/** Generates states with duplicate entries, which count once, except in sets with ordered entries. */
const stateWithRepeats: fc.Arbitrary<IpsetState> = fc.tuple(state, fc.boolean()).map(([{ sets }, isRepeated]) => ({
  sets: sets.map((set) =>
    set.type === 'unknown' || !isRepeated ? set : { ...set, entries: [...set.entries, ...set.entries.slice(1)] },
  ),
}))

function read(text: string): IpsetState {
  const result = parseIpset(text)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value
}

describe('an arbitrary ipset state', () => {
  it.each([
    ['restore', printRestore],
    ['save', printSave],
  ])('equals the state that is parsed from its text in the %s format', (_, print) => {
    fc.assert(
      fc.property(state, (it) => {
        expect(canonicalize(read(print(it)))).toStrictEqual(canonicalize(it))
      }),
    )
  })

  it('is printed as the same text after a round trip through the parser', () => {
    fc.assert(
      fc.property(state, (it) => {
        expect(printRestore(read(printRestore(it)))).toBe(printRestore(it))
        expect(printSave(read(printSave(it)))).toBe(printSave(it))
      }),
    )
  })

  it('has an idempotent canonical form with the same printed text', () => {
    fc.assert(
      fc.property(state, (it) => {
        const normal = canonicalize(it)
        expect(canonicalize(normal)).toStrictEqual(normal)
        const grown = (text: string) => text.replace(/ hashsize \d+/g, '')
        const byName = { sets: [...it.sets].sort((a, b) => (a.name < b.name ? -1 : 1)) }
        expect(grown(printSave(normal))).toBe(grown(printSave(byName)))
      }),
    )
  })

  it('can be assembled from its resources', () => {
    fc.assert(
      fc.property(stateWithRepeats, (it) => {
        const resources = resourcesOf(it)
        const assembled = assembleIpset(resources)
        expect(canonicalize(assembled)).toStrictEqual(canonicalize(it))
        expect(resourcesOf(assembled)).toEqual(resources)
        for (const id of resources.keys()) expect(isIpsetId(id)).toBe(true)
      }),
    )
  })

  it('is accepted and not changed by the functions that read it', () => {
    fc.assert(
      fc.property(state, (it) => {
        const before = JSON.stringify(it)
        canonicalize(it)
        printSave(it)
        expect(checkIpset(it)).toEqual([])
        expect(JSON.stringify(it)).toBe(before)
      }),
    )
  })
})

describe('arbitrary text in the parser of ipset', () => {
  const words = fc.constantFrom(
    'create',
    'add',
    'A',
    'hash:ip',
    'bitmap:port',
    'range',
    '1-2',
    '"',
    '"a b"',
    ' ',
    '\n',
    'family',
  )
  const text = fc.oneof(
    anyText(),
    fc.array(words, { maxLength: 40 }).map((list) => list.join(' ')),
  )

  it('is accepted or rejected without an exception', () => {
    fc.assert(
      fc.property(text, (it) => {
        const result = parseIpset(it)
        if (result.ok) expect(canonicalize(canonicalize(result.value))).toStrictEqual(canonicalize(result.value))
        else expect(result.problems.length).toBeGreaterThan(0)
      }),
      { numRuns: runs(150) },
    )
  })

  it('is rejected in linear time if it has many quotes or spaces', () => {
    expect(parseIpset(`create A hash:ip ${'"x '.repeat(50_000)}`).ok).toBe(false)
    expect(parseIpset(`${' '.repeat(100_000)}"`).ok).toBe(false)
  })
})

describe('hostile input in an ipset state', () => {
  const nasty = fc.oneof(
    anyText({ minLength: 1, maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom('a', '"', "'", '\n', '\r', '\0', '\v', '\u2028', ' ', '-', '\\', ',', ':'),
      maxLength: 12,
    }),
    fc.constantFrom('x\nflush', '" timeout 0', 'a'.repeat(2000), '-exist', '\u0085'),
  )
  const places: readonly ((text: string) => IpSet)[] = [
    (text) => ({ type: 'unknown', name: text, words: ['hash:net'], entries: [] }),
    (text) => ({ type: 'unknown', name: 'A', words: [text], entries: [] }),
    (text) => ({ type: 'unknown', name: 'A', words: ['hash:net'], entries: [{ kind: 'unknown', text }] }),
    (text) => set({ kind: 'ip', address: text }),
    (text) => set({ kind: 'ip', address: '10.0.0.1', options: ['comment', text] }),
    (text) => set({ kind: 'ip', address: '10.0.0.1', options: [text] }),
    (text) => ({ ...set({ kind: 'ip', address: '10.0.0.1' }), options: [text] }),
  ]

  function set(entry: Entry): IpSet {
    return { type: 'hash:ip', name: 'A', family: 'inet', hashsize: 1024, maxelem: 65536, entries: [entry] }
  }

  it('is rejected, or printed with as many lines and words as harmless input', () => {
    fc.assert(
      fc.property(nasty, fc.constantFrom(...places), (text, place) => {
        const hostile = print(place(text))
        if (hostile === undefined) return
        expect(shape(hostile)).toEqual(shape(print(place('10.0.0.9')) ?? ''))
      }),
      { numRuns: runs(250) },
    )
  })

  function print(set: IpSet): string | undefined {
    try {
      return printRestore({ sets: [set] })
    } catch (error) {
      expect(String(error)).toContain('This is a bug in kube-rules')
      return undefined
    }
  }

  /** Counts the words of each line, by the rules of a reader with only blanks and double quotes. */
  function shape(text: string): readonly number[] {
    return text.split(/[\n\r\v\f\0\u0085\u2028\u2029]/).map((line) => (line.match(/"[^"]*"|[^\s"]+/g) ?? []).length)
  }
})
