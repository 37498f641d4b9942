import { describe, expect, it } from 'vitest'
import { canonicalize } from '../../../src/dataplane/nftables/canonical.js'
import { parseDuration } from '../../../src/dataplane/nftables/duration.js'
import { toListedForm } from '../../../src/dataplane/nftables/listed-form.js'
import { printTable } from '../../../src/dataplane/nftables/print/print-commands.js'
import { printListing } from '../../../src/dataplane/nftables/print/print-listing.js'
import { parseNumber } from '../../../src/dataplane/nftables/words.js'
import { statementsOf, tableOf } from './tables.js'

/** Returns the keys of a set of this type as nft prints them. */
function listedKeys(type: string, keys: string, flags = 'flags interval'): readonly string[] {
  const table = tableOf(`table ip t {\n\tset s {\n\t\ttype ${type}\n\t\t${flags}\n\t\telements = { ${keys} }\n\t}\n}\n`)
  return toListedForm(table, '1.0').sets[0]?.elements.map(({ key }) => key) ?? []
}

describe('listed set keys', () => {
  it.each([
    ['ipv6_addr', '::ffff:0.0.0.0/96, ::/128, fd00::/8', ['::', '::ffff:0.0.0.0/96', 'fd00::/8']],
    ['ipv6_addr', 'fd00::2-fd00::1, fd00::1', ['fd00::2-fd00::1', 'fd00::1']],
    ['ipv6_addr', '::, ff00::, ::1', ['::', '::1', 'ff00::']],
    ['ipv4_addr', '10.0.0.0/8, 10.0.0.0/9, 9.0.0.0/8', ['9.0.0.0/8', '10.0.0.0/8', '10.0.0.0/9']],
    ['ipv4_addr', 'fd00::1, 10.0.0.1', ['fd00::1', '10.0.0.1']],
    ['ipv4_addr', '10.0.0.1, 10.0.0.1', ['10.0.0.1']],
    ['ipv4_addr', '10.0.0.1-fd00::1, 10.0.0.1', ['10.0.0.1-fd00::1', '10.0.0.1']],
    ['ipv4_addr', '10.0.0.0/33, 10.0.0.1', ['10.0.0.0/33', '10.0.0.1']],
    ['ipv4_addr', '10.0.0.0/x, 10.0.0.1', ['10.0.0.0/x', '10.0.0.1']],
    ['ipv4_addr', '010.0.0.1, 10.0.0.1', ['010.0.0.1', '10.0.0.1']],
    ['ipv4_addr', '10.0.0.2, 10.0.0.2/32, 10.0.0.1', ['10.0.0.1', '10.0.0.2', '10.0.0.2']],
    ['inet_service', '70000, 80', ['70000', '80']],
    ['inet_proto', 'udp, other, tcp', ['udp', 'other', 'tcp']],
    ['inet_proto', 'udp, 300, tcp', ['udp', '300', 'tcp']],
    ['ct_state', 'new, what', ['new', 'what']],
    ['ct_status', 'dnat, snat, confirmed', ['dnat', 'snat', 'confirmed']],
    ['mark', '0x10-0x1f, 5', ['0x00000005', '0x00000010/28']],
    ['mark', 'one, 5', ['one', '0x00000005']],
    ['ipv4_addr . inet_service', '10.0.0.2, 10.0.0.1 . 80', ['10.0.0.2', '10.0.0.1 . 80']],
    ['ipv4_addr . inet_service', '10.0.0.1/32 . 80-80', ['10.0.0.1 . 80']],
    ['ipv4_addr . inet_service', '10.0.0.0/8', ['10.0.0.0/8']],
    ['mark . ifname', '5 . "b", 4 . "b", 4 . "a*"', ['0x00000005 . b', '0x00000004 . b', '0x00000004 . a*']],
  ])('are sorted for type %s, and are canonical if they are valid: %s', (type, keys, listed) => {
    expect(listedKeys(type, keys)).toEqual(listed)
  })

  it('are quoted if they are interface names that need quotes', () => {
    const text = 'table ip t {\n\tset s {\n\t\ttype ifname . mark\n\t\telements = { "my iface" . 0x00000005 }\n\t}\n}\n'
    expect(printListing(tableOf(text), { version: '1.0' })).toBe(text)
    expect(printTable(tableOf(text))).toContain('add element ip t s { "my iface" . 0x00000005 }\n')
  })
})

describe('the unusual statement', () => {
  it.each([
    ['mark or 0x1 == 0x1 drop', 'unknown'],
    ['meta mark set meta mark', 'unknown'],
    ['meta mark set ct mark', 'unknown'],
    ['meta mark set 0x1 drop', 'markSet'],
    ['meta mark & 0x1 0x1 drop', 'markMatch'],
    ['meta mark & 0x1 < 0x1 drop', 'unknown'],
    ['meta mark & what == 0x1 drop', 'unknown'],
    ['meta mark != what drop', 'match'],
    ['meta mark 0x10/32 drop', 'markMatch'],
    ['meta mark 0x10/33 drop', 'match'],
    ['meta mark 0x1/40 drop', 'match'],
    ['reject with what', 'unknown'],
    ['reject with icmp', 'unknown'],
    ['counter name', 'unknown'],
    ['counter packets 5', 'unknown'],
    ['counter packets 5 bytes x', 'unknown'],
    ['dnat', 'unknown'],
    ['dnat to', 'unknown'],
    ['dnat ip addr to 10.0.0.1', 'unknown'],
    ['dnat to 10.0.0.1:99999', 'unknown'],
    ['dnat to [10.0.0.1]:80', 'unknown'],
    ['dnat to fd00::1:80', 'dnat'],
    ['dnat ip6 to fd00::1', 'dnat'],
    ['dnat to numgen random mod 1 map @m', 'unknown'],
    ['dnat to numgen random mod 1 map { 0 }', 'unknown'],
    ['dnat ip addr . port to numgen random mod 1 map { 0 : 10.0.0.1 }', 'unknown'],
    ['dnat to numgen random mod 1 map { 0 : 10.0.0.1 }', 'dnat'],
    ['update @s', 'unknown'],
    ['update @s { what }', 'unknown'],
    ['update @s { ip saddr timeout x }', 'unknown'],
    ['add @s { ip saddr }', 'setUpdate'],
    ['delete @s { ip saddr }', 'setUpdate'],
    ['ip saddr', 'unknown'],
    ['ip what 5 drop', 'unknown'],
    ['ip', 'unknown'],
    ['fib', 'unknown'],
    ['fib saddr', 'unknown'],
    ['numgen random', 'unknown'],
    ['numgen random mod x', 'unknown'],
    ['numgen random mod 2 offset x vmap { 0 : drop }', 'unknown'],
    ['ip saddr vmap { }', 'unknown'],
    ['ip saddr vmap what', 'unknown'],
    ['ip saddr vmap { 10.0.0.1 }', 'unknown'],
    ['ip saddr { }', 'unknown'],
    ['ip saddr { 10.0.0.1 : drop }', 'unknown'],
    ['ip saddr { 10.0.0.1 what }', 'unknown'],
    ['ip saddr { 10.0.0.1 comment }', 'unknown'],
    ['ip saddr { 10.0.0.1 timeout }', 'unknown'],
    ['ip saddr { 10.0.0.1 expires x }', 'unknown'],
    ['ip saddr { 10.0.0.1 counter packets }', 'unknown'],
    ['ip saddr . tcp dport { 10.0.0.1 . }', 'unknown'],
    ['ip saddr vmap { 10.0.0.1 : }', 'unknown'],
    ['ip saddr @', 'unknown'],
    ['ct state , drop', 'unknown'],
    ['ct state new, { } drop', 'unknown'],
    ['jump', 'unknown'],
    ['masquerade fully-random,persistent', 'unknown'],
    ['meta skuid 0 accept', 'match'],
    ['skuid 0 accept', 'match'],
    ['fib saddr .', 'unknown'],
    ['meta', 'unknown'],
    ['numgen', 'unknown'],
    ['dnat to what:80', 'unknown'],
    ['dnat to what map { 0 : 10.0.0.1 }', 'unknown'],
    ['dnat to numgen random mod 2 map { 0 : 10.0.0.1, 1 : 10.0.0.2 . 80 }', 'unknown'],
    ['update what', 'unknown'],
    ['meta mark set meta mark what 0x1', 'unknown'],
    ['meta mark set meta mark | what', 'unknown'],
    ['meta mark 0x1/x drop', 'match'],
    ['meta mark < 0x1 drop', 'match'],
    ['meta mark @s drop', 'match'],
  ])('is parsed: %s as kind %s', (rule, kind) => {
    expect(statementsOf(rule)[0]?.kind).toBe(kind)
  })
})

describe('the nftables parser', () => {
  it.each([
    ['', undefined],
    ['s', undefined],
    ['5x', undefined],
    ['5m5', undefined],
    ['5', 5000],
    ['1d2h3m4s5ms', 93784005],
    ['5ms', 5],
    ['0s', 0],
  ])('parses the time %j, or rejects it', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds)
  })

  it.each([
    ['0', 0],
    ['0x4000', 0x4000],
    ['4294967295', 0xffffffff],
    ['4294967296', undefined],
    ['', undefined],
    ['1e3', undefined],
    ['0b1', undefined],
    [' 5', undefined],
  ])('parses the number %j, or rejects it', (text, number) => {
    expect(parseNumber(text)).toBe(number)
  })

  it('uses the default policies and sizes of the kernel', () => {
    const written = tableOf(`add table ip t
add chain ip t b { type filter hook input priority 0 ; }
add set ip t s { type ipv4_addr ; flags dynamic ; size 65535 ; }
add set ip t u { type ipv4_addr ; size 65535 ; }
`)
    const normal = canonicalize(written)
    expect(normal.chains[0]?.base?.policy).toBe('accept')
    expect(normal.sets.map(({ size }) => size)).toEqual([undefined, 65535])
    expect(canonicalize({ ...written, handle: 5 })).toEqual(normal)
  })
})
