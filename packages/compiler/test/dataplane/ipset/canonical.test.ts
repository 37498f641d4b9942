import { describe, expect, it } from 'vitest'
import { parseIpset } from '../../../../analyzer/src/dataplane/ipset/parse.js'
import type { IpSet } from '../../../src/dataplane/ipset/ast.js'
import { canonicalize } from '../../../src/dataplane/ipset/canonical.js'
import { formatEntry } from '../../../src/dataplane/ipset/entries.js'
import { CASES, hashSet } from './states.js'

function canonicalOf(text: string): readonly IpSet[] {
  const result = parseIpset(text)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return canonicalize(result.value).sets
}

describe.each(CASES)('canonicalize for the set "$title"', ({ set, restore, save, canonical: entries }) => {
  it('sorts entries in code-unit order, and writes them in the notation of ipset', () => {
    expect(canonicalize({ sets: [set] }).sets[0]?.entries.map(formatEntry)).toEqual(entries)
  })

  it('returns the same set for the save format of the kernel', () => {
    expect(canonicalOf(save)).toStrictEqual(canonicalOf(restore))
  })
})

describe('the canonical form of sets does not depend on', () => {
  const plain = canonicalOf('create A hash:ip comment\nadd A 10.0.0.1')

  it.each([
    'create A hash:ip hashsize 4096 comment\nadd A 10.0.0.1',
    'create A hash:ip comment bucketsize 12 initval 0x2a5b4408\nadd A 10.0.0.1',
    'create A hash:ip comment\nadd A 10.0.0.1 comment x\nadd A 10.0.0.1',
  ])('options that have no effect: %j', (text) => {
    expect(canonicalOf(text)).toStrictEqual(plain)
  })

  it('the order of the sets', () => {
    const texts = ['create A hash:ip\ncreate B hash:ip', 'create B hash:ip\ncreate A hash:ip']
    expect(canonicalOf(texts[1] ?? '')).toStrictEqual(canonicalOf(texts[0] ?? ''))
  })

  it('hashsize, bucketsize, initval or entry order of a set of unknown type', () => {
    const left = 'create N hash:net hashsize 64 bucketsize 12 initval 0x1\nadd N 10.0.0.0/8\nadd N 9.0.0.0/8'
    expect(canonicalOf(left)).toStrictEqual(canonicalOf('create N hash:net\nadd N 9.0.0.0/8\nadd N 10.0.0.0/8'))
  })

  it('whether an option list is empty or missing', () => {
    const entry = { kind: 'ip', address: '10.0.0.1' } as const
    const empty = hashSet('hash:ip', 'A', [{ ...entry, options: [] }], { options: [] })
    expect(canonicalize({ sets: [empty] })).toStrictEqual({ sets: [hashSet('hash:ip', 'A', [entry])] })
  })
})

describe('the canonical form of sets distinguishes', () => {
  const plain = canonicalOf('create A hash:ip comment\nadd A 10.0.0.1')

  it.each([
    'create B hash:ip comment\nadd B 10.0.0.1',
    'create A hash:ip\nadd A 10.0.0.1',
    'create A hash:ip comment maxelem 7\nadd A 10.0.0.1',
    'create A hash:ip comment family inet6\nadd A 10.0.0.1',
    'create A hash:ip comment\nadd A 10.0.0.2',
    'create A hash:ip comment\nadd A 10.0.0.1 comment x',
    'create A hash:ip comment\nadd A 10.0.0.1\nadd A 10.0.0.2',
    'create A hash:ip,port comment\nadd A 10.0.0.1',
  ])('the plain set from %j', (text) => {
    expect(canonicalOf(text)).not.toEqual(plain)
  })

  it('lists that contain the same sets in different orders', () => {
    const left = canonicalOf('create L list:set size 8\nadd L A\nadd L B')
    expect(left).not.toEqual(canonicalOf('create L list:set size 8\nadd L B\nadd L A'))
    const odd = (entries: string) => canonicalOf(`create L other-hash:ip size 8\n${entries}`)
    expect(odd('add L A\nadd L B')).not.toEqual(odd('add L B\nadd L A'))
  })
})

describe('an ipset entry with an invalid address', () => {
  it('is unchanged in the canonical form', () => {
    const entries = [
      { kind: 'ip,port,net', address: '010.0.0.1', protocol: 'tcp', port: 80, network: '10.0.0.0/99' } as const,
    ]
    const sets = [hashSet('hash:ip,port,net', 'A', entries)]
    expect(canonicalize({ sets }).sets[0]?.entries).toEqual(entries)
  })
})
