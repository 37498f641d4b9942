import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry, SetType } from '../../../src/dataplane/ipset/ast.js'
import { formatEntry, isParseableEntry, parseEntry } from '../../../src/dataplane/ipset/entries.js'
import { hostileTexts } from '../../support/hostile.js'

const TYPES: readonly SetType[] = ['hash:ip', 'hash:ip,port', 'hash:ip,port,ip', 'hash:ip,port,net', 'bitmap:port']

const address = fc.oneof(
  fc.constantFrom('10.0.0.1', '10.0.0.1/32', 'fd00::1', 'FD00::1', 'fd00::1/128', '::ffff:10.0.0.1', '010.0.0.1', ''),
  hostileTexts,
)
const network = fc.oneof(address, fc.constantFrom('192.0.2.0/24', '192.0.2.0/33', '192.0.2.0/024', '0.0.0.0/0', '/'))
const protocol = fc.oneof(fc.constantFrom('tcp', 'TCP', 'sctp', 'udplite', 'icmp', '6', '06', '132', ''), hostileTexts)
const port = fc.constantFrom(0, 80, 65535, 65536, -1, 1.5, -0, Number.NaN, Number.POSITIVE_INFINITY, 1e21)
const first = { address, protocol, port }

const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ kind: fc.constant('ip' as const), address }),
  fc.record({ kind: fc.constant('ip,port' as const), ...first }),
  fc.record({ kind: fc.constant('ip,port,ip' as const), ...first, secondAddress: address }),
  fc.record({ kind: fc.constant('ip,port,net' as const), ...first, network }),
  fc.record({ kind: fc.constant('port' as const), port }),
)

describe('parseEntry', () => {
  it.each([
    ['10.0.0.1/32', '10.0.0.1'],
    ['fd00::1/128', 'fd00::1'],
  ])('parses %s as an individual address', (text, address) => {
    expect(parseEntry('hash:ip', text)).toEqual({ kind: 'ip', address })
  })

  it.each(['10.0.0.1/320', 'fd00::/1280', '10.0.0.1/32/32', '10.0.0.1/128'])(
    'parses %s as an unknown entry',
    (text) => {
      expect(parseEntry('hash:ip', text)).toEqual({ kind: 'unknown', text })
    },
  )
})

describe('isParseableEntry', () => {
  it('returns whether the text of the entry is parsed as an entry of the same kind', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), entry, (type, it) => {
        expect(isParseableEntry(type, it)).toBe(parseEntry(type, formatEntry(it)).kind === it.kind)
      }),
      { numRuns: 2000 },
    )
  })

  it('returns false for entries of unknown kind', () => {
    expect(isParseableEntry('hash:ip', { kind: 'unknown', text: '10.0.0.1' })).toBe(false)
  })
})
