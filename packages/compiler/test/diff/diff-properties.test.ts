import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ChangeCommandOptions, toChangeCommands } from '../../src/commands/change-commands.js'
import { resourcesOf } from '../../src/dataplane/node-resources.js'
import type { NodeState } from '../../src/dataplane/node-state.js'
import { diffStates } from '../../src/diff/diff.js'
import { applyChanges, hasNoChanges, invertChanges, type Patch } from '../../src/patch/patch.js'
import { afterRun, type HeldNode, linesOf, nodeWith } from '../support/held-node.js'
import { copyOf, statePairs } from '../support/iptables-states.js'
import { histories } from '../support/ipvs-state-pairs.js'
import { runs } from '../support/runs.js'

type State = NodeState | undefined

const iptablesPairs = statePairs.map((pair) => pair.map(nodeStateOf) as unknown as readonly [NodeState, NodeState])

/** Generates pairs of one mode or of two, because a node may change its mode. */
const pairs: fc.Arbitrary<readonly [State, State]> = fc.oneof(
  { weight: 8, arbitrary: histories.map(([before, after]) => [before, after] as const) },
  { weight: 2, arbitrary: iptablesPairs },
  histories.map(([state]) => [undefined, state] as const),
  histories.map(([state]) => [state, undefined] as const),
  fc.tuple(histories, iptablesPairs).map(([[ipvs], [iptables]]) => [ipvs, iptables] as const),
  fc.tuple(histories, iptablesPairs).map(([[ipvs], [iptables]]) => [iptables, ipvs] as const),
)

function nodeStateOf(iptables: Parameters<typeof copyOf>[0]): NodeState {
  return { family: iptables.family, iptables }
}

/** Copies a state without sharing objects. */
function unshared<S extends State>(state: S): S {
  if (state === undefined) return state
  const { iptables, ...rest } = state
  return { ...structuredClone(rest), ...(iptables && { iptables: copyOf(iptables) }) } as S
}

const options: fc.Arbitrary<ChangeCommandOptions> = fc.record({
  family: fc.constant('IPv4' as const),
  backend: fc.constantFrom('nft' as const, 'legacy' as const),
})

describe('diffStates', () => {
  it('returns an invertible patch from one state to another, even after a JSON round trip', () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const patch = diffStates(before, after)
        expect(applyChanges(resourcesOf(before), patch)).toEqual(resourcesOf(after))
        expect(applyChanges(resourcesOf(after), invertChanges(patch))).toEqual(resourcesOf(before))
        expect(applyChanges(resourcesOf(before), JSON.parse(JSON.stringify(patch)) as Patch)).toEqual(
          resourcesOf(after),
        )
      }),
      { numRuns: runs(20) },
    )
  })

  it('returns an empty patch for equal states, whether the states share parts or not', () => {
    fc.assert(
      fc.property(histories, ([state]) => {
        for (const other of [state, unshared(state)]) {
          const patch = diffStates(state, other)
          expect(hasNoChanges(patch)).toBe(true)
          expect(patch.from).toBe(patch.to)
        }
      }),
      { numRuns: runs(8) },
    )
  })

  it('returns the same changes with and without shared parts, even after earlier diffs', () => {
    fc.assert(
      fc.property(histories, ([a, b, c]) => {
        const fresh = diffStates(unshared(b), unshared(c))
        diffStates(a, b)
        const carried = diffStates(b, c)
        expect(carried).toEqual(diffStates(b, c))
        expect(applyChanges(resourcesOf(b), carried)).toEqual(resourcesOf(c))
        expect({ from: carried.from, to: carried.to }).toEqual({ from: fresh.from, to: fresh.to })
        expect(new Set(carried.changes)).toEqual(new Set(fresh.changes))
      }),
      { numRuns: runs(15) },
    )
  })

  it('returns equal digests for equal states, and different digests for different states', () => {
    fc.assert(
      fc.property(pairs, pairs, ([before, after], [other]) => {
        const patch = diffStates(before, after)
        expect(patch.from === patch.to).toBe(hasNoChanges(patch))
        expect(diffStates(other, after).to).toBe(patch.to)
        expect(diffStates(unshared(after), other).from).toBe(patch.to)
      }),
      { numRuns: runs(12) },
    )
  })

  it('lists changes in an order without dangling references', () => {
    const withNewResources = pairs.filter(([before, after]) =>
      diffStates(before, after).changes.some(({ kind }) => kind === 'create' || kind === 'delete'),
    )
    fc.assert(
      fc.property(withNewResources, ([before, after]) => {
        const { changes } = diffStates(before, after)
        const held = new Map(resourcesOf(before))
        for (const change of changes) {
          const single = applyChanges(held, { from: '', to: '', changes: [change] })
          held.clear()
          for (const [id, resource] of single) held.set(id, resource)
          if (change.kind === 'create') expect(change.resource.refs.filter((ref) => !held.has(ref))).toEqual([])
          if (change.kind === 'delete') {
            expect([...held.values()].filter(({ refs }) => refs.includes(change.resource.id))).toEqual([])
          }
        }
      }),
      { numRuns: runs(10) },
    )
  })
})

describe('toChangeCommands', () => {
  it('returns commands that transform a node into the state after a full load', () => {
    fc.assert(
      fc.property(pairs, options, ([before, after], to) => {
        const runs = toChangeCommands(diffStates(before, after).changes, to)
        const node = runs.reduce((held, run) => afterRun(held, run), nodeWith(before))
        expect(linesOf(node)).toEqual(linesOf(nodeWith(after)))
      }),
      { numRuns: runs(25) },
    )
  })

  it('returns commands that never remove a resource that both states contain', () => {
    fc.assert(
      fc.property(pairs, options, ([before, after], to) => {
        const stays = common(flatLines(nodeWith(before)), flatLines(nodeWith(after)))
        let node = nodeWith(before)
        for (const run of toChangeCommands(diffStates(before, after).changes, to)) {
          node = afterRun(node, run)
          expect(common(stays, flatLines(node))).toEqual(stays)
          for (const address of node.addresses ?? []) expect(isServed(node, address)).toBe(true)
        }
      }),
      { numRuns: runs(20) },
    )
  })

  it('replaces older sets, servers and addresses if the state of the node is unknown', () => {
    fc.assert(
      fc.property(histories, options, ([older, state], to) => {
        const runs = toChangeCommands(diffStates(undefined, state).changes, {
          ...to,
          start: { ipset: 'unknown', ipvs: 'unknown', addresses: 'unknown', iptables: 'unknown' },
        })
        const node = runs.reduce((held, run) => afterRun(held, run, () => {}), nodeWith(older))
        const expected = nodeWith(state)
        const names = new Set(expected.sets.keys())
        const sets = new Map([...node.sets].filter(([name]) => names.has(name)))
        expect(wanted({ ...node, sets })).toEqual(wanted(expected))
      }),
      { numRuns: runs(10) },
    )
  })
})

/** Reports whether a bound address is in the set of bound addresses and has a virtual server. */
function isServed({ sets, servers }: HeldNode, bound: string): boolean {
  const [address = ''] = bound.split('/')
  const hasServer = [...servers.keys()].some((key) => key.includes(` ${address}:`))
  return hasServer && (sets.get('KUBE-IPVS-IPS')?.entries.has(address) ?? false)
}

function wanted(node: HeldNode): readonly string[] {
  const { sets, servers, addresses } = linesOf(node)
  return [...sets, ...servers, ...addresses]
}

function flatLines(node: HeldNode): readonly string[] {
  const { tables } = linesOf(node)
  const rules = Object.entries(tables).flatMap(([table, chains]) =>
    Object.entries(chains).flatMap(([chain, specs]) => specs.map((spec) => `${table} ${chain} ${spec}`)),
  )
  return [...wanted(node), ...rules]
}

function common(left: readonly string[], right: readonly string[]): readonly string[] {
  const known = new Set(right)
  return left.filter((line) => known.has(line))
}
