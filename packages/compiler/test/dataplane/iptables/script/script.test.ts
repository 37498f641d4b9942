import { describe, expect, it } from 'vitest'
import type { Rule } from '../../../../src/dataplane/iptables/ast.js'
import { diffIptables } from '../../../../src/dataplane/iptables/diff/diff-state.js'
import { toIptablesCommands } from '../../../../src/dataplane/iptables/script/script.js'
import type { Endpoint } from '../../../../src/model/endpoints/endpoint.js'
import type { ServicePort } from '../../../../src/model/services/service-port.js'
import type { Patch } from '../../../../src/patch/patch.js'
import type { Resource } from '../../../../src/patch/resource.js'
import { stateOf } from '../../../support/iptables-states.js'
import { endpoint, servicePort } from '../../../support/model-builder.js'

const NFT = { family: 'IPv4', backend: 'nft' } as const
const LEGACY = { family: 'IPv4', backend: 'legacy' } as const

const SVC1 = 'KUBE-SVC-XPGD46QRK7WJZT7O'
const SEP1 = 'KUBE-SEP-SXIVWICOYRO3J4NJ'
const SVC4 = 'KUBE-SVC-4SW47YFZTEDKD3PK'
const SEP4 = 'KUBE-SEP-UKSFD7AGPMPPLUHC'
const SEP5 = 'KUBE-SEP-C6EBXVWJJZMIWKLZ'

function endpointsAt(...hosts: readonly number[]): readonly Endpoint[] {
  return hosts.map((host) => endpoint({ ip: `10.180.0.${host}` }))
}

function service1(...hosts: readonly number[]): ServicePort {
  return servicePort({ endpoints: endpointsAt(...hosts) })
}

function service4(...hosts: readonly number[]): ServicePort {
  return servicePort({ namespace: 'ns4', name: 'svc4', clusterIP: '172.30.0.44', endpoints: endpointsAt(...hosts) })
}

function patchBetween(before: readonly ServicePort[], after: readonly ServicePort[]): Patch {
  return diffIptables(stateOf(before), stateOf(after))
}

/** Returns the input of the only command. */
function textOf({ changes }: Pick<Patch, 'changes'>, options: Parameters<typeof toIptablesCommands>[1] = NFT): string {
  const script = toIptablesCommands(changes, options)
  expect(script.map(({ phase, command: { tool, args } }) => [phase, tool, ...args])).toEqual([
    ['switch', 'iptables-restore', '-w', '5', '--noflush'],
  ])
  return script.map(({ command }) => command.input).join('')
}

describe('a patch that replaces one of three endpoints', () => {
  it('creates one chain, replaces one rule and removes one chain', () => {
    expect(textOf(patchBetween([service4(1, 4, 9)], [service4(1, 5, 9)]))).toBe(
      `*nat
:${SEP5} - [0:0]
:${SEP4} - [0:0]
-A ${SEP5} -m comment --comment ns4/svc4:p80 -s 10.180.0.5 -j KUBE-MARK-MASQ
-A ${SEP5} -m comment --comment ns4/svc4:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.5:80
-R ${SVC4} 3 -m comment --comment "ns4/svc4:p80 -> 10.180.0.5:80" -m statistic --mode random --probability 0.5000000000 -j ${SEP5}
-X ${SEP4}
COMMIT
`,
    )
  })
})

describe('toIptablesCommands for an added or removed Service', () => {
  it('creates the chains of the Service before the rule that jumps to them', () => {
    expect(textOf(patchBetween([service1(1)], [service1(1), service4(4)]))).toBe(
      `*nat
:${SEP4} - [0:0]
:${SVC4} - [0:0]
-A ${SEP4} -m comment --comment ns4/svc4:p80 -s 10.180.0.4 -j KUBE-MARK-MASQ
-A ${SEP4} -m comment --comment ns4/svc4:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.4:80
-A ${SVC4} -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ
-A ${SVC4} -m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -j ${SEP4}
-I KUBE-SERVICES 2 -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80 -j ${SVC4}
COMMIT
`,
    )
  })

  it('deletes the rule that jumps to the chains of the Service before these chains', () => {
    expect(textOf(patchBetween([service1(1), service4(4)], [service1(1)]))).toBe(
      `*nat
:${SVC4} - [0:0]
:${SEP4} - [0:0]
-D KUBE-SERVICES 2
-X ${SVC4}
-X ${SEP4}
COMMIT
`,
    )
  })
})

describe('a Service that loses or gets its last endpoint', () => {
  const rejection =
    '-m comment --comment "ns1/svc1:p80 has no endpoints" -m tcp -p tcp -d 172.30.0.41 --dport 80 -j REJECT'
  const dispatch = `-m comment --comment "ns1/svc1:p80 cluster IP" -m tcp -p tcp -d 172.30.0.41 --dport 80 -j ${SVC1}`

  it('gets its reject rule before the rules that serve it are removed', () => {
    expect(textOf(patchBetween([service1(1)], [service1()]))).toBe(
      `*filter
-I KUBE-SERVICES 1 ${rejection}
COMMIT
*nat
:${SVC1} - [0:0]
:${SEP1} - [0:0]
-D KUBE-SERVICES 1
-X ${SVC1}
-X ${SEP1}
COMMIT
`,
    )
  })

  it('gets the rules that serve it before its reject rule is removed', () => {
    const text = textOf(patchBetween([service1()], [service1(1)]))
    expect(text).toMatch(/^\*nat\n/)
    expect(text).toContain(`\n-I KUBE-SERVICES 1 ${dispatch}\nCOMMIT\n*filter\n-D KUBE-SERVICES 1\nCOMMIT\n`)
  })

  it('is changed in the same order while another Service changes in the opposite direction', () => {
    const text = textOf(patchBetween([service1(1), service4()], [service1(), service4(4)]))
    expect(text.split('\n').filter((line) => /^\*|KUBE-SERVICES/.test(line))).toEqual([
      '*filter',
      `-I KUBE-SERVICES 1 ${rejection}`,
      '*nat',
      `-R KUBE-SERVICES 1 -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.44 --dport 80 -j ${SVC4}`,
      '*filter',
      '-D KUBE-SERVICES 2',
    ])
  })

  it('needs only one commit of the filter table if it is rejected both before and after the update', () => {
    const moved = { ...service1(), clusterIP: '172.30.0.42' }
    expect(textOf(patchBetween([service1()], [moved]))).toBe(
      `*filter\n-R KUBE-SERVICES 1 ${rejection.replace('0.41', '0.42')}\nCOMMIT\n`,
    )
  })
})

const FILTER_JUMPS = {
  INPUT: [
    '-j KUBE-FIREWALL',
    '-m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL',
    '-m comment --comment "kubernetes health check service ports" -j KUBE-NODEPORTS',
    '-m conntrack --ctstate NEW -m comment --comment "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES',
  ],
  FORWARD: [
    '-m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL',
    '-m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD',
    '-m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
    '-m conntrack --ctstate NEW -m comment --comment "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES',
  ],
  OUTPUT: [
    '-j KUBE-FIREWALL',
    '-m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL',
    '-m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
  ],
}

const NAT_JUMPS = {
  PREROUTING: ['-m comment --comment "kubernetes service portals" -j KUBE-SERVICES'],
  OUTPUT: ['-m comment --comment "kubernetes service portals" -j KUBE-SERVICES'],
  POSTROUTING: ['-m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING'],
}

function insertedJumps(jumps: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(jumps)
    .flatMap(([chain, rules]) => [...rules].reverse().map((rule) => `-I ${chain} 1 ${rule}\n`))
    .join('')
}

function deletedJumps(jumps: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(jumps)
    .reverse()
    .flatMap(([chain, rules]) => rules.map((rule) => `-D ${chain} ${rule}\n`))
    .join('')
}

const FILTER_CHAINS = `:KUBE-SERVICES - [0:0]
:KUBE-EXTERNAL-SERVICES - [0:0]
:KUBE-FORWARD - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-PROXY-FIREWALL - [0:0]
:KUBE-FIREWALL - [0:0]
`

const FILTER_RULES = `-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x00004000/0x00004000 -j ACCEPT
-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A KUBE-FIREWALL -m comment --comment "block incoming localnet connections" -d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP
`

const MARK_MASQ_RULE = '-A KUBE-MARK-MASQ -j MARK --or-mark 0x00004000\n'

const SEP1_RULES = `-A ${SEP1} -m comment --comment ns1/svc1:p80 -s 10.180.0.1 -j KUBE-MARK-MASQ
-A ${SEP1} -m comment --comment ns1/svc1:p80 -m tcp -p tcp -j DNAT --to-destination 10.180.0.1:80
`

const SVC1_RULES = `-A ${SVC1} -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp -p tcp -d 172.30.0.41 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ
-A ${SVC1} -m comment --comment "ns1/svc1:p80 -> 10.180.0.1:80" -j ${SEP1}
`

const SERVICES_RULES = `-A KUBE-SERVICES -m comment --comment "ns1/svc1:p80 cluster IP" -m tcp -p tcp -d 172.30.0.41 --dport 80 -j ${SVC1}
-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
`

const POSTROUTING_RULES = `-A KUBE-POSTROUTING -m mark ! --mark 0x00004000/0x00004000 -j RETURN
-A KUBE-POSTROUTING -j MARK --xor-mark 0x00004000
-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully
`

describe('the first load of iptables rules', () => {
  const patch = diffIptables(undefined, stateOf([service1(1)]))

  it.each([NFT, LEGACY])('is one command with one commit per table if there are few chains: %j', (options) => {
    expect(textOf(patch, options)).toBe(
      `*filter
${FILTER_CHAINS}${FILTER_RULES}${insertedJumps(FILTER_JUMPS)}COMMIT
*nat
:KUBE-MARK-MASQ - [0:0]
:${SEP1} - [0:0]
:${SVC1} - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-POSTROUTING - [0:0]
${MARK_MASQ_RULE}${SEP1_RULES}${SVC1_RULES}${SERVICES_RULES}${POSTROUTING_RULES}${insertedJumps(NAT_JUMPS)}COMMIT
`,
    )
  })

  it('is split into small commits for nft if there are many chains, with the jumps last', () => {
    const script = toIptablesCommands(patch.changes, { ...NFT, chainsPerCommit: 4 })
    expect(script.map(({ phase, command }) => [phase, command.purpose])).toEqual([
      ['provide', 'create chains that are not referenced yet'],
      ['switch', 'switch to the new chains'],
    ])
    const lines = FILTER_CHAINS.split('\n')
    expect(script[0]?.command.input).toBe(
      `*nat
:KUBE-MARK-MASQ - [0:0]
:${SEP1} - [0:0]
:${SVC1} - [0:0]
:KUBE-NODEPORTS - [0:0]
${MARK_MASQ_RULE}${SEP1_RULES}${SVC1_RULES}COMMIT
*nat
:KUBE-SERVICES - [0:0]
:KUBE-POSTROUTING - [0:0]
${SERVICES_RULES}${POSTROUTING_RULES}COMMIT
*filter
${lines.slice(0, 4).join('\n')}
${FILTER_RULES.split('\n').slice(0, 3).join('\n')}
COMMIT
*filter
${lines.slice(4).join('\n')}${FILTER_RULES.split('\n').slice(3).join('\n')}COMMIT
`,
    )
    expect(script[1]?.command.input).toBe(
      `*filter\n${insertedJumps(FILTER_JUMPS)}COMMIT\n*nat\n${insertedJumps(NAT_JUMPS)}COMMIT\n`,
    )
  })

  it('is one command for the legacy back end, whatever the number of chains', () => {
    expect(toIptablesCommands(patch.changes, { ...LEGACY, chainsPerCommit: 1 })).toHaveLength(1)
  })
})

describe('the complete removal of iptables rules', () => {
  const patch = diffIptables(stateOf([service1(1)]), undefined)
  const natChains = ['KUBE-POSTROUTING', 'KUBE-SERVICES', 'KUBE-NODEPORTS', SVC1, SEP1, 'KUBE-MARK-MASQ']
  const filterChains = FILTER_CHAINS.split('\n').slice(0, -1).reverse()
  const removed = filterChains.map((line) => `-X ${line.slice(1, -' - [0:0]'.length)}\n`).join('')

  it('deletes the jumps by their text, and then the chains', () => {
    expect(textOf(patch, LEGACY)).toBe(
      `*nat
${natChains.map((chain) => `:${chain} - [0:0]\n`).join('')}${deletedJumps(NAT_JUMPS)}${natChains
  .map((chain) => `-X ${chain}\n`)
  .join('')}COMMIT
*filter
${filterChains.join('\n')}
${deletedJumps(FILTER_JUMPS)}${removed}COMMIT
`,
    )
  })

  it('deletes the jumps in a separate first command if there are many chains', () => {
    const script = toIptablesCommands(patch.changes, { ...NFT, chainsPerCommit: 6 })
    expect(script.map(({ phase, command }) => [phase, command.purpose])).toEqual([
      ['switch', 'switch to the new chains'],
      ['withdraw', 'delete unreferenced chains'],
    ])
    expect(script[0]?.command.input).toBe(
      `*nat\n${deletedJumps(NAT_JUMPS)}COMMIT\n*filter\n${deletedJumps(FILTER_JUMPS)}COMMIT\n`,
    )
    expect(script[1]?.command.input).toMatch(/^\*nat\n(:\S+ - \[0:0\]\n){6}(-X \S+\n){6}COMMIT\n\*filter\n/)
  })
})

describe('a chain with many changes', () => {
  it('is rewritten if rewriting is shorter than editing', () => {
    const moved = { ...service4(4), clusterIP: '172.30.0.45' }
    const text = textOf(patchBetween([service4(1, 2, 3, 5)], [moved]))
    expect(text.split('\n').filter((line) => line.includes(SVC4))).toEqual([
      `:${SVC4} - [0:0]`,
      `-A ${SVC4} -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.45 --dport 80 ! -s 10.0.0.0/8 -j KUBE-MARK-MASQ`,
      `-A ${SVC4} -m comment --comment "ns4/svc4:p80 -> 10.180.0.4:80" -j ${SEP4}`,
      `-R KUBE-SERVICES 1 -m comment --comment "ns4/svc4:p80 cluster IP" -m tcp -p tcp -d 172.30.0.45 --dport 80 -j ${SVC4}`,
    ])
  })

  it('is edited if editing is shorter than rewriting', () => {
    const fewer = textOf(patchBetween([service4(1, 2, 3, 4)], [service4(4)]))
    expect(fewer.split('\n').filter((line) => line.includes(SVC4))).toEqual([
      `-D ${SVC4} 4`,
      `-D ${SVC4} 3`,
      `-D ${SVC4} 2`,
    ])
    const text = textOf(patchBetween([service4(4)], [service4(5)]))
    expect(text.split('\n').filter((line) => line.includes(SVC4))).toEqual([
      `-R ${SVC4} 2 -m comment --comment "ns4/svc4:p80 -> 10.180.0.5:80" -j ${SEP5}`,
    ])
  })

  // Each number of a rule needs two bytes, the line of the chain twelve.
  it.each([
    [5, 'R'],
    [6, 'R'],
    [7, 'A'],
  ])('with %i changed rules is changed by the command -%s', (count, command) => {
    const chainOf = (host: number): Resource => {
      const ruleOf = (port: number): Rule => ({
        chain: 'AB',
        matches: [
          { kind: 'destination', negated: false, address: `10.0.0.${host}/32` },
          { kind: 'destinationPort', negated: false, first: port, last: port },
        ],
      })
      return { id: 'nat/AB', refs: [], value: Array.from({ length: count }, (_, index) => ruleOf(index)) }
    }
    const [before, after] = [chainOf(1), chainOf(2)]
    const changes = [{ kind: 'update', id: 'nat/AB', before, after }] as const
    const commands = textOf({ changes })
      .split('\n')
      .filter((line) => line.startsWith('-'))
    expect(commands.map((line) => line.slice(1, 2))).toEqual(Array(count).fill(command))
  })
})

describe('toIptablesCommands', () => {
  it('returns no commands for an empty patch', () => {
    expect(toIptablesCommands(patchBetween([service1(1)], [service1(1)]).changes, NFT)).toEqual([])
  })

  it('uses ip6tables-restore for IPv6', () => {
    const { changes } = diffIptables(undefined, { ...stateOf([]), family: 'IPv6' })
    const [first] = toIptablesCommands(changes, { ...NFT, family: 'IPv6' })
    expect(first?.command.tool).toBe('ip6tables-restore')
  })

  it('adds rules of other tables before it changes nat, and deletes rules of other tables after that', () => {
    const from = (chain: string, source: string): Rule => ({
      chain,
      matches: [{ kind: 'source', address: source, negated: false }],
      target: { kind: 'accept' },
    })
    const jump = (chain: string, to: string): Rule => ({ chain, matches: [], target: { kind: 'jump', chain: to } })
    const resource = (id: string, value: unknown): Resource => ({ id, refs: [], value })
    const jumps = (chain: string, ...to: readonly string[]) =>
      resource(`filter/${chain}`, { jumps: to.map((each) => jump(chain, each)) })
    const [a, b, c] = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((source) => from('F', source))
    const around: Patch['changes'] = [
      { kind: 'create', resource: resource('filter/NEW', [from('NEW', '10.0.0.1')]) },
      { kind: 'update', id: 'filter/F', before: resource('filter/F', [a, b]), after: resource('filter/F', [b, c]) },
      { kind: 'create', resource: jumps('OUTPUT', 'NEW') },
      { kind: 'update', id: 'filter/FORWARD', before: jumps('FORWARD', 'X'), after: jumps('FORWARD', 'Y') },
      { kind: 'delete', resource: jumps('INPUT', 'OLD') },
      { kind: 'delete', resource: resource('filter/OLD', []) },
    ]
    const nat: Patch['changes'][number] = { kind: 'create', resource: resource('nat/N', []) }
    const [command, ...others] = toIptablesCommands([...around, nat], NFT)
    expect(others).toEqual([])
    expect(command?.command.input).toBe(`*filter
:NEW - [0:0]
-A NEW -s 10.0.0.1 -j ACCEPT
-I F 3 -s 10.0.0.3 -j ACCEPT
-I OUTPUT 1 -j NEW
-D FORWARD -j X
-I FORWARD 1 -j Y
COMMIT
*nat
:N - [0:0]
COMMIT
*filter
:OLD - [0:0]
-D F 1
-D INPUT -j OLD
-X OLD
COMMIT
`)
    const [alone] = toIptablesCommands(around, NFT)
    expect(alone?.command.input.match(/^\*.*/gm)).toEqual(['*filter'])
  })

  it.each<[string, Patch['changes'][number]]>([
    ['a table that does not exist', { kind: 'create', resource: { id: 'nut/A', refs: [], value: [] } }],
    ['a name of several words', { kind: 'delete', resource: { id: 'nat/A\n-F', refs: [], value: [] } }],
    ['a position that is not a number', edit('nat/A', '1\n-F' as unknown as number)],
    ['a position before the first rule', edit('nat/A', -1)],
    ['an edit of a built-in chain', edit('nat/OUTPUT', 0)],
  ])('rejects %s', (_, change) => {
    expect(() => toIptablesCommands([change], NFT)).toThrow('bug')
  })
})

function edit(id: string, at: number): Patch['changes'][number] {
  return { kind: 'edit', id, refsRemoved: [], refsAdded: [], splices: [{ at, removed: [1], inserted: [] }] }
}
