import { describe, expect, it } from 'vitest'
import { HOOKS, type Hook } from '../../../compiler/src/dataplane/netfilter/hooks.js'
import { createFraction, formatFraction } from '../../../compiler/src/internal/fraction.js'
import { createEquivalentSources } from '../../src/program/equivalent-sources.js'
import { type PathState, stepsOfPath } from '../../src/program/path-state.js'
import type { BaseChain, Chain, Effect, Instruction, Literal, Program } from '../../src/program/program.js'
import { type CompletedPath, walkHooks } from '../../src/program/walk-hooks.js'
import { chain, instruction, kernelPacket, pathState, runContext, setBit, UNKNOWN } from './programs.js'

const PRIORITIES: Readonly<Record<string, number>> = { raw: -300, nat: -100, filter: 0, srcnat: 100 }

/** A base chain with these instructions. */
function base(
  hook: Hook,
  kind: string,
  instructions: readonly Instruction[],
  fields: Partial<BaseChain> = {},
): BaseChain {
  const translates = kind === 'nat' || kind === 'srcnat'
  return { hook, priority: PRIORITIES[kind] ?? 0, translates, chain: chain(`${kind} ${hook}`, instructions), ...fields }
}

function walk(chains: readonly BaseChain[], start: Partial<PathState> = {}, hook: Hook = 'PREROUTING') {
  const at = (name: Hook) => chains.filter((each) => each.hook === name)
  const hooks = Object.fromEntries(HOOKS.map((name) => [name, at(name)])) as unknown as Program['hooks']
  return walkHooks(hook, pathState(start), { ...runContext(), hooks }).map(textOf)
}

/** Formats `1/3 jump dnat2 -> network 10.244.0.2:8080 masqueraded`. */
function textOf({ weight, assumptions, packet, end, sources, ...path }: CompletedPath): string {
  const assumed = assumptions.map(({ condition, value }) => `${value ? '' : 'not '}${condition}`).join(', ')
  const steps = stepsOfPath(path).map(({ text }) => text)
  const kind = typeof end === 'string' ? end : end.kind
  return [
    formatFraction(weight),
    ...(assumed === '' ? [] : [`[${assumed}]`]),
    ...(sources === undefined ? [] : [`{${sources.sources.join(' ')}}`]),
    ...steps,
    `-> ${kind} ${packet.destination}:${packet.destinationPort}`,
    ...(packet.masqueraded ? ['masqueraded'] : []),
  ].join(' ')
}

const dnat = (address: string, port = 8080): Effect => ({ kind: 'translateDestination', address, port })
const source = (text: string): Literal => ({ kind: 'address', side: 'source', operands: [{ text }] })
const destination = (text: string): Literal => ({ kind: 'address', side: 'destination', operands: [{ text }] })
const marked = (bit: number): Literal => ({ kind: 'mark', of: 'packet', value: bit, mask: bit })

/** One of `count` endpoints that the chance of its rule chooses. A packet from the endpoint itself gets the mark 1. */
function endpoints(count: number): readonly Instruction[] {
  return Array.from({ length: count }, (_, at): Instruction => {
    const address = `10.244.0.${at + 1}`
    const own: Chain = chain(`SEP${at + 1}`, [
      instruction('hairpin', [source(address)], setBit(1)),
      instruction(`dnat${at + 1}`, [], dnat(address)),
    ])
    const chance: Literal = { kind: 'chance', share: createFraction(1, count - at) }
    return instruction(`choose${at + 1}`, at === count - 1 ? [] : [chance], {
      kind: 'jump',
      chain: { name: own.name, resolve: () => own },
    })
  })
}

describe('the hooks', () => {
  it('forward packets to other addresses, and deliver those to the node', () => {
    const filter = [base('INPUT', 'filter', []), base('FORWARD', 'filter', [])]
    expect(walk(filter)).toEqual(['1 -> network 10.96.0.10:80'])
    const packet = kernelPacket({ destination: '192.168.0.2' })
    expect(walk(filter, { packet })).toEqual(['1 -> node 192.168.0.2:80'])
  })

  it('apply the policy of a base chain to packets that reach its end', () => {
    const policy = [{ kind: 'drop' }] as const
    const accept = instruction('accept', [destination('10.96.0.10')], { kind: 'accept' })
    expect(walk([base('FORWARD', 'filter', [], { policy })])).toEqual(['1 -> dropped 10.96.0.10:80'])
    expect(walk([base('FORWARD', 'filter', [accept], { policy })])).toEqual(['1 accept -> network 10.96.0.10:80'])
  })

  it('send a packet of the node to its own address through lo', () => {
    const packet = kernelPacket({
      source: '192.168.0.2',
      inInterface: '',
      sentByNode: true,
      destination: '192.168.0.2',
    })
    const lo: Literal = { kind: 'interface', direction: 'in', name: 'lo' }
    const steps = [base('PREROUTING', 'raw', [instruction('enters', [lo])])]
    expect(walk(steps, { packet }, 'OUTPUT')).toEqual(['1 enters -> node 192.168.0.2:80'])
  })

  it('translate a connection once', () => {
    const first = base('PREROUTING', 'nat', [instruction('first', [], dnat('10.244.0.1'))])
    const second = base('PREROUTING', 'nat', [instruction('second', [], dnat('10.244.0.2'))])
    expect(walk([first, second])).toEqual(['1 first -> network 10.244.0.1:8080'])
  })

  it('translate no untracked packet', () => {
    const untrack = base('PREROUTING', 'raw', [instruction('notrack', [], { kind: 'untrack' })])
    const nat = base('PREROUTING', 'nat', [instruction('dnat', [], dnat('10.244.0.1'))])
    expect(walk([untrack, nat])).toEqual(['1 notrack -> network 10.96.0.10:80'])
  })
})

describe('packets to several endpoints', () => {
  const nat = base('PREROUTING', 'nat', endpoints(3))
  const masquerade = base('POSTROUTING', 'srcnat', [instruction('masquerade', [marked(1)], { kind: 'masquerade' })])

  it('take one path after the choice, and end in the order of the endpoints', () => {
    let entered = 0
    const counted = chain('FORWARD', [])
    const forward: BaseChain = base('FORWARD', 'filter', [], {
      chain: {
        ...counted,
        instructionsFor: () => {
          entered++
          return [instruction('forward', [])]
        },
      },
    })
    expect(walk([nat, forward, masquerade])).toEqual([
      '1/3 choose1 dnat1 forward -> network 10.244.0.1:8080',
      '1/3 choose2 dnat2 forward -> network 10.244.0.2:8080',
      '1/3 choose3 dnat3 forward -> network 10.244.0.3:8080',
    ])
    // Once for each destination, to find its instructions, and not once more for each path.
    expect(entered).toBe(3)
  })

  it('keep their order if the hairpin rule treats one of them differently', () => {
    const packet = kernelPacket({ source: '10.244.0.2' })
    expect(walk([nat, masquerade], { packet })).toEqual([
      '1/3 choose1 dnat1 -> network 10.244.0.1:8080',
      '1/3 choose2 hairpin dnat2 masquerade -> network 10.244.0.2:8080 masqueraded',
      '1/3 choose3 dnat3 -> network 10.244.0.3:8080',
    ])
  })

  it('have their steps in order if they part in a chain after other rules', () => {
    const drop = instruction('drop', [destination('10.244.0.2')], { kind: 'drop' })
    const forward = base('FORWARD', 'filter', [instruction('log', []), drop])
    expect(walk([nat, forward])).toEqual([
      '1/3 choose1 dnat1 log -> network 10.244.0.1:8080',
      '1/3 choose2 dnat2 log drop -> dropped 10.244.0.2:8080',
      '1/3 choose3 dnat3 log -> network 10.244.0.3:8080',
    ])
  })

  it('have their steps in order if they part in a chain that a rule calls', () => {
    const own = chain('own', [
      instruction('log2', []),
      instruction('drop', [destination('10.244.0.2')], { kind: 'drop' }),
    ])
    const jump: Effect = { kind: 'jump', chain: { name: 'own', resolve: () => own } }
    const forward = base('FORWARD', 'filter', [instruction('log', []), instruction('call', [], jump)])
    expect(walk([nat, forward])).toEqual([
      '1/3 choose1 dnat1 log call log2 -> network 10.244.0.1:8080',
      '1/3 choose2 dnat2 log call log2 drop -> dropped 10.244.0.2:8080',
      '1/3 choose3 dnat3 log call log2 -> network 10.244.0.3:8080',
    ])
  })

  it('part at a rule for one of them', () => {
    const drop = base('FORWARD', 'filter', [instruction('drop', [destination('10.244.0.2')], { kind: 'drop' })])
    expect(walk([nat, drop])).toEqual([
      '1/3 choose1 dnat1 -> network 10.244.0.1:8080',
      '1/3 choose2 dnat2 drop -> dropped 10.244.0.2:8080',
      '1/3 choose3 dnat3 -> network 10.244.0.3:8080',
    ])
  })

  it('part if the mark of one of them is unknown', () => {
    const forget: Effect = { kind: 'forgetMark', of: 'packet', bits: 1 }
    const own = chain('own', [instruction('forget', [], forget), instruction('dnat1', [], dnat('10.244.0.1'))])
    const chance: Literal = { kind: 'chance', share: createFraction(1, 2) }
    const jump: Effect = { kind: 'jump', chain: { name: 'own', resolve: () => own } }
    const two = base('PREROUTING', 'nat', [
      instruction('choose1', [chance], jump),
      instruction('choose2', [], dnat('10.244.0.2')),
    ])
    expect(walk([two, masquerade]).sort()).toEqual([
      '1/2 [masquerade matches] choose1 forget dnat1 masquerade -> network 10.244.0.1:8080 masqueraded',
      '1/2 [not masquerade matches] choose1 forget dnat1 -> network 10.244.0.1:8080',
      '1/2 choose2 -> network 10.244.0.2:8080',
    ])
  })

  it('part if one of them may be an address of the node', () => {
    const facts = {
      ...runContext().facts,
      isLocal: (address: string) => (address === '10.244.0.1' ? 'yes' : 'no'),
    } as const
    const hooks = { PREROUTING: [nat], INPUT: [], FORWARD: [], OUTPUT: [], POSTROUTING: [] }
    expect(walkHooks('PREROUTING', pathState(), { ...runContext({ facts }), hooks }).map(textOf)).toEqual([
      '1/3 choose1 dnat1 -> node 10.244.0.1:8080',
      '1/3 choose2 dnat2 -> network 10.244.0.2:8080',
      '1/3 choose3 dnat3 -> network 10.244.0.3:8080',
    ])
  })

  it('fork together at an unknown condition', () => {
    const drop = base('FORWARD', 'filter', [instruction('drop', [UNKNOWN], { kind: 'drop' })])
    const two = base('PREROUTING', 'nat', endpoints(2))
    expect(walk([two, drop]).sort()).toEqual([
      '1/2 [drop matches] choose1 dnat1 drop -> dropped 10.244.0.1:8080',
      '1/2 [drop matches] choose2 dnat2 drop -> dropped 10.244.0.2:8080',
      '1/2 [not drop matches] choose1 dnat1 -> network 10.244.0.1:8080',
      '1/2 [not drop matches] choose2 dnat2 -> network 10.244.0.2:8080',
    ])
  })
})

describe('packets that a virtual server sends to other machines', () => {
  it('take one path through the next hooks', () => {
    const server = { address: '10.96.0.10', port: 80, protocol: 'tcp' }
    const choices = [1, 2, 3].map((at) => ({
      name: `10.244.0.${at}:8080`,
      share: createFraction(1, 3),
      condition: undefined,
      effects: [{ kind: 'send', address: `10.244.0.${at}`, port: 8080 }] as const,
    }))
    const schedule: Effect = { kind: 'schedule', server, persistence: undefined, choices, otherwise: [] }
    let entered = 0
    const output: BaseChain = base('OUTPUT', 'filter', [], {
      chain: {
        ...chain('OUTPUT', []),
        ignoresDestination: () => true,
        instructionsFor: () => {
          entered++
          return [instruction('output', [])]
        },
      },
    })
    const input = base('INPUT', 'filter', [instruction('schedule', [], schedule)])
    const packet = kernelPacket({ destination: '192.168.0.2' })
    expect(walk([input, output], { packet })).toEqual([
      '1/3 schedule output -> network 10.244.0.1:8080',
      '1/3 schedule output -> network 10.244.0.2:8080',
      '1/3 schedule output -> network 10.244.0.3:8080',
    ])
    expect(entered).toBe(1)
  })
})

describe('packets from several sources', () => {
  it('part only at a rule for some of the sources', () => {
    const sources = createEquivalentSources(['10.244.0.1', '10.244.0.8', '203.0.113.1'])
    const nat = base('PREROUTING', 'nat', endpoints(1))
    const packet = kernelPacket({ source: '10.244.0.1' })
    expect(walk([nat], { packet, sources })).toEqual([
      '1 {10.244.0.1} choose1 hairpin dnat1 -> network 10.244.0.1:8080',
      '1 {10.244.0.8 203.0.113.1} choose1 dnat1 -> network 10.244.0.1:8080',
    ])
  })
})
