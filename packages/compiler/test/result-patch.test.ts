import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CompileOptions, type CompileResult, compile } from '../src/compile.js'
import type { Stage } from '../src/dataplane/netfilter/stage.js'
import { apply, invert } from '../src/diff/patch.js'
import type { Resources } from '../src/diff/resource.js'
import { diff, isEmpty, plan, type ResultPatch } from '../src/result-patch.js'
import { type Case, cases } from './support/clusters.js'
import { loaded, textsOf } from './support/iptables-states.js'
import { EMPTY_MACHINE, type Machine, runStages } from './support/machine.js'
import { at, DUAL_STACK, service, slice } from './support/objects.js'
import { iptablesStates } from './support/renderings.js'

const UDP = { ports: [{ name: 'http', protocol: 'UDP', port: 53 }] } as const
const UDP_PORTS = { ports: [{ name: 'http', protocol: 'UDP', port: 5353 }] } as const
const IPV4: CompileOptions = { families: ['IPv4'] }

function web(addresses: readonly string[], options: CompileOptions = IPV4): CompileResult {
  return compile({ services: [service()], endpointSlices: [slice(at(...addresses))] }, options)
}

function dns(addresses: readonly string[]): CompileResult {
  return compile({ services: [service(UDP)], endpointSlices: [slice(at(...addresses), UDP_PORTS)] }, IPV4)
}

/** The resources of each family, as a first load makes them. */
function resourcesOf(result: CompileResult | undefined): ReadonlyMap<string, Resources> {
  return new Map(diff(undefined, result).families.map(({ family, patch }) => [family, apply(new Map(), patch)]))
}

function applied(
  from: CompileResult | undefined,
  { families }: ResultPatch,
  inverse = false,
): ReadonlyMap<string, Resources> {
  const state = new Map(resourcesOf(from))
  for (const { family, patch } of families) {
    const after = apply(state.get(family) ?? new Map(), inverse ? invert(patch) : patch)
    if (after.size === 0) state.delete(family)
    else state.set(family, after)
  }
  return state
}

function machineOf(result: CompileResult | undefined): Machine {
  const states = result === undefined ? [] : iptablesStates(result)
  return { ...EMPTY_MACHINE, ...Object.fromEntries(states.map((state) => [state.family, loaded(state)])) }
}

function textsOfMachine({ IPv4: four, IPv6: six }: Machine) {
  return [textsOf(four), textsOf(six)]
}

function toolsOf(stages: readonly Stage[]): readonly string[] {
  return stages.map(({ tool }) => tool)
}

describe('diff', () => {
  it('is empty between nothing and nothing', () => {
    expect(diff(undefined, undefined)).toEqual({ families: [] })
    expect(plan(diff(undefined, undefined))).toEqual([])
  })

  it('leaves out families in which nothing changes', () => {
    const input = { services: [service(DUAL_STACK)], endpointSlices: [slice(at('10.244.1.1'))] }
    const before = compile(input)
    const after = compile({ ...input, endpointSlices: [slice(at('10.244.1.2'))] }, { previous: before })
    expect(diff(before, after).families.map(({ family, mode }) => [family, mode])).toEqual([['IPv4', 'iptables']])
    expect(isEmpty(diff(before, after))).toBe(false)
  })

  it('takes a family away that is not asked for any more, and brings one that is', () => {
    const [both, one] = [web(['10.244.1.1'], {}), web(['10.244.1.1'])]
    expect(diff(both, one).families.map(({ family }) => family)).toEqual(['IPv6'])
    expect(toolsOf(plan(diff(both, one)))).toEqual(['ip6tables-restore'])
    expect(diff(one, both).families.map(({ family }) => family)).toEqual(['IPv6'])
    expect(runStages(machineOf(both), plan(diff(both, one)))).toEqual(machineOf(one))
  })

  it('tells which connections are stale, once the rules are others', () => {
    const patch = diff(dns(['10.244.1.1']), dns(['10.244.1.2']))
    expect(patch.families[0]?.staleConnections).toEqual([
      { kind: 'addressAndEndpoint', protocol: 'UDP', address: '10.96.0.1', endpoint: '10.244.1.1' },
    ])
    const stages = plan(patch)
    expect(toolsOf(stages)).toEqual(['iptables-restore', 'conntrack'])
    expect(stages[1]).toEqual({
      tool: 'conntrack',
      args: ['-D', '--orig-dst', '10.96.0.1', '--dst-nat', '10.244.1.1', '-p', 'udp'],
      input: '',
      purpose: 'forget connections that are stale',
      mayFail: true,
    })
  })

  it('is not empty where only connections are stale', () => {
    const families = [{ ...diff(dns([]), dns(['10.244.1.1'])).families[0], patch: { from: '', to: '', changes: [] } }]
    expect(isEmpty({ families } as ResultPatch)).toBe(false)
    expect(toolsOf(plan({ families } as ResultPatch))).toEqual(['conntrack'])
  })
})

describe('plan', () => {
  it('is one run for a small update, and for a removal', () => {
    expect(plan(diff(web(['10.244.1.1']), web(['10.244.1.2']))).map(({ purpose }) => purpose)).toEqual(['change rules'])
    const [removal, ...others] = plan(diff(web(['10.244.1.1']), undefined))
    expect(others).toEqual([])
    expect(removal).toMatchObject({ tool: 'iptables-restore', args: ['--noflush'] })
    expect(removal?.input).toMatch(/^\*nat\n.*COMMIT\n\*filter\n.*-X KUBE-SERVICES\n.*COMMIT\n$/s)
  })

  it('is one run for a first load onto an empty machine, jumps and all', () => {
    const [stage, ...others] = plan(diff(undefined, web(['10.244.1.1'])))
    expect(others).toEqual([])
    expect(stage?.input).toContain('\n-I OUTPUT 1 -m comment --comment "kubernetes service portals" -j KUBE-SERVICES\n')
  })

  it('ends with a run for each jump where nothing is known of the machine', () => {
    const [load, ...jumps] = plan(diff(undefined, web(['10.244.1.1'])), { ensure: true })
    expect(load?.input).not.toMatch(/^-I /m)
    expect(toolsOf(jumps)).toEqual(Array.from({ length: 14 }, () => 'iptables'))
    const rule = ['-m', 'conntrack', '--ctstate', 'NEW', '-m', 'comment', '--comment']
    const last = ['kubernetes externally-visible service portals', '-j', 'KUBE-EXTERNAL-SERVICES']
    expect(jumps.filter(({ purpose }) => purpose === 'jump from INPUT')[0]).toEqual({
      tool: 'iptables',
      args: ['-w', '-t', 'filter', '-I', 'INPUT', ...rule, ...last],
      input: '',
      purpose: 'jump from INPUT',
      unless: ['-w', '-t', 'filter', '-C', 'INPUT', ...rule, ...last],
    })
    expect(jumps.every(({ unless, mayFail }) => unless !== undefined && mayFail === undefined)).toBe(true)
  })

  it('takes IPv4 first, and what is stale last', () => {
    const input = {
      services: [service({ ...DUAL_STACK, ...UDP })],
      endpointSlices: [slice(at('10.244.1.1'), UDP_PORTS)],
    }
    expect(toolsOf(plan(diff(undefined, compile(input))))).toEqual([
      'iptables-restore',
      'ip6tables-restore',
      'conntrack',
    ])
  })
})

describe('a switch of modes', () => {
  const input = { services: [service(UDP)], endpointSlices: [slice(at('10.244.1.1'), UDP_PORTS)] }
  const [iptables, ipvs] = [compile(input, { mode: 'iptables' }), compile(input, { mode: 'ipvs' })]

  it.each([
    ['iptables', 'ipvs', iptables, ipvs],
    ['ipvs', 'iptables', ipvs, iptables],
  ])('from %s to %s leaves the tables of the new one', (_from, _to, before, after) => {
    const stages = plan(diff(before, after))
    expect(textsOfMachine(runStages(machineOf(before), stages))).toEqual(textsOfMachine(machineOf(after)))
    expect(applied(before, diff(before, after))).toEqual(resourcesOf(after))
    expect(diff(before, after).families.map(({ patch }) => [patch.from, patch.to])).toEqual(
      ['IPv4', 'IPv6'].map((_, index) => [
        diff(undefined, before).families[index]?.patch.to,
        diff(undefined, after).families[index]?.patch.to,
      ]),
    )
  })

  it('brings servers before rules lead to them, and takes them away when none does', () => {
    const own = (stages: readonly Stage[]) => toolsOf(stages).filter((tool) => tool !== 'conntrack')
    const families = (patch: ResultPatch) => ({ families: patch.families.slice(0, 1) })
    const there = own(plan(families(diff(iptables, ipvs))))
    const back = own(plan(families(diff(ipvs, iptables))))
    expect(there.at(-1)).toBe('iptables-restore')
    expect(new Set(there)).toEqual(new Set(['ipset', 'ipvsadm', 'ip', 'iptables-restore']))
    expect(back[0]).toBe('iptables-restore')
    expect(new Set(back)).toEqual(new Set(['ipset', 'ipvsadm', 'ip', 'iptables-restore']))
  })

  it('never leaves a packet without the rules of either', () => {
    const jump = '-m comment --comment "kubernetes service portals" -j KUBE-SERVICES'
    let machine = machineOf(iptables)
    for (const stage of plan(diff(iptables, ipvs))) {
      machine = runStages(machine, [stage])
      expect(
        machine.IPv4.get('nat')
          ?.get('PREROUTING')
          ?.map(({ spec }) => spec),
      ).toEqual([jump])
      expect(machine.IPv4.get('nat')?.get('KUBE-SERVICES')?.length).toBeGreaterThan(0)
    }
  })

  it('forgets connections as a start does, each once', () => {
    expect(diff(iptables, ipvs).families[0]?.staleConnections).toEqual([
      { kind: 'address', protocol: 'UDP', address: '10.96.0.1' },
    ])
  })

  it('may bring and take families at the same time', () => {
    const [four, six] = [
      compile(input, { mode: 'iptables', ...IPV4 }),
      compile(input, { mode: 'ipvs', families: ['IPv6'] }),
    ]
    const patch = diff(four, six)
    expect(patch.families.map(({ family, mode }) => [family, mode])).toEqual([
      ['IPv6', 'ipvs'],
      ['IPv4', 'iptables'],
    ])
    expect(textsOfMachine(runStages(machineOf(four), plan(patch)))).toEqual(textsOfMachine(machineOf(six)))
  })
})

describe('a patch between any two results', () => {
  const results = cases.map(({ cluster, options }: Case) => compile(cluster, options))
  const states = fc.option(results, { nil: undefined, freq: 8 })

  it('leads from one to the other and back, also after a way through JSON', () => {
    fc.assert(
      fc.property(states, states, (before, after) => {
        const patch = diff(before, after)
        const read = JSON.parse(JSON.stringify(patch)) as ResultPatch
        expect(applied(before, patch)).toEqual(resourcesOf(after))
        expect(applied(before, read)).toEqual(resourcesOf(after))
        expect(applied(after, patch, true)).toEqual(resourcesOf(before))
        expect(plan(read)).toEqual(plan(patch))
      }),
      { numRuns: 25 },
    )
  })

  it('is empty between a result and itself, and one that is equal', () => {
    fc.assert(
      fc.property(cases, ({ cluster, options }) => {
        const result = compile(cluster, options)
        expect(diff(result, result)).toEqual({ families: [] })
        expect(diff(result, compile(cluster, options))).toEqual({ families: [] })
      }),
      { numRuns: 10 },
    )
  })

  it('takes the tables of a machine to what a full load gives', () => {
    fc.assert(
      fc.property(states, states, fc.constantFrom('nft' as const, 'legacy' as const), (before, after, backend) => {
        const machine = runStages(machineOf(before), plan(diff(before, after), { backend }))
        expect(textsOfMachine(machine)).toEqual(textsOfMachine(machineOf(after)))
      }),
      { numRuns: 25 },
    )
  })

  it('onto a machine of which nothing is known puts everything there that a full load gives', () => {
    fc.assert(
      fc.property(results, results, (before, after) => {
        fc.pre(before.mode === after.mode)
        const machine = runStages(machineOf(before), plan(diff(undefined, after), { ensure: true }))
        expect(textsOfMachine(machine)).toMatchObject(textsOfMachine(machineOf(after)))
      }),
      { numRuns: 15 },
    )
  })
})
