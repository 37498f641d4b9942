import { IP_FAMILIES } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toCommands } from '../../src/commands/to-commands.js'
import { compile } from '../../src/compilation/compile.js'
import type { ToolCommand } from '../../src/dataplane/netfilter/tool-command.js'
import { diff, type ResultPatch } from '../../src/diff/diff.js'
import { reconcile } from '../../src/reconcile/reconcile.js'
import { PROXY_MODES, type ProxyMode } from '../../src/targets/modes.js'
import { type Case, cases } from '../support/clusters.js'
import { afterRuns, type Machine } from '../support/machine.js'
import { machineAfter, machineOf, textsOfMachine } from '../support/machine-of.js'
import { at, DUAL_STACK, service, slice } from '../support/objects.js'
import { runs } from '../support/runs.js'
import { dns, UDP, UDP_PORTS, web } from '../support/web-results.js'

function toolsOf(commands: readonly ToolCommand[]): readonly string[] {
  return commands.map(({ tool }) => tool)
}

describe('toCommands', () => {
  it('returns no commands if nothing changes', () => {
    expect(toCommands({ families: [] })).toEqual([])
  })

  it('removes the rules of a family that is no longer requested', () => {
    const [both, one] = [web(['10.244.1.1'], {}), web(['10.244.1.1'])]
    const commands = toCommands(diff(both, one))
    expect(toolsOf(commands)).toEqual(['ip6tables-restore'])
    expect(afterRuns(machineOf(both), commands)).toEqual(machineOf(one))
  })

  it('creates the counters of new chains before the rules', () => {
    const input = { services: [service()], host: { nfacctCounters: true } }
    const counted = compile(input, { nodeName: 'node-1', kubernetesVersion: '1.32', families: ['IPv4'] })
    const counters = ['ct_state_invalid_dropped_pkts']
    const [first, second, ...others] = toCommands(diff(undefined, counted))
    expect([first]).toEqual(
      counters.map((name) => ({
        ...{ tool: 'nfacct', args: ['add', name], input: '', purpose: `create counter ${name}`, skipIf: ['get', name] },
      })),
    )
    expect([second?.tool, ...toolsOf(others)]).toEqual(['iptables-restore'])
    expect(toolsOf(toCommands(diff(counted, undefined)))).toEqual(['iptables-restore'])
  })

  it('deletes stale connections after the rules have changed', () => {
    const commands = toCommands(diff(dns(['10.244.1.1']), dns(['10.244.1.2'])))
    expect(toolsOf(commands)).toEqual(['iptables-restore', 'conntrack'])
    expect(commands[1]).toEqual({
      tool: 'conntrack',
      args: ['-D', '--orig-dst', '10.96.0.1', '--dst-nat', '10.244.1.1', '-p', 'udp'],
      input: '',
      purpose: 'delete stale connections',
      allowFailure: true,
    })
  })

  it('deletes no connections if the caller compares connections with the conntrack table', () => {
    const patch = diff(dns(['10.244.1.1']), dns(['10.244.1.2']))
    expect(toolsOf(toCommands(patch, { keepsConnections: true }))).toEqual(['iptables-restore'])
  })

  it('deletes all stale connections with one command if conntrack reads commands', () => {
    const patch = diff(dns(['10.244.1.1', '10.244.1.2']), dns(['10.244.1.3']))
    const deletions = toCommands(patch).filter(({ tool }) => tool === 'conntrack')
    expect(deletions).toHaveLength(2)
    expect(toCommands(patch, { canBatchConntrack: true }).filter(({ tool }) => tool === 'sh')).toEqual([
      {
        ...deletions[0],
        tool: 'sh',
        args: ['-c', 'cat | conntrack --load-file -'],
        input: deletions.map(({ args }) => `${args.join(' ')}\n`).join(''),
      },
    ])
  })

  it('deletes stale connections even if no rule changes', () => {
    const families = [{ ...diff(dns([]), dns(['10.244.1.1'])).families[0], patch: { from: '', to: '', changes: [] } }]
    expect(toolsOf(toCommands({ families } as ResultPatch))).toEqual(['conntrack'])
  })

  it('returns one command for a small update, and one for a complete removal', () => {
    expect(toCommands(diff(web(['10.244.1.1']), web(['10.244.1.2']))).map(({ purpose }) => purpose)).toEqual([
      'change rules',
    ])
    const [removal, ...others] = toCommands(diff(web(['10.244.1.1']), undefined))
    expect(others).toEqual([])
    expect(removal).toMatchObject({ tool: 'iptables-restore', args: ['-w', '5', '--noflush'] })
    expect(removal?.input).toMatch(/^\*nat\n.*COMMIT\n\*filter\n.*-X KUBE-SERVICES\n.*COMMIT\n$/s)
  })

  it('returns one command for a first load of an empty node, including the jumps', () => {
    const [command, ...others] = toCommands(diff(undefined, web(['10.244.1.1'])))
    expect(others).toEqual([])
    expect(command?.input).toContain(
      '\n-I OUTPUT 1 -m comment --comment "kubernetes service portals" -j KUBE-SERVICES\n',
    )
  })

  it('returns an additional command for each jump if the state of the node is unknown', () => {
    const [load, ...others] = toCommands(reconcile(undefined, web(['10.244.1.1'])))
    const jumps = others.filter(({ skipIf }) => skipIf !== undefined)
    const removedJumps = others.filter(({ args }) => args.includes('-D'))
    // One is the jump from INPUT to KUBE-SERVICES, which kube-proxy had until 1.23.
    expect(removedJumps).toHaveLength(11)
    expect(removedJumps.every(({ allowFailure }) => allowFailure)).toBe(true)
    const withdrawn = others.slice(jumps.length + removedJumps.length)
    expect(withdrawn.map(({ tool, allowFailure = false }) => `${tool} ${allowFailure}`).sort()).toEqual([
      'ip true',
      'iptables-restore true',
      'iptables-restore true',
      'nft false',
    ])
    expect(load?.input).not.toMatch(/^-I /m)
    expect(toolsOf(jumps)).toEqual(Array.from({ length: 14 }, () => 'iptables'))
    const rule = ['-m', 'conntrack', '--ctstate', 'NEW', '-m', 'comment', '--comment']
    const last = ['kubernetes externally-visible service portals', '-j', 'KUBE-EXTERNAL-SERVICES']
    expect(jumps.filter(({ purpose }) => purpose === 'jump from INPUT')[0]).toEqual({
      tool: 'iptables',
      args: ['-w', '5', '-t', 'filter', '-I', 'INPUT', ...rule, ...last],
      input: '',
      purpose: 'jump from INPUT',
      skipIf: ['-w', '5', '-t', 'filter', '-C', 'INPUT', ...rule, ...last],
    })
    expect(jumps.every(({ skipIf, allowFailure }) => skipIf !== undefined && allowFailure === undefined)).toBe(true)
  })

  it('changes the IPv4 rules, then the IPv6 rules, and then deletes stale connections', () => {
    const input = {
      services: [service({ ...DUAL_STACK, ...UDP })],
      endpointSlices: [slice(at('10.244.1.1'), UDP_PORTS)],
    }
    expect(toolsOf(toCommands(diff(undefined, compile(input))))).toEqual([
      'iptables-restore',
      'ip6tables-restore',
      'conntrack',
    ])
  })
})

describe('toCommands for both families in ipvs mode', () => {
  const dualStack = (more: object = {}) =>
    compile({ services: [service(DUAL_STACK)], configuration: { ipvs: more } }, { mode: 'ipvs' })
  const inputsOf = (patch: ResultPatch) =>
    toCommands(patch).flatMap(({ tool, args, input }) =>
      tool === 'ipvsadm' || tool === 'ip' ? [input === '' ? args.join(' ') : input] : [],
    )

  it('replaces the servers and addresses of both families in one step if the node state is unknown', () => {
    expect(inputsOf(reconcile(undefined, dualStack()))).toEqual([
      '-C\n-A -t 10.96.0.1:80 -s rr\n-A -t [fd00:96::1]:80 -s rr\n',
      'link add kube-ipvs0 type dummy',
      'link delete kube-ipvs0-new',
      'link add kube-ipvs0-new type dummy',
      'address add 10.96.0.1/32 dev kube-ipvs0-new\naddress add fd00:96::1/128 dev kube-ipvs0-new\n',
      'link delete kube-ipvs0\nlink set kube-ipvs0-new name kube-ipvs0\n',
    ])
  })

  it('deletes servers individually if a family has excluded networks', () => {
    const [servers] = inputsOf(reconcile(undefined, dualStack({ excludeCIDRs: ['fd00:1::/64'] })))
    expect(servers?.split('\n')).toEqual([
      '-D -t 10.96.0.1:80',
      '-A -t 10.96.0.1:80 -s rr',
      '-D -t [fd00:96::1]:80',
      '-A -t [fd00:96::1]:80 -s rr',
      '',
    ])
  })
})

describe('toCommands for a change of mode', () => {
  const results = PROXY_MODES.map((mode) => ({ mode, result: dns(['10.244.1.1'], { mode }) }))
  const [iptables, ipvs] = results.map(({ result }) => result)
  const SWITCHES = results.flatMap((from) =>
    results.flatMap((to) => (from === to ? [] : [[from.mode, to.mode, from.result, to.result] as const])),
  )

  it.each(SWITCHES)(
    'leaves only the tables of the new mode after a change from %s to %s',
    (_from, _to, before, after) => {
      const machine = afterRuns(machineOf(before), toCommands(diff(before, after)))
      expect(textsOfMachine(machine)).toEqual(textsOfMachine(machineOf(after)))
    },
  )

  it('adds ipvs servers before the rules that use them, and removes the servers after these rules', () => {
    const own = (commands: readonly ToolCommand[]) => toolsOf(commands).filter((tool) => tool !== 'conntrack')
    const families = (patch: ResultPatch) => ({ families: patch.families.slice(0, 1) })
    const there = own(toCommands(families(diff(iptables, ipvs))))
    const back = own(toCommands(families(diff(ipvs, iptables))))
    expect(there.at(-1)).toBe('iptables-restore')
    expect(new Set(there)).toEqual(new Set(['ipset', 'ipvsadm', 'ip', 'iptables-restore']))
    expect(back[0]).toBe('iptables-restore')
    expect(new Set(back)).toEqual(new Set(['ipset', 'ipvsadm', 'ip', 'iptables-restore']))
  })

  it('leaves the rules of the old or the new mode in place after each command', () => {
    const jump = '-m comment --comment "kubernetes service portals" -j KUBE-SERVICES'
    let machine = machineOf(iptables)
    for (const command of toCommands(diff(iptables, ipvs))) {
      machine = afterRuns(machine, [command])
      const nat = machine.IPv4.get('nat')
      expect(nat?.get('PREROUTING')?.map(({ spec }) => spec)).toEqual([jump])
      expect(nat?.get('KUBE-SERVICES')?.length).toBeGreaterThan(0)
    }
  })

  it('adds and removes families if the new mode has other families', () => {
    const [four, six] = [dns(['10.244.1.1']), dns(['10.244.1.1'], { mode: 'ipvs', families: ['IPv6'] })]
    expect(textsOfMachine(afterRuns(machineOf(four), toCommands(diff(four, six))))).toEqual(
      textsOfMachine(machineOf(six)),
    )
  })
})

describe('toCommands for two arbitrary results', () => {
  const results = cases.map(({ cluster, options }: Case) => compile(cluster, options))
  const states = fc.option(results, { nil: undefined, freq: 8 })

  it('returns the same commands after a JSON round trip of the patch', () => {
    fc.assert(
      fc.property(states, states, (before, after) => {
        const patch = diff(before, after)
        expect(toCommands(JSON.parse(JSON.stringify(patch)) as ResultPatch)).toEqual(toCommands(patch))
      }),
      { numRuns: runs(15) },
    )
  })

  it('transforms the tables of a node into the tables after a full load of the second result', () => {
    fc.assert(
      fc.property(states, states, fc.constantFrom('nft' as const, 'legacy' as const), (before, after, backend) => {
        const patch = diff(before, after)
        const start = machineOf(before)
        const machine = afterRuns(start, toCommands(patch, { backend }))
        const expected = machineAfter({ machine: start, previous: before, next: after, patch })
        expect(textsOfMachine(machine)).toEqual(textsOfMachine(expected))
      }),
      { numRuns: runs(25) },
    )
  })

  it('loads the second result completely if the state of the node is unknown', () => {
    fc.assert(
      fc.property(results, results, (before, after) => {
        const start = machineOf(before)
        const machine = afterRuns(start, toCommands(reconcile(undefined, after)))
        const lost = IP_FAMILIES.filter((family) => after.families.every((each) => each.family !== family))
        const unchanged = Object.fromEntries(lost.map((family) => [family, start[family]]))
        expect(withSetsOfJumps(machine)).toMatchObject(withSetsOfJumps({ ...machineOf(after), ...unchanged }))
      }),
      { numRuns: runs(15) },
    )
  })
})

describe('toCommands for a node in an unknown state', () => {
  it('leaves an existing jump where it is, and inserts the missing jumps before it', () => {
    const ofMode = (mode: ProxyMode) =>
      compile({ services: [] }, { mode, kubernetesVersion: '1.22', families: ['IPv4'], nodeName: 'node-1' })
    const forwardChain = ({ IPv4 }: Machine) =>
      IPv4.get('filter')
        ?.get('FORWARD')
        ?.map(({ spec }) => spec.slice(spec.indexOf('-j ')))
    const node = machineOf(ofMode('ipvs'))
    const [next, load] = [machineOf(ofMode('iptables')), toCommands(reconcile(undefined, ofMode('iptables')))]
    expect(forwardChain(node)).toEqual(['-j KUBE-FORWARD'])
    expect(forwardChain(next)).toEqual(['-j KUBE-FORWARD', '-j KUBE-SERVICES', '-j KUBE-EXTERNAL-SERVICES'])
    expect(forwardChain(afterRuns(node, load))).toEqual([
      '-j KUBE-SERVICES',
      '-j KUBE-EXTERNAL-SERVICES',
      '-j KUBE-FORWARD',
    ])
  })
})

/**
 * Returns the texts of a machine for a comparison after a load without a dump. The rules of built-in chains are
 * unordered: like kube-proxy at its start (`EnsureRule`), the commands leave an existing jump where it is, and insert a
 * missing jump before the others. The jumps of the kubelet to KUBE-FIREWALL are omitted, because they stay.
 */
function withSetsOfJumps(machine: Machine): object {
  return JSON.parse(JSON.stringify(textsOfMachine(machine)), (chain, value) => {
    if (!Array.isArray(value)) return value
    const own = value.filter((line) => line !== '-j KUBE-FIREWALL')
    return BUILT_IN_CHAINS.includes(chain) ? own.sort() : own
  })
}

const BUILT_IN_CHAINS: readonly string[] = ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING']
