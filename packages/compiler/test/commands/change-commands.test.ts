import { describe, expect, it } from 'vitest'
import { type ChangeCommandOptions, toChangeCommands } from '../../src/commands/change-commands.js'
import type { ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'
import { diffStates } from '../../src/diff/diff.js'
import type { ServicePort } from '../../src/model/services/service-port.js'
import { type Change, invertChanges, type Patch } from '../../src/patch/patch.js'
import { cidr } from '../support/decisions.js'
import { stateOf } from '../support/iptables-states.js'
import { stateAfter } from '../support/ipvs-state-pairs.js'
import { type IpvsConfiguration, ipvsSettings } from '../support/ipvs-states.js'
import { endpoint, servicePort } from '../support/model-builder.js'

const NFT: ChangeCommandOptions = { family: 'IPv4', backend: 'nft' }

/** Builds `172.30.0.41:80` with the endpoints `10.180.0.N:80`. */
function service1(hosts: readonly number[], fields: Parameters<typeof servicePort>[0] = {}): ServicePort {
  return servicePort({ endpoints: hosts.map((host) => endpoint({ ip: `10.180.0.${host}` })), ...fields })
}

const service4 = servicePort({ namespace: 'ns4', name: 'svc4', clusterIP: '172.30.0.44', endpoints: [endpoint()] })

function patchBetween(
  before: readonly ServicePort[],
  after: readonly ServicePort[],
  [first, second]: readonly [IpvsConfiguration, IpvsConfiguration] = [{}, {}],
): Patch {
  const state = stateAfter(undefined, before, first)
  return diffStates(state, stateAfter(state, after, second))
}

/** Formats each command, followed by its indented input. */
function scriptOf(patch: Patch, options: ChangeCommandOptions = NFT): readonly string[] {
  return toChangeCommands(patch.changes, options).flatMap(({ tool, args, input }: ToolCommand) => [
    [tool, ...args].join(' '),
    ...input
      .split('\n')
      .slice(0, -1)
      .map((line) => `  ${line}`),
  ])
}

describe('toChangeCommands for a replaced endpoint', () => {
  const patch = patchBetween([service1([1, 4, 9])], [service1([1, 5, 9])])

  it('deletes the old real server and adds the new one in one ipvsadm command', () => {
    expect(scriptOf(patch)).toEqual([
      'ipvsadm -R',
      '  -a -t 172.30.0.41:80 -r 10.180.0.5:80 -m -w 1',
      '  -d -t 172.30.0.41:80 -r 10.180.0.4:80',
    ])
  })

  it('keeps the old real server with weight 0 if kube-proxy waits for its connections to end', () => {
    expect(scriptOf(patch, { ...NFT, terminating: ['172.30.0.41:80/TCP/10.180.0.4:80'] })).toEqual([
      'ipvsadm -R',
      '  -a -t 172.30.0.41:80 -r 10.180.0.5:80 -m -w 1',
      '  -e -t 172.30.0.41:80 -r 10.180.0.4:80 -m -w 0',
    ])
  })

  it('deletes and re-adds a real server that returns while kube-proxy waits', () => {
    expect(scriptOf(invertChanges(patch), { ...NFT, waiting: ['172.30.0.41:80/TCP/10.180.0.4:80'] })).toEqual([
      'ipvsadm -R',
      '  -d -t 172.30.0.41:80 -r 10.180.0.4:80',
      '  -a -t 172.30.0.41:80 -r 10.180.0.4:80 -m -w 1',
      '  -d -t 172.30.0.41:80 -r 10.180.0.5:80',
    ])
  })

  it('deletes the real server even if excludeCIDRs contains the address of the virtual server', () => {
    expect(scriptOf(patch, { ...NFT, excludeCidrs: [cidr('172.30.0.41/32')] })).toEqual(scriptOf(patch))
  })

  it('deletes the hairpin set entry of an endpoint on this node', () => {
    const local = (host: number) =>
      service1([], { endpoints: [1, host].map((last) => endpoint({ ip: `10.180.0.${last}`, local: true })) })
    expect(scriptOf(patchBetween([local(2)], [local(3)]))).toEqual([
      'ipset restore -exist',
      '  add KUBE-LOOP-BACK 10.180.0.3,tcp:80,10.180.0.3',
      'ipvsadm -R',
      '  -a -t 172.30.0.41:80 -r 10.180.0.3:80 -m -w 1',
      '  -d -t 172.30.0.41:80 -r 10.180.0.2:80',
      'ipset restore -exist',
      '  del KUBE-LOOP-BACK 10.180.0.2,tcp:80,10.180.0.2',
    ])
  })
})

describe('toChangeCommands for an added or removed Service', () => {
  const patch = patchBetween([service1([1])], [service1([1]), service4])

  it('adds set entries, then virtual and real servers, then the address', () => {
    expect(scriptOf(patch)).toEqual([
      'ipset restore -exist',
      '  add KUBE-CLUSTER-IP 172.30.0.44,tcp:80',
      '  add KUBE-IPVS-IPS 172.30.0.44',
      'ipvsadm -R',
      '  -A -t 172.30.0.44:80 -s rr',
      '  -a -t 172.30.0.44:80 -r 10.180.0.1:80 -m -w 1',
      'ip -batch -',
      '  address add 172.30.0.44/32 dev kube-ipvs0',
    ])
  })

  it('removes the same resources in reverse order, and a virtual server with one command', () => {
    expect(scriptOf(invertChanges(patch))).toEqual([
      'ip -batch -',
      '  address del 172.30.0.44/32 dev kube-ipvs0',
      'ipvsadm -R',
      '  -D -t 172.30.0.44:80',
      'ipset restore -exist',
      '  del KUBE-IPVS-IPS 172.30.0.44',
      '  del KUBE-CLUSTER-IP 172.30.0.44,tcp:80',
    ])
  })

  it('keeps the virtual server of a removed Service if excludeCIDRs contains its address', () => {
    const script = scriptOf(invertChanges(patch), { ...NFT, excludeCidrs: [cidr('172.30.0.44/30')] })
    expect(script.filter((line) => line.startsWith('ipvsadm'))).toEqual([])
    expect(scriptOf(patch, { ...NFT, excludeCidrs: [cidr('172.30.0.44/30')] })).toEqual(scriptOf(patch))
    const other = scriptOf(invertChanges(patch), { ...NFT, excludeCidrs: [cidr('10.0.0.0/8')] })
    expect(other).toContain('  -D -t 172.30.0.44:80')
  })
})

describe('toChangeCommands for two service ports in ipvs mode', () => {
  const http = service1([1], { portName: 'http' })
  const metrics = service1([1], { portName: 'metrics', port: 9090 })

  it('adds a shared address with the first service port and removes it with the last', () => {
    expect(scriptOf(patchBetween([http], [http, metrics]))).toEqual([
      'ipset restore -exist',
      '  add KUBE-CLUSTER-IP 172.30.0.41,tcp:9090',
      'ipvsadm -R',
      '  -A -t 172.30.0.41:9090 -s rr',
      '  -a -t 172.30.0.41:9090 -r 10.180.0.1:80 -m -w 1',
    ])
    expect(scriptOf(patchBetween([http, metrics], [metrics]))).toEqual([
      'ipvsadm -R',
      '  -D -t 172.30.0.41:80',
      'ipset restore -exist',
      '  del KUBE-CLUSTER-IP 172.30.0.41,tcp:80',
    ])
  })

  it('keeps the virtual server of a shared external IP when one of the service ports is removed', () => {
    const first = service1([1], { externalIPs: ['192.0.2.1'] })
    const second = service1([2], { name: 'svc2', clusterIP: '172.30.0.42', externalIPs: ['192.0.2.1'] })
    const taken = scriptOf(patchBetween([first, second], [second]))
    expect(taken.filter((line) => line.includes('192.0.2.1'))).toEqual([
      '  -a -t 192.0.2.1:80 -r 10.180.0.2:80 -m -w 1',
      '  -d -t 192.0.2.1:80 -r 10.180.0.1:80',
    ])
    expect(scriptOf(patchBetween([first, second], [first])).filter((line) => line.includes('192.0.2.1'))).toEqual([])
  })

  it('uses the endpoints of the external IP if a node port has the same address', () => {
    const nodePort = service1([1], { nodePort: 3001 })
    const external = service1([2], { name: 'svc2', clusterIP: '172.30.0.42', port: 3001, externalIPs: ['192.168.0.2'] })
    const script = scriptOf(patchBetween([nodePort], [nodePort, external]))
    expect(script.filter((line) => line.includes('192.168.0.2:3001'))).toEqual([
      '  -a -t 192.168.0.2:3001 -r 10.180.0.2:80 -m -w 1',
      '  -d -t 192.168.0.2:3001 -r 10.180.0.1:80',
    ])
  })
})

describe('toChangeCommands for an IP set', () => {
  const plain = service1([1])
  const external = service1([1], { externalIPs: ['192.168.0.2'] })
  const patch = patchBetween([plain], [external])
  const matches =
    '-m comment --comment "Kubernetes service external ip + port for masquerade and filter purpose" -m set --match-set KUBE-EXTERNAL-IP dst,dst'

  it('adds the first entry before the rules that match the set', () => {
    expect(scriptOf(patch)).toEqual([
      'ipset restore -exist',
      '  add KUBE-EXTERNAL-IP 192.168.0.2,tcp:80',
      'ipvsadm -R',
      '  -A -t 192.168.0.2:80 -s rr',
      '  -a -t 192.168.0.2:80 -r 10.180.0.1:80 -m -w 1',
      'iptables-restore -w 5 --noflush',
      '  *nat',
      `  -I KUBE-SERVICES 3 ${matches} -j KUBE-MARK-MASQ`,
      `  -I KUBE-SERVICES 4 ${matches} -m physdev ! --physdev-is-in -m addrtype ! --src-type LOCAL -j ACCEPT`,
      `  -I KUBE-SERVICES 5 ${matches} -m addrtype --dst-type LOCAL -j ACCEPT`,
      '  COMMIT',
    ])
  })

  it('empties the set after the rules that match the set have been deleted', () => {
    expect(scriptOf(invertChanges(patch))).toEqual([
      'iptables-restore -w 5 --noflush',
      '  *nat',
      '  -D KUBE-SERVICES 5',
      '  -D KUBE-SERVICES 4',
      '  -D KUBE-SERVICES 3',
      '  COMMIT',
      'ipvsadm -R',
      '  -D -t 192.168.0.2:80',
      'ipset restore -exist',
      '  del KUBE-EXTERNAL-IP 192.168.0.2,tcp:80',
    ])
  })

  it('adds the allowed source ranges before other sources are dropped', () => {
    const open = service1([1], { loadBalancerIPs: ['198.51.100.1'] })
    const guarded = service1([1], { loadBalancerIPs: ['198.51.100.1'], sourceRanges: [cidr('203.0.113.0/24')] })
    expect(scriptOf(patchBetween([open], [guarded])).slice(0, 3)).toEqual([
      'ipset restore -exist',
      '  add KUBE-LOAD-BALANCER-SOURCE-CIDR 198.51.100.1,tcp:80,203.0.113.0/24',
      '  add KUBE-LOAD-BALANCER-FW 198.51.100.1,tcp:80',
    ])
  })

  it('omits a source range that is the zero CIDR, which the kernel rejects', () => {
    const guarded = service1([1], { loadBalancerIPs: ['198.51.100.1'], sourceRanges: [cidr('0.0.0.0/0')] })
    expect(scriptOf(patchBetween([], [guarded])).join('\n')).not.toContain('/0')
  })
})

describe('toChangeCommands for updated virtual servers', () => {
  it('changes the scheduler of each virtual server and keeps its real servers', () => {
    const patch = patchBetween(
      [service1([1, 2])],
      [service1([1, 2])],
      [{}, { settings: { ipvs: ipvsSettings({ scheduler: 'mh' }) } }],
    )
    expect(scriptOf(patch)).toEqual(['ipvsadm -R', '  -E -t 172.30.0.41:80 -s mh -b mh-port'])
    expect(scriptOf(invertChanges(patch))).toEqual(['ipvsadm -R', '  -E -t 172.30.0.41:80 -s rr'])
  })

  it('makes virtual servers persistent if their Service has session affinity', () => {
    const patch = patchBetween([service1([1])], [service1([1], { affinitySeconds: 10_800 })])
    expect(scriptOf(patch)).toEqual(['ipvsadm -R', '  -E -t 172.30.0.41:80 -s rr -p 10800'])
  })
})

describe('toChangeCommands for a first load in ipvs mode', () => {
  const patch = diffStates(undefined, stateAfter(undefined, [service1([1])]))

  it('creates sets and entries, then servers, then the device and addresses, and then the rules', () => {
    expect(
      toChangeCommands(patch.changes, NFT).map(({ tool, purpose, skipIf }) => [tool, purpose, skipIf?.join(' ')]),
    ).toEqual([
      ['ipset', 'add sets and entries', undefined],
      ['ipvsadm', 'add and change servers', undefined],
      ['ip', 'create the dummy device kube-ipvs0', 'link show dev kube-ipvs0'],
      ['ip', 'bind addresses', undefined],
      ['iptables-restore', 'change rules', undefined],
    ])
    expect(scriptOf(patch).slice(17, 26)).toEqual([
      '  create KUBE-IPVS-IPS hash:ip family inet hashsize 1024 maxelem 65536',
      '  add KUBE-CLUSTER-IP 172.30.0.41,tcp:80',
      '  add KUBE-IPVS-IPS 172.30.0.41',
      'ipvsadm -R',
      '  -A -t 172.30.0.41:80 -s rr',
      '  -a -t 172.30.0.41:80 -r 10.180.0.1:80 -m -w 1',
      'ip link add kube-ipvs0 type dummy',
      'ip -batch -',
      '  address add 172.30.0.41/32 dev kube-ipvs0',
    ])
  })

  it('replaces all set entries, virtual servers and addresses if the node state is unknown', () => {
    const unknown = 'unknown' as const
    const start = { ipset: unknown, ipvs: unknown, addresses: unknown, iptables: unknown }
    const script = scriptOf(patch, { ...NFT, start })
    const from = (line: string) => script.slice(script.indexOf(line))
    expect(from('  create KUBE-CLUSTER-IP hash:ip,port family inet hashsize 1024 maxelem 65536').slice(1, 6)).toEqual([
      '  destroy kube-rules-swap',
      '  create kube-rules-swap hash:ip,port family inet hashsize 1024 maxelem 65536',
      '  add kube-rules-swap 172.30.0.41,tcp:80',
      '  swap kube-rules-swap KUBE-CLUSTER-IP',
      '  destroy kube-rules-swap',
    ])
    expect(from('ipvsadm -R').slice(1, 4)).toEqual([
      '  -C',
      '  -A -t 172.30.0.41:80 -s rr',
      '  -a -t 172.30.0.41:80 -r 10.180.0.1:80 -m -w 1',
    ])
    expect(script.filter((line) => / dev kube-ipvs0| name kube-ipvs0/.test(line))).toEqual([
      '  address add 172.30.0.41/32 dev kube-ipvs0-new',
      '  link set kube-ipvs0-new name kube-ipvs0',
    ])
  })

  it('prints IPv6 addresses and sets in IPv6 notation', () => {
    const state = stateAfter(
      undefined,
      [servicePort({ clusterIP: 'fd00::41', endpoints: [endpoint({ ip: 'fd01::1' })] })],
      { family: 'IPv6' },
    )
    const script = scriptOf(diffStates(undefined, state), { ...NFT, family: 'IPv6' })
    expect(script).toEqual(
      expect.arrayContaining([
        '  add KUBE-6-CLUSTER-IP fd00::41,tcp:80',
        '  -a -t [fd00::41]:80 -r [fd01::1]:80 -m -w 1',
        '  address add fd00::41/128 dev kube-ipvs0',
        'ip6tables-restore -w 5 --noflush',
      ]),
    )
  })
})

it('a complete removal of ipvs mode keeps the dummy device, which the other IP family may use', () => {
  const script = scriptOf(diffStates(stateAfter(undefined, [service1([1])]), undefined))
  expect(script[0]).toBe('iptables-restore -w 5 --noflush')
  const rest = script.slice(script.indexOf('ip -batch -'))
  expect(rest.slice(0, 6)).toEqual([
    'ip -batch -',
    '  address del 172.30.0.41/32 dev kube-ipvs0',
    'ipvsadm -R',
    '  -D -t 172.30.0.41:80',
    'ipset restore -exist',
    '  destroy KUBE-IPVS-IPS',
  ])
  expect(rest).toHaveLength(5 + 17)
})

describe('toChangeCommands', () => {
  const iptables = { family: 'IPv4', iptables: stateOf([service1([1])]) } as const
  const ipvs = stateAfter(undefined, [service1([1])])
  const toolsOf = (patch: Patch) =>
    toChangeCommands(patch.changes, NFT).map(({ tool, purpose }) => [tool, purpose].join(': '))

  it('from iptables to ipvs, creates sets, servers and addresses before the rules that use them', () => {
    expect(toolsOf(diffStates(iptables, ipvs))).toEqual([
      'ipset: add sets and entries',
      'ipvsadm: add and change servers',
      'ip: create the dummy device kube-ipvs0',
      'ip: bind addresses',
      'iptables-restore: change rules',
    ])
  })

  it('from ipvs to iptables, removes sets, servers and addresses after the rules that used them', () => {
    expect(toolsOf(diffStates(ipvs, iptables))).toEqual([
      'iptables-restore: change rules',
      'ip: unbind addresses',
      'ipvsadm: remove servers',
      'ipset: remove entries and sets',
    ])
  })
})

describe('toChangeCommands for several changes', () => {
  const chain = (id: string): Change => ({ kind: 'create', resource: { id, refs: [], value: [] } })
  const set = (name: string): Change => {
    const value = { type: 'bitmap:port', name, firstPort: 0, lastPort: 65535 }
    return { kind: 'create', resource: { id: `ipset ${name}`, refs: [], value } }
  }
  const gone = (change: Change): Change => ({ ...change, kind: 'delete' }) as Change
  const runsOf = (changes: readonly Change[]) =>
    toChangeCommands(changes, NFT).map(({ tool, purpose }) => [tool, purpose].join(': '))

  it('creates chains in a separate command if one command cannot contain all rule changes', () => {
    const many = Array.from({ length: 2500 }, (_, place) => chain(`nat/C${place}`))
    expect(runsOf([set('NEW'), ...many, gone(chain('nat/D')), gone(set('OLD'))])).toEqual([
      'ipset: add sets and entries',
      'iptables-restore: create chains that are not referenced yet',
      'iptables-restore: delete unreferenced chains',
      'ipset: remove entries and sets',
    ])
    expect(runsOf([set('NEW'), ...many.slice(1), gone(chain('nat/D')), gone(set('OLD'))])).toEqual([
      'ipset: add sets and entries',
      'iptables-restore: change rules',
      'ipset: remove entries and sets',
    ])
  })

  it('adds and removes set entries with one command if no other tool has to run in between', () => {
    expect(runsOf([set('NEW'), gone(set('OLD'))])).toEqual(['ipset: add sets and entries, remove entries and sets'])
    const health = (healthCheckNodePort: number) => service1([1], { healthCheckNodePort })
    expect(scriptOf(patchBetween([health(30_000)], [health(30_001)]))).toEqual([
      'ipset restore -exist',
      '  add KUBE-HEALTH-CHECK-NODE-PORT 30001',
      '  del KUBE-HEALTH-CHECK-NODE-PORT 30000',
    ])
  })

  it('adds and removes addresses with two commands if another tool may have to run in between', () => {
    const bound = (address: string) => ({ family: 'IPv4', addresses: { addresses: [address] } }) as const
    expect(scriptOf(diffStates(bound('10.0.0.1'), bound('10.0.0.2')))).toEqual([
      'ip -batch -',
      '  address add 10.0.0.2/32 dev kube-ipvs0',
      'ip -batch -',
      '  address del 10.0.0.1/32 dev kube-ipvs0',
    ])
  })
})

it.each(['nut/A', '', 'sysctl net.ipv4.ip_forward'])(
  'toChangeCommands throws an internal error for the resource %j, which belongs to no subsystem',
  (id) => {
    const change: Change = { kind: 'create', resource: { id, refs: [], value: [] } }
    expect(() => toChangeCommands([change], NFT)).toThrow('This is a bug in kube-rules')
  },
)

it('toChangeCommands returns no commands for an empty patch', () => {
  expect(scriptOf(patchBetween([service4], [service4]))).toEqual([])
})
