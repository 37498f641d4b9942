import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { lowerRule } from '../../../../src/dataplane/iptables/program/lower-rule.js'
import { evaluateAll } from '../../../../src/program/evaluate-literal.js'
import { negate } from '../../../../src/program/literals.js'
import type { Effect, Literal } from '../../../../src/program/program.js'
import { facts, kernelPacket, NO_SETS } from './packets.js'

function lower(words: string, family: IpFamily = 'IPv4') {
  const rule = readRule(words, family)
  return lowerRule(
    { rule, owner: 'default/web:http' },
    { name: 'nat', family, lookUpSet: NO_SETS.lookUpSet, chains: () => undefined, isBeforeTracking: false },
  )
}

/** Returns the effects of the instructions of a rule, without steps. */
function effectsOf(words: string, family: IpFamily = 'IPv4'): readonly (readonly Effect[])[] {
  return lower(words, family).map(({ effects }) => effects.filter(({ kind }) => kind !== 'step'))
}

const REQUIRE_TRACKED: Effect = {
  kind: 'require',
  literals: [{ kind: 'state', states: ['UNTRACKED'], negated: true }],
}
const untrack: readonly Effect[] = [
  { kind: 'require', literals: [{ kind: 'interface', direction: 'in', name: 'lo', negated: true }] },
  { kind: 'untrack' },
]

describe('a target', () => {
  const unknown = (words: string): readonly Effect[] => [
    { kind: 'unknown', reason: `the effect of ${words} is unknown` },
  ]
  const setMark = (clear: number, flip: number): readonly Effect[] => [{ kind: 'setMark', of: 'packet', clear, flip }]
  const connmark = (effect: Effect): readonly Effect[] => [REQUIRE_TRACKED, effect]
  const forgotten = (of: 'packet' | 'connection'): readonly Effect[] => [{ kind: 'forgetMark', of, bits: 0xffffffff }]
  const setConnmark = (clear: number, flip: number) => connmark({ kind: 'setMark', of: 'connection', clear, flip })

  it.each<[string, readonly Effect[]]>([
    ['-p tcp', []],
    ['-j ACCEPT', [{ kind: 'accept' }]],
    ['-j DROP', [{ kind: 'drop' }]],
    ['-j RETURN', [{ kind: 'return' }]],
    ['-j REJECT', [{ kind: 'reject', with: 'icmp-port-unreachable' }]],
    ['-p tcp -j REJECT --reject-with tcp-reset', [{ kind: 'reject', with: 'tcp-reset' }]],
    ['-j MARK --set-xmark 0x4000/0x4000', setMark(0x4000, 0x4000)],
    ['-j MARK --or-mark 0x4000', setMark(0x4000, 0x4000)],
    ['-j MARK --xor-mark 0x4000', setMark(0, 0x4000)],
    ['-j MARK --and-mark 0xff', setMark(0xffffff00, 0)],
    ['-j MARK --set-mark 0x1/0x2', setMark(0x3, 0x1)],
    ['-j MARK --set-mark 0x1', setMark(0xffffffff, 0x1)],
    ['-j MARK --or-mark 0x1/0x1', unknown('-j MARK --or-mark 0x1/0x1')],
    ['-j CONNMARK --set-xmark 0x80/0x80', setConnmark(0x80, 0x80)],
    ['-j CONNMARK --set-mark 0x1/0x2', setConnmark(0x3, 0x1)],
    ['-j CONNMARK --set-mark 5', setConnmark(0xffffffff, 5)],
    ['-j CONNMARK --and-mark 0xff', setConnmark(0xffffff00, 0)],
    ['-j CONNMARK --or-mark 0x1', setConnmark(0x1, 0x1)],
    ['-j CONNMARK --xor-mark 0x1', setConnmark(0, 0x1)],
    [
      '-j CONNMARK --restore-mark --nfmask 0x80 --ctmask 0x81',
      connmark({ kind: 'copyMark', to: 'packet', clear: 0x80, sourceMask: 0x81 }),
    ],
    [
      '-j CONNMARK --save-mark --nfmask 0x80 --ctmask 0x81',
      connmark({ kind: 'copyMark', to: 'connection', clear: 0x81, sourceMask: 0x80 }),
    ],
    [
      '-j CONNMARK --save-mark --mask 0x1',
      connmark({ kind: 'copyMark', to: 'connection', clear: 0x1, sourceMask: 0x1 }),
    ],
    [
      '-j CONNMARK --restore-mark',
      connmark({ kind: 'copyMark', to: 'packet', clear: 0xffffffff, sourceMask: 0xffffffff }),
    ],
    ['-j CONNMARK --restore-mark --save-mark', unknown('-j CONNMARK --restore-mark --save-mark')],
    ['-j CONNMARK', unknown('-j CONNMARK')],
    ['-j CONNMARK --set-mark 1 --or-mark 2', unknown('-j CONNMARK --set-mark 1 --or-mark 2')],
    ['-j CONNMARK --set-mark many', unknown('-j CONNMARK --set-mark many')],
    ['-j CONNMARK --save-mark --mask many', unknown('-j CONNMARK --save-mark --mask many')],
    ['-j CONNMARK --or-mark 1/1', unknown('-j CONNMARK --or-mark 1/1')],
    ['-g KUBE-TARGET --other', unknown('-g KUBE-TARGET --other')],
    [
      '-j CONNMARK --set-xmark 0x1/0xffffffff --left-shift-mark 4',
      [...setConnmark(0xffffffff, 1), ...forgotten('connection')],
    ],
    [
      '-j CONNMARK --restore-mark --nfmask 0xf0 --ctmask 0xf --right-shift-mark 4',
      [...connmark({ kind: 'copyMark', to: 'packet', clear: 0xf0, sourceMask: 0xf }), ...forgotten('packet')],
    ],
    ['-j NOTRACK', untrack],
    ['-j CT --notrack', untrack],
    ['-j CT --zone 5 --helper ftp', []],
    ['-j CT --zone-orig mark --timeout a --ctevents new,destroy --expevents new', []],
    ['-j CT --other', unknown('-j CT --other')],
    ['-j MASQUERADE', [{ kind: 'masquerade' }]],
    ['-j MASQUERADE --random-fully', [{ kind: 'masquerade' }]],
    ['-p tcp -j MASQUERADE --to-ports 1024-65535 --random', [{ kind: 'masquerade' }]],
    ['-j REDIRECT', [{ kind: 'redirect', port: undefined }]],
    ['-p tcp -j REDIRECT --to-ports 8080', [{ kind: 'redirect', port: 8080 }]],
    ['-p tcp -j REDIRECT --to-ports 8080 --random', [{ kind: 'redirect', port: 8080 }]],
    ['-p tcp -j REDIRECT --to-ports 80-90 --random', unknown('-j REDIRECT --to-ports 80-90 --random')],
    ['-p tcp -j REDIRECT --to-ports http', unknown('-j REDIRECT --to-ports http')],
    ['-j LOG --log-prefix "a b: " --log-level 7', []],
    ['-j NFLOG --nflog-group 5', []],
    ['-j TRACE', []],
    ['-j TEE --gateway 10.0.0.1', []],
    ['-j SET --add-set S src --exist --timeout 5', []],
    ['-j SET --map-set S src --map-mark', forgotten('packet')],
    ['-j SET --map-set S src --map-prio', []],
    ['-j HMARK --hmark-tuple src,dst --hmark-mod 8 --hmark-rnd 0xcafe', forgotten('packet')],
    ['-j AUDIT --type accept', []],
    ['-j CLASSIFY --set-class 1:1', []],
    ['-j DSCP --set-dscp-class EF', []],
    ['-j TOS --set-tos 0x10/0x3f', []],
    ['-j TTL --ttl-inc 1', []],
    ['-p tcp -j ECN --ecn-tcp-remove', []],
    ['-p tcp -j TCPMSS --clamp-mss-to-pmtu', []],
    ['-p tcp -j TCPOPTSTRIP --strip-options timestamp', []],
    ['-p udp -j CHECKSUM --checksum-fill', []],
    ['-j IDLETIMER --timeout 5 --label a', []],
    ['-j LED --led-trigger-id a', []],
    ['-j RATEEST --rateest-name a --rateest-interval 250ms --rateest-ewma 0.5s', []],
    ['-j SECMARK --selctx a', []],
    ['-j CONNSECMARK --save', []],
    ['-j NFQUEUE --queue-num 1', unknown('-j NFQUEUE --queue-num 1')],
    ['-j QUEUE', unknown('-j QUEUE')],
    [
      '-p tcp -j TPROXY --on-port 15001 --tproxy-mark 0x1/0x1',
      unknown('-j TPROXY --on-port 15001 --tproxy-mark 0x1/0x1'),
    ],
    ['-p tcp -j SYNPROXY --sack-perm', unknown('-j SYNPROXY --sack-perm')],
    ['-p tcp -j SNAT --to-source :1024-2000', [{ kind: 'accept' }]],
    ['-j SNAT --to-source example.org', unknown('-j SNAT --to-source example.org')],
    ['-j NETMAP --to 10.0.0.0/24', unknown('-j NETMAP --to 10.0.0.0/24')],
    ['-j ACCEPT --other', unknown('-j ACCEPT --other')],
  ])('%s', (words, effects) => {
    expect(effectsOf(words)).toEqual([effects])
  })

  it('rejects IPv6 packets with a message of ICMPv6', () => {
    expect(effectsOf('-j REJECT', 'IPv6')).toEqual([[{ kind: 'reject', with: 'icmp6-port-unreachable' }]])
  })
})

describe('a jump', () => {
  it.each(['jump', 'goto'] as const)('refers to its chain by name (%s)', (kind) => {
    const [[effect] = []] = effectsOf(kind === 'jump' ? '-j KUBE-TARGET' : '-g KUBE-TARGET')
    expect(effect).toMatchObject({ kind, chain: { name: 'KUBE-TARGET' } })
  })
})

describe('DNAT', () => {
  const to = (address: string | undefined, port: number | undefined): Effect => ({
    kind: 'translateDestination',
    address,
    port,
  })
  it.each<[string, IpFamily, Effect]>([
    ['10.244.1.1:8080', 'IPv4', to('10.244.1.1', 8080)],
    ['10.244.1.1', 'IPv4', to('10.244.1.1', undefined)],
    ['10.244.1.1-10.244.1.1:80-80', 'IPv4', to('10.244.1.1', 80)],
    [':8080', 'IPv4', to(undefined, 8080)],
    ['[fd00::1]:8080', 'IPv6', to('fd00::1', 8080)],
    ['[fd00:0::1]', 'IPv6', to('fd00::1', undefined)],
    ['fd00::1', 'IPv6', to('fd00::1', undefined)],
    ['::1', 'IPv6', to('::1', undefined)],
    [':8080', 'IPv6', to(undefined, 8080)],
  ])('replaces the destination with %s', (text, family, effect) => {
    expect(effectsOf(`-p tcp -j DNAT --to-destination ${text}`, family)).toEqual([[effect]])
  })

  it('replaces the destination with options that have no effect on one address and port', () => {
    expect(effectsOf('-p tcp -j DNAT --to-destination 10.244.1.1:80 --random --persistent')).toEqual([
      [to('10.244.1.1', 80)],
    ])
  })

  it('takes one path for each address of a range, under the condition that the kernel chooses it', () => {
    const choice = (address: string) => ({
      condition: `DNAT to 10.244.1.255-10.244.2.1:80 chooses ${address}`,
      effects: [to(address, 80)],
    })
    expect(effectsOf('-p tcp -j DNAT --to-destination 10.244.1.255-10.244.2.1:80')).toEqual([
      [{ kind: 'choose', choices: [choice('10.244.1.255'), choice('10.244.2.0'), choice('10.244.2.1')] }],
    ])
  })

  it('keeps a port of the range, and replaces any other port with the first one', () => {
    const words = '-p tcp -j DNAT --to-destination 10.244.1.1:8000-8100'
    expect(effectsOf(words)).toEqual([[to('10.244.1.1', undefined)], [to('10.244.1.1', 8000)]])
    const firstFor = (destinationPort: number) =>
      lower(words).findIndex(
        ({ literals }) => evaluateAll(literals, kernelPacket({ destinationPort }), 'PREROUTING', facts()) === 'yes',
      )
    expect([7999, 8000, 8050, 8100, 8101].map(firstFor)).toEqual([1, 0, 0, 0, 1])
  })

  it('keeps a port of the range of REDIRECT', () => {
    expect(effectsOf('-p tcp -j REDIRECT --to-ports 80-90')).toEqual([
      [{ kind: 'redirect', port: undefined }],
      [{ kind: 'redirect', port: 80 }],
    ])
  })

  it.each([
    '10.0.0.0-10.0.1.0',
    '10.0.0.9-10.0.0.1',
    '10.0.0.0/24',
    'example.org',
    '10.0.0.1:90-80',
    '10.0.0.1:http',
    '10.0.0.1:70000',
    '10.0.0.1:80-90/85',
    '10.0.0.1-10.0.0.2-10.0.0.3',
    ':',
    '-',
  ])('has an unknown effect for %s', (text) => {
    expect(effectsOf(`-p tcp -j DNAT --to-destination ${text}`)).toEqual([
      [{ kind: 'unknown', reason: `DNAT to ${text} lets the kernel choose the address or port` }],
    ])
  })

  it('has an unknown effect if the kernel chooses a random port', () => {
    const words = '-j DNAT --to-destination 10.0.0.1:80-90 --random'
    expect(effectsOf(`-p tcp ${words}`)).toEqual([[{ kind: 'unknown', reason: `the effect of ${words} is unknown` }]])
  })
})

describe('SNAT', () => {
  const addressOf = (words: string) =>
    lower(words).map(({ condition, literals, effects }) => [condition(), literals, effects.slice(1)])
  const local = (address: string): Literal => ({ kind: 'localAddress', address })
  const unknown = (text: string): Effect => ({
    kind: 'unknown',
    reason: `the source becomes ${text}, which is not an address of the node`,
  })

  it('masquerades if the new source is an address of the node', () => {
    const words = '-j SNAT --to-source 192.168.0.2 --random-fully'
    expect(addressOf(words)).toEqual([
      ['192.168.0.2 is an address of the node', [local('192.168.0.2')], [{ kind: 'masquerade' }]],
      [`iptables nat -A T ${words} matches`, [negate(local('192.168.0.2'))], [unknown('192.168.0.2')]],
    ])
    const resultFor = (address: string) => evaluateAll([local(address)], kernelPacket(), 'POSTROUTING', facts())
    expect(['192.168.0.2', '192.168.0.3', '192.168.0.9'].map(resultFor)).toEqual(['yes', 'no', 'unknown'])
  })

  it('masquerades if all addresses of a range are addresses of the node', () => {
    const words = '-p tcp -j SNAT --to-source 10.0.0.1-10.0.0.2:1024-2000'
    const protocol: Literal = { kind: 'protocol', protocols: ['tcp'] }
    expect(addressOf(words)).toEqual([
      [
        'all of 10.0.0.1-10.0.0.2:1024-2000 are addresses of the node',
        [protocol, local('10.0.0.1'), local('10.0.0.2')],
        [{ kind: 'masquerade' }],
      ],
      [`iptables nat -A T ${words} matches`, [protocol], [unknown('10.0.0.1-10.0.0.2:1024-2000')]],
    ])
  })
})

describe('NFQUEUE', () => {
  it('accepts with --queue-bypass, unless a program reads the queue', () => {
    const [read, unread] = lower('-p tcp -j NFQUEUE --queue-num 5 --queue-bypass')
    expect(read?.condition()).toBe('a program reads netfilter queue 5')
    expect(read?.literals).toEqual([{ kind: 'protocol', protocols: ['tcp'] }, { kind: 'unknown' }])
    expect(read?.effects.slice(1)).toEqual([
      { kind: 'unknown', reason: 'a program that reads netfilter queue 5 decides' },
    ])
    expect(unread?.literals).toEqual([{ kind: 'protocol', protocols: ['tcp'] }])
    expect(unread?.effects.slice(1)).toEqual([{ kind: 'accept' }])
  })
})

describe('the queue of NFQUEUE', () => {
  it.each([
    ['-j NFQUEUE --queue-bypass', '0'],
    ['-j NFQUEUE --queue-balance 0:3 --queue-bypass --queue-cpu-fanout', '0:3'],
  ])('is named in the condition (%s)', (words, name) => {
    expect(lower(words)[0]?.condition()).toBe(`a program reads netfilter queue ${name}`)
  })
})

describe('a rule', () => {
  it('has the literals of its matches in the order of the text', () => {
    const [instruction] = lower('-s 10.0.0.0/8 -d 10.96.0.1/32 -p tcp -m comment --comment x -m tcp --dport 80 -j DROP')
    expect(instruction?.literals.map(({ kind }) => kind)).toEqual([
      'address',
      'address',
      'protocol',
      'protocol',
      'port',
    ])
  })

  it('formats the condition that it matches', () => {
    const [instruction] = lower('-p tcp -m limit --limit 5/min -j DROP')
    expect(instruction?.condition()).toBe('iptables nat -A T -p tcp -m limit --limit 5/min -j DROP matches')
  })

  it('records a step with its text, target, comment and owner', () => {
    const [instruction] = lower('-p tcp -m comment --comment "a b" -j DNAT --to-destination 10.244.1.1:80')
    const [step] = instruction?.effects ?? []
    expect(step?.kind === 'step' && step.step('PREROUTING')).toEqual({
      hook: 'PREROUTING',
      table: 'iptables nat',
      chain: 'T',
      text: '-A T -p tcp -m comment --comment "a b" -j DNAT --to-destination 10.244.1.1:80',
      target: 'DNAT --to-destination 10.244.1.1:80',
      jumpsTo: '',
      rewrites: 'destination',
      comment: 'a b',
      servicePort: 'default/web:http',
    })
  })

  it.each([
    ['-j KUBE-TARGET', { target: 'KUBE-TARGET', jumpsTo: 'KUBE-TARGET' }],
    ['-j MASQUERADE', { target: 'MASQUERADE', jumpsTo: '', rewrites: 'source' }],
    ['-j REDIRECT', { target: 'REDIRECT', jumpsTo: '', rewrites: 'destination' }],
    ['-j SNAT --to-source 10.0.0.1', { target: 'SNAT --to-source 10.0.0.1', jumpsTo: '', rewrites: 'source' }],
    ['-p tcp', { target: '', jumpsTo: '' }],
  ])('records the changed address and the called chain (%s)', (words, expected) => {
    const [step] = lower(words)[0]?.effects ?? []
    const recorded = step?.kind === 'step' ? step.step('OUTPUT') : undefined
    const { target, jumpsTo, rewrites } = recorded ?? {}
    expect({ target, jumpsTo, ...(rewrites && { rewrites }) }).toEqual(expected)
  })

  it('records a step for each hook', () => {
    const [step] = lower('-j ACCEPT')[0]?.effects ?? []
    if (step?.kind !== 'step') throw new Error('no step')
    expect([step.step('INPUT').hook, step.step('OUTPUT').hook, step.step('INPUT').hook]).toEqual([
      'INPUT',
      'OUTPUT',
      'INPUT',
    ])
    expect(step.step('INPUT')).toBe(step.step('INPUT'))
  })
})
