import { describe, expect, it } from 'vitest'
import {
  canonicalizeKeyComponent,
  haveSingleNotation,
  isInterfaceType,
  isSingleValue,
  joinConcatenation,
  printKey,
  splitConcatenation,
} from '../../../../src/dataplane/nftables/keys/key-components.js'
import { flagBitOf, sortAsListed } from '../../../../src/dataplane/nftables/keys/key-order.js'

describe('sortAsListed', () => {
  const ordered = (types: string, keys: readonly string[], version: '1.0' | '1.1') =>
    sortAsListed(keys, (key) => key, types.split(' . '), version)

  it.each<[string, readonly string[], (readonly string[])?]>([
    ['ipv4_addr', ['9.0.0.1', '10.0.0.1', '10.0.0.2', '200.0.0.1']],
    ['ipv6_addr', ['::', '::1', '9::', 'fd00::', 'fd00::1:0']],
    ['inet_proto', ['icmp', 'tcp', 'udp', 'sctp', '255']],
    ['inet_service', ['9', '80', '256', '65535']],
    ['mark', ['0x00000001', '0x00000100', '0x01000000', '0xffffffff']],
    ['integer', ['9', '10', '256', '4294967295']],
    ['ct_state', ['invalid', 'established', 'related', 'new', 'untracked']],
    ['ipv4_addr . inet_service', ['10.0.0.2 . 80', '10.0.0.1 . 81'], ['10.0.0.1 . 81', '10.0.0.2 . 80']],
    ['mark . inet_proto', ['0x00000001 . tcp', '0x00000100 . tcp'], ['0x00000100 . tcp', '0x00000001 . tcp']],
    ['inet_service . inet_proto', ['80 . tcp', '79 . udp'], ['79 . udp', '80 . tcp']],
  ])('sorts keys of type %s in the order of nft: %j', (types, older, newer = older) => {
    for (const keys of [older, [...older].reverse()]) {
      expect(ordered(types, keys, '1.0')).toEqual(older)
      expect(ordered(types, keys, '1.1')).toEqual(newer)
    }
  })

  it('keeps the order of keys with more components than the kernel accepts', () => {
    const key = (first: string) => [first, ...Array.from({ length: 200_000 }, () => '10.0.0.1')].join(' . ')
    const types = Array.from({ length: 200_001 }, () => 'ipv4_addr').join(' . ')
    const keys = [key('10.0.0.2'), key('10.0.0.1')]
    expect(ordered(types, keys, '1.1')).toEqual(keys)
  })

  it('sorts interface names by their 16 bytes, starting with the last byte', () => {
    expect(ordered('ifname', ['eth1', 'b', 'lo', 'eth0', 'a'], '1.1')).toEqual(['a', 'b', 'lo', 'eth0', 'eth1'])
    expect(ordered('ifname . mark', ['eth0 . 0x00000002', 'a . 0x00000001', 'a . 0x00000002'], '1.1')).toEqual([
      'a . 0x00000001',
      'a . 0x00000002',
      'eth0 . 0x00000002',
    ])
  })

  it.each<readonly [string, readonly string[]]>([
    ['ipv4_addr', ['10.0.0.2', '::1', '10.0.0.1']],
    ['ipv6_addr', ['::2', '10.0.0.1', '::1']],
    ['ipv4_addr', ['10.0.0.2', 'x', '10.0.0.1']],
    ['inet_proto', ['udp', '256', 'tcp']],
    ['inet_service', ['81', '65536', '80']],
    ['mark', ['2', '4294967296', '1']],
    ['ifname', ['b', 'a*', 'sixteen-letters']],
    ['ifname', ['b', 'sixteen_letters_', 'a']],
    ['ifname', ['b', '', 'a']],
    ['ifname', ['b', 'a b', 'a']],
    ['ifname', ['b', 'ä', 'a']],
    ['ct_state', ['new', '', 'invalid']],
    ['ct_state', ['new', 'dnat', 'invalid']],
    ['ct_status', ['dnat', 'expected']],
    ['ether_addr', ['00:11:22:33:44:56', '00:11:22:33:44:55']],
    ['ipv4_addr . inet_service', ['10.0.0.2 . 80', '10.0.0.1']],
    ['ipv4_addr . inet_service', ['10.0.0.2 . 80', '10.0.0.1 . 80 . 80']],
    ['', ['b', 'a']],
  ])('keeps the order of keys of type %s, which has no defined sort order: %j', (types, keys) => {
    expect(ordered(types, keys, '1.0')).toEqual(keys)
    expect(ordered(types, keys, '1.1')).toEqual(keys)
  })

  it('keeps the order of equal keys', () => {
    const items = [
      { key: '80', at: 0 },
      { key: '0x50', at: 1 },
      { key: '79', at: 2 },
      { key: '080', at: 3 },
    ]
    expect(sortAsListed(items, ({ key }) => key, ['inet_service'], '1.1').map(({ at }) => at)).toEqual([2, 0, 1, 3])
  })

  it('sorts flags by their bits', () => {
    const states = ['invalid', 'established', 'related', 'new', 'untracked']
    expect(states.map((word) => flagBitOf(word, 'ct_state'))).toEqual([0, 1, 2, 3, 6])
    const statuses = ['expected', 'seen-reply', 'assured', 'confirmed', 'snat', 'dnat', 'dying']
    expect(statuses.map((word) => flagBitOf(word, 'ct_status'))).toEqual([0, 1, 2, 3, 4, 5, 9])
    expect(['', 'dnat', 'what'].map((word) => flagBitOf(word, 'ct_state'))).toEqual([undefined, undefined, undefined])
    expect(['', 'new'].map((word) => flagBitOf(word, 'ct_status'))).toEqual([undefined, undefined])
    expect(flagBitOf('new', 'mark')).toBeUndefined()
  })
})

describe('a key component of an nftables element', () => {
  it.each([
    ['mark', '5', '0x00000005'],
    ['mark', '0x10-0x1f', '0x00000010-0x0000001f'],
    ['mark', '0x80000000/1', '0x80000000/1'],
    ['mark', '16/28', '0x00000010/28'],
    ['mark', 'x', 'x'],
    ['mark', '-5', '-5'],
    ['mark', '/5', '/5'],
    ['mark', '5-x', '0x00000005-x'],
    ['inet_proto', '6', 'tcp'],
    ['inet_proto', 'tcp', 'tcp'],
    ['inet_proto', '200', '200'],
    ['ifname', '"eth0"', 'eth0'],
    ['ifname', 'eth0', 'eth0'],
    ['ifname', '""', ''],
    ['ifname', '"', '"'],
    ['ifname', 'eth0"', 'eth0"'],
    ['ifname', '"a"-"b"', '"a"-"b"'],
    ['iface_index', '"lo"', 'lo'],
    ['inet_service', '0x50', '0x50'],
    ['ipv4_addr', '"a"', '"a"'],
  ])('of type %s is printed in canonical form: %s', (type, word, spelled) => {
    expect(canonicalizeKeyComponent(word, type)).toBe(spelled)
  })

  it('can have two notations only for certain types', () => {
    for (const type of ['mark', 'inet_proto', 'iface_index', 'ifname']) {
      expect([haveSingleNotation([type]), haveSingleNotation(['ipv4_addr', type])]).toEqual([false, false])
    }
    expect([haveSingleNotation([]), haveSingleNotation(['ipv4_addr', 'inet_service'])]).toEqual([true, true])
    expect(['ifname', 'iface_index', 'mark', undefined].map(isInterfaceType)).toEqual([true, true, false, false])
  })

  it('is separated from the next component by a dot with a space on either side', () => {
    expect(splitConcatenation('10.0.0.1 . tcp . 80')).toEqual(['10.0.0.1', 'tcp', '80'])
    expect(splitConcatenation('10.0.0.1.5')).toEqual(['10.0.0.1.5'])
    expect(joinConcatenation(['a'])).toBe('a')
    expect(joinConcatenation(['a', 'b', 'c'])).toBe('a . b . c')
  })

  it.each([
    ['a', true],
    ['', true],
    ['"a"', true],
    ['"a b"', true],
    ['"a"-"b"', true],
    ['a-"b"', false],
    ['"a"-b', true],
    ['""', true],
    ['"', false],
    ['"a"b', false],
    ['a"b"', false],
    ['"a""b"', false],
    ['"a"-', false],
    ['-"a"', false],
    ['"a"-"b"-"c"', false],
    ['"a . b"', false],
    ['"a"-" . "', false],
  ])('%s is an individual value: %s', (part, isOne) => {
    expect(isSingleValue(part)).toBe(isOne)
  })
})

describe('printKey', () => {
  it.each<readonly [string, readonly string[], string, string]>([
    ['10.0.0.1 . tcp . 80', ['ipv4_addr', 'inet_proto', 'inet_service'], '10.0.0.1 . tcp . 80', '10.0.0.1 . tcp . 80'],
    ['eth0', ['ifname'], '"eth0"', 'eth0'],
    ['eth*', ['ifname'], '"eth*"', 'eth*'],
    ['*', ['ifname'], '"*"', '"*"'],
    ['a*', ['ifname'], '"a*"', 'a*'],
    ['a0*', ['ifname'], '"a0*"', 'a0*'],
    ['0*', ['ifname'], '"0*"', '"0*"'],
    ['0a', ['ifname'], '"0a"', '"0a"'],
    ['my iface', ['iface_index'], '"my iface"', '"my iface"'],
    ['lo . 0x00000005', ['iface_index', 'mark'], '"lo" . 0x00000005', 'lo . 0x00000005'],
    ['0x00000005 . lo', ['mark', 'ifname'], '0x00000005 . "lo"', '0x00000005 . lo'],
    ['"a"-"b"', ['ifname'], '"a"-"b"', '"a"-"b"'],
    ['eth0', [], 'eth0', 'eth0'],
    ['"my text"', [], '"my text"', '"my text"'],
    ['ä', ['ipv4_addr'], 'ä', 'ä'],
    ['a@b~c+d[e]*', [], 'a@b~c+d[e]*', 'a@b~c+d[e]*'],
  ])('prints the key %s with quotes where the format needs them', (key, types, listed, written) => {
    expect([printKey(key, types, true), printKey(key, types, false)]).toEqual([listed, written])
  })

  it.each(['a b', '', 'a,b', '{a}', 'a;b', '{', '"a', '#a', 'a . b c', 'a\nb', 'a\u2028b', '"a"b'])(
    'rejects the key %j',
    (key) => {
      const last = splitConcatenation(key).at(-1)
      expect(() => printKey(key, ['ipv4_addr'], true)).toThrow(`${JSON.stringify(last)} cannot be a key in nftables`)
    },
  )
})
