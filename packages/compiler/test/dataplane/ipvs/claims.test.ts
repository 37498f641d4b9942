import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IpvsState, ServerContribution, VirtualServer } from '../../../src/dataplane/ipvs/ast.js'
import { buildIpvsState, diffIpvs, findServerOwners } from '../../../src/dataplane/ipvs/claims.js'
import { formatVirtualServerId, resourcesOf } from '../../../src/dataplane/ipvs/resources.js'
import { applyChanges, invertChanges } from '../../../src/patch/patch.js'
import { realServer, virtualServer } from './states.js'

function stateOf(contributions: readonly ServerContribution[]) {
  return buildIpvsState(() => contributions)
}

/**
 * Builds `ADDRESS>REAL`: a virtual server at port 80 with one real server, which distinguishes it from servers at the
 * same address.
 */
function serverOf(text: string): VirtualServer {
  const [address = '', real = ''] = text.split('>')
  return virtualServer({ address, realServers: [realServer(real, 8080)] })
}

function contribution(
  owner: string,
  servers: readonly string[],
  fallbackServers: readonly string[] = [],
): ServerContribution {
  return { owner, virtualServers: servers.map(serverOf), fallbackServers: fallbackServers.map(serverOf) }
}

function textsOf({ virtualServers }: IpvsState): readonly string[] {
  return virtualServers.map(({ address, realServers }) => `${address}>${realServers[0]?.address}`)
}

describe('an IPVS state assembled from contributions', () => {
  it.each<[string, readonly ServerContribution[], readonly string[], Record<string, string>]>([
    ['is empty if there are no contributions', [], [], {}],
    [
      'has all servers in their order, and fallback servers last',
      [contribution('a', ['10.0.0.1>10.1.0.1'], ['10.0.0.2>10.1.0.1']), contribution('b', ['10.0.0.3>10.1.0.2'])],
      ['10.0.0.1>10.1.0.1', '10.0.0.3>10.1.0.2', '10.0.0.2>10.1.0.1'],
      { '10.0.0.1': 'a', '10.0.0.2': 'a', '10.0.0.3': 'b' },
    ],
    [
      'has the first of two servers with the same key',
      [contribution('a', ['10.0.0.1>10.1.0.1']), contribution('b', ['10.0.0.1>10.1.0.2'])],
      ['10.0.0.1>10.1.0.1'],
      { '10.0.0.1': 'a' },
    ],
    [
      'has a server instead of a fallback server with the same key, in any order',
      [contribution('a', [], ['10.0.0.1>10.1.0.1']), contribution('b', ['10.0.0.1>10.1.0.2'])],
      ['10.0.0.1>10.1.0.2'],
      { '10.0.0.1': 'b' },
    ],
    [
      'has the first of two fallback servers with the same key',
      [contribution('a', [], ['10.0.0.1>10.1.0.1']), contribution('b', [], ['10.0.0.1>10.1.0.2'])],
      ['10.0.0.1>10.1.0.1'],
      { '10.0.0.1': 'a' },
    ],
    [
      'has a server instead of a fallback server of the same owner',
      [contribution('a', ['10.0.0.1>10.1.0.1'], ['10.0.0.1>10.1.0.2'])],
      ['10.0.0.1>10.1.0.1'],
      { '10.0.0.1': 'a' },
    ],
  ])('%s', (_, contributions, texts, owners) => {
    const state = stateOf(contributions)
    expect(textsOf(state)).toEqual(texts)
    expect(state.contributions).toEqual(contributions)
    const ids = Object.entries(owners).map(([address, owner]) => [`ipvs TCP ${address}:80`, owner] as const)
    expect(findServerOwners(state)).toEqual(new Map(ids))
  })
})

it('findServerOwners returns no owners if there are no contributions', () => {
  expect(findServerOwners({ virtualServers: [virtualServer()] })).toEqual(new Map())
})

const servers = fc
  .tuple(fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3'), fc.constantFrom('10.1.0.1', '10.1.0.2'), fc.boolean())
  .map(([address, real, wlc]): VirtualServer => ({ ...serverOf(`${address}>${real}`), scheduler: wlc ? 'wlc' : 'rr' }))

const lists: fc.Arbitrary<readonly ServerContribution[]> = fc.tuple(
  ...['a', 'b', 'c', 'd'].map((owner) =>
    fc.record({
      owner: fc.constant(owner),
      virtualServers: fc.array(servers, { maxLength: 2 }),
      fallbackServers: fc.array(servers, { maxLength: 2 }),
    }),
  ),
)

/** Generates two lists that share some contribution objects, usually in the same order. */
const pairs = fc
  .tuple(
    lists,
    lists,
    fc.subarray([0, 1, 2, 3]),
    fc.oneof({ weight: 2, arbitrary: fc.subarray([0, 1, 2, 3]) }, fc.shuffledSubarray([0, 1, 2, 3])),
  )
  .map(([before, other, kept, places]) => {
    const after = places.map((place) => (kept.includes(place) ? before : other)[place] as ServerContribution)
    return [before, after] as const
  })

describe('IPVS states assembled from arbitrary contributions', () => {
  it('assign every virtual server to its owner', () => {
    fc.assert(
      fc.property(lists, (contributions) => {
        const state = stateOf(contributions)
        const owners = findServerOwners(state)
        expect([...owners.keys()].sort()).toEqual(state.virtualServers.map(formatVirtualServerId).sort())
        for (const server of state.virtualServers) {
          const owner = contributions.find((each) => each.owner === owners.get(formatVirtualServerId(server)))
          expect([...(owner?.virtualServers ?? []), ...(owner?.fallbackServers ?? [])]).toContain(server)
        }
      }),
    )
  })

  it('have the same diff with owners as without owners', () => {
    let changed = 0
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const [old, fresh] = [stateOf(before), stateOf(after)]
        const patch = diffIpvs(old, fresh)
        changed += patch.changes.length
        expect(applyChanges(resourcesOf(old), patch)).toEqual(resourcesOf(fresh))
        expect(applyChanges(resourcesOf(fresh), invertChanges(patch))).toEqual(resourcesOf(old))
        const plain = diffIpvs({ virtualServers: old.virtualServers }, { virtualServers: fresh.virtualServers })
        expect(new Set(patch.changes)).toEqual(new Set(plain.changes))
      }),
      { numRuns: 100 },
    )
    expect(changed).toBeGreaterThan(100)
  })
})
