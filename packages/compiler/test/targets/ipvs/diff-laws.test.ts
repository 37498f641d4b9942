import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apply, invert, isEmpty, type Patch } from '../../../src/diff/patch.js'
import { diffIpvs } from '../../../src/targets/ipvs/diff-ipvs.js'
import { planIpvs } from '../../../src/targets/ipvs/plan-ipvs.js'
import type { IpvsModeState } from '../../../src/targets/ipvs/state.js'
import type { ScriptOptions } from '../../../src/targets/target.js'
import { type HeldNode, linesOf, nodeWith, runStage } from '../../support/held-node.js'
import { histories, resourcesOf } from '../../support/ipvs-state-pairs.js'

type State = IpvsModeState | undefined

const pairs: fc.Arbitrary<readonly [State, State]> = fc.oneof(
  { weight: 8, arbitrary: histories.map(([before, after]) => [before, after] as const) },
  histories.map(([state]) => [undefined, state] as const),
  histories.map(([state]) => [state, undefined] as const),
)

const options: fc.Arbitrary<ScriptOptions> = fc.record({
  family: fc.constant('IPv4' as const),
  backend: fc.constantFrom('nft' as const, 'legacy' as const),
})

describe('diffIpvs', () => {
  it('leads from one state to the other and back, also after a way through JSON', () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const patch = diffIpvs(before, after)
        expect(apply(resourcesOf(before), patch)).toEqual(resourcesOf(after))
        expect(apply(resourcesOf(after), invert(patch))).toEqual(resourcesOf(before))
        expect(apply(resourcesOf(before), JSON.parse(JSON.stringify(patch)) as Patch)).toEqual(resourcesOf(after))
      }),
      { numRuns: 20 },
    )
  })

  it('is empty between equal states, whether or not they share anything', () => {
    fc.assert(
      fc.property(histories, ([state]) => {
        for (const other of [state, structuredClone(state)]) {
          const patch = diffIpvs(state, other)
          expect(isEmpty(patch)).toBe(true)
          expect(patch.from).toBe(patch.to)
        }
      }),
      { numRuns: 8 },
    )
  })

  it('says the same whether or not equal parts are shared, and where diffs led to the state before', () => {
    fc.assert(
      fc.property(histories, ([a, b, c]) => {
        const fresh = diffIpvs(structuredClone(b), structuredClone(c))
        diffIpvs(a, b)
        const carried = diffIpvs(b, c)
        expect(carried).toEqual(diffIpvs(b, c))
        expect(apply(resourcesOf(b), carried)).toEqual(resourcesOf(c))
        expect({ from: carried.from, to: carried.to }).toEqual({ from: fresh.from, to: fresh.to })
        expect(new Set(carried.changes)).toEqual(new Set(fresh.changes))
      }),
      { numRuns: 15 },
    )
  })

  it('gives one digest to one state', () => {
    fc.assert(
      fc.property(pairs, pairs, ([before, after], [other]) => {
        const patch = diffIpvs(before, after)
        expect(patch.from === patch.to).toBe(isEmpty(patch))
        expect(diffIpvs(other, after).to).toBe(patch.to)
        expect(diffIpvs(after && structuredClone(after), other).from).toBe(patch.to)
      }),
      { numRuns: 12 },
    )
  })

  it('lists changes in an order in which nothing lacks what it refers to', () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const { changes } = diffIpvs(before, after)
        const held = new Map(resourcesOf(before))
        for (const change of changes) {
          const single = apply(held, { from: '', to: '', changes: [change] })
          held.clear()
          for (const [id, resource] of single) held.set(id, resource)
          if (change.kind === 'create') for (const ref of change.resource.refs) expect(held.has(ref)).toBe(true)
          if (change.kind === 'delete') {
            for (const { refs } of held.values()) expect(refs).not.toContain(change.resource.id)
          }
        }
      }),
      { numRuns: 10 },
    )
  })
})

describe('planIpvs', () => {
  it('takes a node to exactly what a full load gives', () => {
    fc.assert(
      fc.property(pairs, options, ([before, after], to) => {
        const stages = planIpvs(diffIpvs(before, after), to)
        const node = stages.reduce((held, stage) => runStage(held, stage), nodeWith(before))
        expect(linesOf(node)).toEqual(linesOf(nodeWith(after)))
      }),
      { numRuns: 25 },
    )
  })

  it('leaves alone what is in both states, after every run', () => {
    fc.assert(
      fc.property(pairs, options, ([before, after], to) => {
        const stays = common(flatLines(nodeWith(before)), flatLines(nodeWith(after)))
        let node = nodeWith(before)
        for (const stage of planIpvs(diffIpvs(before, after), to)) {
          node = runStage(node, stage)
          expect(common(stays, flatLines(node))).toEqual(stays)
          for (const address of node.addresses ?? []) expect(isServed(node, address)).toBe(true)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('takes a node with older servers and addresses of ours to what is wanted, where it is to ensure that', () => {
    fc.assert(
      fc.property(histories, options, ([older, state], to) => {
        const stages = planIpvs(diffIpvs(undefined, state), { ...to, ensure: true })
        const first = stages.filter(({ tool, unless }) => /^ip(set|vsadm)?$/.test(tool) && unless === undefined)
        const node = first.reduce((held, stage) => runStage(held, stage, () => {}), nodeWith(older))
        expect(common(wanted(nodeWith(state)), wanted(node))).toEqual(wanted(nodeWith(state)))
        expect(stages.filter(({ unless }) => unless !== undefined)[0]?.unless).toEqual([
          'link',
          'show',
          'dev',
          'kube-ipvs0',
        ])
      }),
      { numRuns: 10 },
    )
  })
})

/** An address that is bound is in the set of bound addresses, and has a virtual server. */
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
