import { describe, expect, it } from 'vitest'
import { createCoverageQueries } from '../../../../../compiler/src/dataplane/netfilter/coverage.js'
import type { NftablesState } from '../../../../../compiler/src/dataplane/nftables/state.js'
import { lowerNftables } from '../../../../src/dataplane/nftables/program/lower-nftables.js'
import type { KernelPacket } from '../../../../src/program/kernel-packet.js'
import { stepsOfPath } from '../../../../src/program/path-state.js'
import type { BaseChain } from '../../../../src/program/program.js'
import { runBaseChain } from '../../../../src/program/run-chain.js'
import { kernelPacket, nodeFacts, pathState, runContext, textOf } from '../../../program/programs.js'
import { baseChainsOf, nftablesState, resultOf } from './lowered-tables.js'

const chain = (name: string, base: string, rules = '') =>
  `\tchain ${name} {\n${base === '' ? '' : `\t\ttype ${base};\n`}${rules === '' ? '' : `\t\t${rules}\n`}\t}\n`

const summaryOf = (chains: readonly BaseChain[]) =>
  chains.map(
    ({ hook, priority, translates, chain: { name } }) => `${hook} ${priority} ${name}${translates ? ' nat' : ''}`,
  )

describe('the base chains of a state', () => {
  it('have the hooks, priorities and types of the text', () => {
    const table = `table inet t {
${chain('a', 'filter hook prerouting priority raw; policy accept')}${chain('b', 'nat hook postrouting priority srcnat; policy accept')}${chain('c', 'route hook output priority mangle; policy accept')}${chain('d', '')}${chain('e', 'filter hook input priority filter + 10; policy accept')}${chain('f', 'filter hook forward priority security; policy accept')}}
`
    expect(summaryOf(baseChainsOf(table))).toEqual([
      'FORWARD 50 f',
      'INPUT 10 e',
      'OUTPUT -150 c',
      'POSTROUTING 100 b nat',
      'PREROUTING -300 a',
    ])
  })

  it('come in reverse order of creation, because the kernel calls the newest first', () => {
    const base = 'filter hook input priority filter; policy accept'
    const tables = `table ip a {\n${chain('first', base)}${chain('second', base)}}\ntable inet b {\n${chain('third', base)}}\n`
    expect(summaryOf(baseChainsOf(tables))).toEqual(['INPUT 0 third', 'INPUT 0 second', 'INPUT 0 first'])
  })

  it('do not include those of other hooks and of dormant tables', () => {
    const ingress = 'filter hook ingress device "eth0" priority 0; policy accept'
    expect(baseChainsOf(`table netdev t {\n${chain('a', ingress)}}\n`)).toEqual([])
    const base = 'filter hook input priority filter; policy drop'
    expect(baseChainsOf(`table ip t {\n\tflags dormant\n${chain('a', base)}}\n`)).toEqual([])
  })

  it('have a policy if they drop packets at their end', () => {
    const [base] = baseChainsOf(`table ip t {\n${chain('a', 'filter hook input priority filter; policy drop')}}\n`)
    const [step, verdict] = base?.policy ?? []
    expect(verdict).toEqual({ kind: 'drop' })
    expect(step?.kind === 'step' && step.step('INPUT')).toEqual({
      hook: 'INPUT',
      table: 'nftables ip t',
      chain: 'a',
      text: 'policy drop',
      target: 'drop',
      jumpsTo: '',
      comment: 'policy',
      servicePort: '',
    })
    const [other] = baseChainsOf(`table ip t {\n${chain('a', 'filter hook input priority filter; policy accept')}}\n`)
    expect(other?.policy).toBeUndefined()
  })
})

describe('the chains of a table', () => {
  const BASE = 'filter hook prerouting priority filter; policy accept'

  it('are lowered when a packet enters them', () => {
    let read = 0
    const rules = new Proxy([], {
      get: (target, key) => {
        read++
        return Reflect.get(target, key)
      },
    })
    const base = { type: 'filter', hook: 'prerouting', priority: 0 }
    const jump = [{ statements: [{ kind: 'jump', chain: 'b' }] }] as const
    const chains = [
      { name: 'a', base, rules: jump },
      { name: 'b', rules },
    ]
    const state: NftablesState = { tables: [{ family: 'ip', name: 't', chains, sets: [], objects: [] }] }
    const [lowered] = lowerNftables(state, {}, () => new Map())
    if (lowered === undefined) throw new Error('the state has no base chain')
    lowered.chain.instructionsFor(kernelPacket(), false)
    expect(read).toBe(0)
    runBaseChain(lowered.chain, pathState(), runContext({ facts: nodeFacts() }))
    expect(read).toBeGreaterThan(0)
  })

  it('are the same objects wherever they are called', () => {
    const table = `table ip t {\n${chain('a', BASE, 'jump b')}${chain('c', BASE, 'goto b')}${chain('b', '')}}\n`
    const called = baseChainsOf(table).flatMap((each) =>
      each.chain.instructionsFor(kernelPacket(), false).flatMap(({ effects }) => {
        const effect = effects.at(-1)
        return effect?.kind === 'jump' || effect?.kind === 'goto' ? [effect.chain.resolve()] : []
      }),
    )
    expect(called).toHaveLength(2)
    expect(called[0]).toBe(called[1])
  })

  it('have no instruction for a rule that cannot match', () => {
    const rules = [
      'ip6 saddr fd00::1 drop',
      'icmp type != 0 drop',
      'ct state established accept',
      'ip saddr 10.0.0.1 drop',
    ]
    const table = `table inet t {\n${chain('a', BASE, rules.join('\n\t\t'))}}\n`
    const [base] = baseChainsOf(table)
    expect(base?.chain.instructionsFor(kernelPacket(), false)).toHaveLength(2)
    expect(base?.chain.instructionsFor(kernelPacket({ family: 'IPv6' }), false)).toHaveLength(1)
  })
})

describe('the step of a rule', () => {
  const TABLE = `table ip kube-proxy {
	map m {
		type ipv4_addr . inet_service : verdict
		elements = { 10.96.0.10 . 80 comment "web" : goto service }
	}
${chain('base', 'nat hook prerouting priority dstnat; policy accept', 'ip daddr . tcp dport vmap @m comment "all"')}${chain('service', '', 'ct state new counter packets 0 bytes 0 dnat to 10.244.1.5:8080 comment "to pod"')}}
`
  const stepsWith = (owners: ReadonlyMap<string, string>) => {
    const [base] = lowerNftables(nftablesState(TABLE), {}, () => owners)
    if (base === undefined) throw new Error('the state has no base chain')
    return runBaseChain(base.chain, pathState(), runContext({ facts: nodeFacts() })).flatMap(({ path }) =>
      stepsOfPath(path),
    )
  }

  it('shows only the element of a map that matches', () => {
    expect(stepsWith(new Map())).toEqual([
      {
        hook: 'PREROUTING',
        table: 'nftables ip kube-proxy',
        chain: 'base',
        text: 'ip daddr . tcp dport vmap { 10.96.0.10 . 80 comment "web" : goto service } comment "all"',
        target: 'goto service',
        jumpsTo: 'service',
        comment: 'all; web',
        servicePort: '',
      },
      {
        hook: 'PREROUTING',
        table: 'nftables ip kube-proxy',
        chain: 'service',
        text: 'ct state new counter packets 0 bytes 0 dnat to 10.244.1.5:8080 comment "to pod"',
        target: 'dnat to 10.244.1.5:8080',
        jumpsTo: '',
        rewrites: 'destination',
        comment: 'to pod',
        servicePort: '',
      },
    ])
  })

  it('names the owner of the element or of the chain', () => {
    const owners = new Map([
      ['nftables ip kube-proxy element m 10.96.0.10 . 80', 'default/web'],
      ['nftables ip kube-proxy chain service', 'default/other'],
    ])
    expect(stepsWith(owners).map(({ servicePort }) => servicePort)).toEqual(['default/web', 'default/other'])
  })
})

describe('a dynamic set', () => {
  const setWith = (options: string, elements = '') =>
    `	set d {\n		type ipv4_addr\n		size 65535\n		flags dynamic\n${options}${elements}	}\n`
  const seen = (seconds: number) => ({
    secondsSinceSeen: (list: string, client: string) => (list === 'd' && client === '10.244.0.9' ? seconds : undefined),
  })
  const TIMEOUT = '		timeout 1m\n'

  it.each([
    ['ip saddr @d', TIMEOUT, 0, 'yes'],
    ['ip saddr @d', TIMEOUT, 59.999, 'yes'],
    ['ip saddr @d', TIMEOUT, 60, 'no'],
    ['ip saddr @d', '', 1e9, 'yes'],
    ['ip saddr != @d', TIMEOUT, 0, 'no'],
    ['ip daddr @d', TIMEOUT, 0, 'no'],
  ])('with recorded clients, %s (%j) after %s seconds: %s', (match, options, seconds, expected) => {
    expect(resultOf(match, { sourcePort: 1 }, { more: setWith(options), facts: seen(seconds) })).toBe(expected)
  })

  it('contains its listed elements', () => {
    const more = setWith(TIMEOUT, '		elements = { 10.244.0.9 timeout 1m expires 5s }\n')
    expect(resultOf('ip saddr @d', {}, { more })).toBe('yes')
    expect(resultOf('ip saddr @d', { source: '10.244.0.8' }, { more })).toBe('no')
  })
})

describe('an element of a set', () => {
  const set = (type: string, elements: string, flags = '') =>
    `	set s {\n		type ${type}\n${flags}		elements = { ${elements} }\n	}\n`
  const INTERVAL = '		flags interval\n'
  const POD6: Partial<KernelPacket> = { family: 'IPv6', source: 'fd00::9', destination: 'fd00::1' }

  it.each<[string, string, Partial<KernelPacket>, string]>([
    ['ip6 daddr @s', set('ipv6_addr', 'fd00:0:0::1'), POD6, 'yes'],
    ['ip6 daddr . tcp dport @s', set('ipv6_addr . inet_service', 'fd00::1 . 80'), POD6, 'yes'],
    ['ip6 daddr @s', set('ipv6_addr', 'fd00::/16', INTERVAL), POD6, 'yes'],
    ['ip6 daddr @s', set('ipv6_addr', 'fd01::-fd01::ff', INTERVAL), POD6, 'no'],
    ['meta l4proto @s', set('inet_proto', '6, 17'), {}, 'yes'],
    [
      'ip daddr . meta l4proto . th dport @s',
      set('ipv4_addr . inet_proto . inet_service', '10.96.0.10 . 6 . 80'),
      {},
      'yes',
    ],
    ['tcp dport . ip daddr @s', set('inet_service . ipv4_addr', '80 . 10.96.0.10'), {}, 'yes'],
    ['tcp dport @s', set('inet_service', '"http"'), {}, 'yes'],
    ['meta mark @s', set('mark', '0x10'), { mark: 16 }, 'yes'],
    ['meta mark @s', set('mark', '0x10-0x1f', INTERVAL), { mark: 17 }, 'yes'],
    ['iifname @s', set('ifname', '"br-1", "veth*"'), { inInterface: 'br-1' }, 'yes'],
    ['iifname @s', set('ifname', '"br-1", "veth*"'), { inInterface: 'br-2' }, 'no'],
    ['iifname . tcp dport @s', set('ifname . inet_service', '"veth*" . 80', INTERVAL), { inInterface: 'veth1' }, 'yes'],
    ['ip saddr @s', set('ipv4_addr', '10.244.0.0/33', INTERVAL), {}, 'unknown'],
    ['ip saddr . tcp dport @s', set('ipv4_addr . inet_service', '10.244.0.9', INTERVAL), {}, 'no'],
  ])('%s with %j: %s', (match, more, packet, expected) => {
    expect(resultOf(match, { sourcePort: 1, ...packet }, { more })).toBe(expected)
  })
})

describe('content that is missing in a dump', () => {
  const TABLE = `table ip t {
	set s {
		type ipv4_addr
	}
	map m {
		type ipv4_addr : ipv4_addr
	}
${chain('base', 'filter hook prerouting priority filter; policy accept', 'RULE')}${chain('a', '', 'drop')}}
`
  const endsOfPart = (rule: string, complete: readonly string[]) => {
    const coverage = createCoverageQueries({ complete: complete.map((id) => `nftables ip t ${id}`) })
    const [base] = lowerNftables(nftablesState(TABLE.replace('RULE', rule)), { coverage }, () => new Map())
    if (base === undefined) throw new Error('the state has no base chain')
    const ends = runBaseChain(base.chain, pathState(), runContext({ facts: nodeFacts() }))
    return ends.map(textOf).sort()
  }

  it.each<[string, string, readonly string[], readonly string[]]>([
    ['nothing', 'jump a', ['chain base', 'chain a'], ['1 jump a drop -> dropped']],
    [
      'a part of the base chain',
      'drop',
      ['chain a'],
      [
        '1 [missing rules do not affect it] drop -> dropped',
        '1 [not missing rules do not affect it] -> not all of chain base is in the dump',
      ],
    ],
    [
      'a part of a called chain',
      'jump a',
      ['chain base'],
      [
        '1 [missing rules do not affect it] jump a drop -> dropped',
        '1 [not missing rules do not affect it] jump a -> not all of chain a is in the dump',
      ],
    ],
    ['a called chain', 'jump b', ['chain base'], ['1 jump b -> chain b is missing in the dump']],
    [
      'elements of a set',
      'ip daddr @s drop',
      ['chain base'],
      [
        '1 [missing rules do not affect it] -> chain',
        '1 [not missing rules do not affect it] -> not all of s is in the dump',
      ],
    ],
    [
      'a set',
      'ip daddr @none drop',
      ['chain base'],
      expect.arrayContaining([
        '1 [not missing rules do not affect it] -> none is missing in the dump',
      ]) as readonly string[],
    ],
    [
      'elements of a set that a rule for other packets looks up',
      'ip6 daddr @s drop',
      ['chain base'],
      [
        '1 [missing rules do not affect it] -> chain',
        '1 [not missing rules do not affect it] -> not all of s is in the dump',
      ],
    ],
    [
      'elements of a map that words name',
      'dnat ip to ip daddr map @m',
      ['chain base'],
      [
        '1 [missing rules do not affect it] -> chain',
        '1 [not missing rules do not affect it] -> not all of m is in the dump',
      ],
    ],
    [
      'elements of a map of marks',
      'meta mark set ip daddr map @m',
      ['chain base'],
      [
        '1 [missing rules do not affect it] -> chain',
        '1 [not missing rules do not affect it] -> not all of m is in the dump',
      ],
    ],
  ])('%s', (_, rule, complete, expected) => {
    expect(endsOfPart(rule, complete)).toEqual(Array.isArray(expected) ? [...expected].sort() : expected)
  })
})
