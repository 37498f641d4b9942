import { readdirSync, readFileSync } from 'node:fs'
import { IP_FAMILIES } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { print } from '../../../compiler/src/print/print.js'
import { anyText } from '../../../compiler/test/support/any-text.js'
import { CORPUS_DUMPS } from '../../../compiler/test/support/read-dump.js'
import { runs } from '../../../compiler/test/support/runs.js'
import { parseDump } from '../../src/dump/parse-dump.js'

// Whatever the readers accept can be printed, in every format. Texts of other programs are changed here, in one place or a few.

const NFT = `table inet filter {
\tcomment "of the host"
\tcounter dropped {
\t\tcomment "all"
\t\tpackets 5 bytes 300
\t}
\tset blocked {
\t\ttype ipv4_addr . inet_service
\t\tsize 65535
\t\tflags interval,timeout
\t\ttimeout 1h
\t\tgc-interval 10s
\t\tcomment "by hand"
\t\telements = { 192.0.2.1 . 80 timeout 2h expires 1h5m, 198.51.100.0/24 . 1000-2000 comment "range" }
\t}
\tmap ports {
\t\ttype inet_service : verdict
\t\telements = { 22 : accept, 23 comment "telnet" : drop, 80 : goto web }
\t}
\tchain web {
\t\tmeta mark & 0x0000ff00 == 0x00001200 ct state established,related accept comment "known"
\t\tip daddr { 10.0.0.1, 10.0.0.0/8 } tcp dport vmap @ports
\t\tcounter packets 1 bytes 60 log prefix "dropped: " level warn limit rate 5/minute burst 10 packets drop
\t\tiifname "eth*" oifname { "lo", "br-1" } meta l4proto { tcp, udp } reject with icmpx type port-unreachable
\t}
\tchain input {
\t\ttype filter hook input priority filter - 10; policy drop;
\t\tct status != dnat fib daddr type local jump web
\t\tip saddr . tcp dport @blocked meta mark set meta mark | 0x00000010 numgen random mod 3 vmap { 0 : goto web, 1 : drop, 2 : accept }
\t}
\tchain nat {
\t\ttype nat hook prerouting priority dstnat; policy accept;
\t\tdnat ip addr . port to ip daddr . tcp dport map { 10.0.0.1 . 80 : 10.1.0.1 . 8080 }
\t\tmasquerade fully-random
\t}
\tchain ingress {
\t\ttype filter hook ingress devices = { "eth0", "eth1" } priority 0; policy accept;
\t}
}
`

const ADDRESSES =
  '5: kube-ipvs0    inet 10.96.0.1/32 scope global kube-ipvs0\\       valid_lft forever preferred_lft forever\n'
const TEXTS = [NFT, ADDRESSES, ...[...CORPUS_DUMPS.values()].filter(({ length }) => length < 20_000)]
const PASTES = new URL('../pastes/', import.meta.url)
const EXCERPTS = readdirSync(PASTES)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => readFileSync(new URL(name, PASTES), 'utf8'))

/**
 * Blanks that the tools do not recognize, controls, signs of their grammars, and numbers beyond the limits of the
 * kernel.
 */
const INSERTED = [
  ...['\u00a0', '\u2003', '\u3000', '\ufeff', '\u2028', '\u0085', '\u0001', '\u001b', '\u007f', '\v', '\f', '\r', '\t'],
  ...[
    '"',
    "'",
    '\\',
    '{',
    '}',
    ';',
    ',',
    '#',
    '!',
    '*',
    ':',
    '/',
    '.',
    '-',
    '@',
    ' ',
    '\n',
    ' . ',
    ' : ',
    '%',
    '$',
    '`',
  ],
  ...[
    '4294967296',
    '99999999999999999999',
    '-2147483649',
    '-1',
    '65536',
    '256',
    '0x1ffffffff',
    '1e9',
    'é',
    '😀',
    '\ud800',
  ],
]

const change = fc.record({
  at: fc.nat(),
  removed: fc.nat(4),
  inserted: fc.oneof(fc.constantFrom(...INSERTED), anyText({ maxLength: 3 })),
})

function changed(text: string, changes: readonly { at: number; removed: number; inserted: string }[]): string {
  return changes.reduce((result, { at, removed, inserted }) => {
    const start = at % (result.length + 1)
    return result.slice(0, start) + inserted + result.slice(start + removed)
  }, text)
}

/** Prints the content of a text in every format, and returns whether the text was accepted. */
function prints(text: string, lenient: boolean): boolean {
  const parsed = lenient ? parseDump(text, { lenient }) : parseDump(text)
  if (!parsed.ok) return false
  for (const family of IP_FAMILIES)
    for (const format of ['restore', 'save', 'listing'] as const)
      for (const backend of ['nft', 'legacy'] as const) print(parsed.value[family], { format, backend })
  return true
}

describe('a text that the parsers accept', () => {
  it.each([
    [false, TEXTS],
    [true, [...TEXTS, ...EXCERPTS]],
  ])('can be printed in every format (lenient: %s)', (lenient, texts) => {
    let accepted = 0
    const text = fc.oneof(fc.constant(NFT), fc.constantFrom(...texts))
    fc.assert(
      fc.property(text, fc.array(change, { minLength: 1, maxLength: 2 }), (given, changes) => {
        if (prints(changed(given, changes), lenient)) accepted++
      }),
      { numRuns: runs(600) },
    )
    expect(accepted).toBeGreaterThan(runs(600) / 10)
  })

  it.each(['\u00a0', '\u2003', '\u3000', '\ufeff'])('contains no word with the Unicode blank %j', (blank) => {
    const [before, after] = NFT.split('gc-interval')
    expect(parseDump(`${before}gc${blank}interval${after}`).ok).toBe(false)
    expect(prints(NFT.replace('by hand', `by${blank}hand`), false)).toBe(true)
    prints(NFT.replace('fib daddr', `fib${blank}daddr`), true)
    expect(parseDump(NFT.replace('fib daddr', `fib${blank}daddr`)).ok).toBe(false)
  })

  it.each([false, true])('can name a set by the sign of a comment (lenient: %s)', (lenient) => {
    expect(prints(NFT.replace('@blocked', '@#blocked'), lenient)).toBe(true)
  })

  it.each(['2147483648', '-2147483649', 'filter + 4294967295'])(
    'contains no priority beyond 32 bits: %s',
    (priority) => {
      const parsed = parseDump(NFT.replace('priority filter - 10', `priority ${priority}`))
      expect(parsed.ok || parsed.problems.map(({ code }) => code)).toEqual(['invalidValue'])
      const json = (prio: number) =>
        JSON.stringify({
          nftables: [
            { table: { family: 'ip', name: 't' } },
            { chain: { family: 'ip', table: 't', name: 'c', type: 'filter', hook: 'input', prio, policy: 'drop' } },
          ],
        })
      expect(parseDump(json(0)).ok).toBe(true)
      expect(parseDump(json(2 ** 31)).ok).toBe(false)
    },
  )
})
