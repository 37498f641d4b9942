import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IptablesState } from '../../../../src/dataplane/iptables/ast.js'
import { diffIptables, digestOfState } from '../../../../src/dataplane/iptables/diff/diff-state.js'
import { getBlockRules } from '../../../../src/dataplane/iptables/lazy-block.js'
import { printRuleLines } from '../../../../src/dataplane/iptables/print/print.js'
import { resourcesOf } from '../../../../src/dataplane/iptables/resources.js'
import { type IptablesCommandOptions, toIptablesCommands } from '../../../../src/dataplane/iptables/script/script.js'
import { applyChanges, hasNoChanges, invertChanges, type Patch } from '../../../../src/patch/patch.js'
import { diffCanonical } from '../../../support/diff-canonical.js'
import { copyOf, loaded, sharing, statePairs, textsOf } from '../../../support/iptables-states.js'
import { EMPTY_TABLES, type HeldTable, type HeldTables, jumpOf, restore } from '../../../support/restore-interpreter.js'
import { runs } from '../../../support/runs.js'

const states = fc.oneof(
  { weight: 8, arbitrary: statePairs },
  statePairs.map(([state]) => [undefined, state] as const),
  statePairs.map(([state]) => [state, undefined] as const),
)

const options: fc.Arbitrary<IptablesCommandOptions> = fc.record({
  family: fc.constant('IPv4' as const),
  backend: fc.constantFrom('nft' as const, 'legacy' as const),
  chainsPerCommit: fc.constantFrom(undefined, 1, 3),
})

function resources(state: IptablesState | undefined) {
  return state === undefined ? new Map() : resourcesOf(state)
}

function carryOut(
  tables: HeldTables,
  patch: Patch,
  to: IptablesCommandOptions,
  onCommit?: (tables: HeldTables) => void,
): HeldTables {
  return toIptablesCommands(patch.changes, to).reduce(
    (held, { command }) => restore(held, command.input, onCommit),
    tables,
  )
}

describe('diffIptables', () => {
  it('returns an invertible patch from one state to another, even after a JSON round trip', () => {
    fc.assert(
      fc.property(states, ([before, after]) => {
        const patch = diffIptables(before, after)
        expect(applyChanges(resources(before), patch)).toEqual(resources(after))
        expect(applyChanges(resources(after), invertChanges(patch))).toEqual(resources(before))
        const read = JSON.parse(JSON.stringify(patch)) as Patch
        expect(applyChanges(resources(before), read)).toEqual(resources(after))
        expect(invertChanges(invertChanges(patch))).toEqual(patch)
      }),
      { numRuns: runs(30) },
    )
  })

  it('returns an empty patch for equal states with or without shared blocks', () => {
    fc.assert(
      fc.property(statePairs, ([state]) => {
        const copy = copyOf(state)
        for (const other of [state, copy, sharing(copy, state)]) {
          const patch = diffIptables(state, other)
          expect(hasNoChanges(patch)).toBe(true)
          expect(patch.from).toBe(patch.to)
        }
      }),
      { numRuns: runs(15) },
    )
  })

  it('returns the same patch with shared blocks as without shared blocks', () => {
    fc.assert(
      fc.property(statePairs, ([before, after]) => {
        expect(diffIptables(before, copyOf(after))).toEqual(diffIptables(before, after))
      }),
      { numRuns: runs(20) },
    )
  })

  it('returns the digests of both states, regardless of earlier comparisons', () => {
    fc.assert(
      fc.property(states, ([before, after]) => {
        const patch = diffIptables(before, after)
        expect(patch.from).toBe(digestOfState(before && copyOf(before)))
        expect(patch.to).toBe(digestOfState(after && copyOf(after)))
        expect(patch.from === patch.to).toBe(hasNoChanges(patch))
      }),
      { numRuns: runs(15) },
    )
  })

  it('returns a patch with the same effect as two patches through an intermediate state', () => {
    fc.assert(
      fc.property(statePairs, statePairs, ([a, b], [c]) => {
        const steps = applyChanges(applyChanges(resources(a), diffIptables(a, b)), diffIptables(b, c))
        expect(steps).toEqual(applyChanges(resources(a), diffIptables(a, c)))
      }),
      { numRuns: runs(15) },
    )
  })
})

describe('diffCanonical', () => {
  it('returns a patch with the same effect as a load of the canonical form', () => {
    fc.assert(
      fc.property(states, options, ([before, after], to) => {
        const patch = diffCanonical(before, after)
        const held = carryOut(carryOut(EMPTY_TABLES, diffCanonical(undefined, before), to), patch, to)
        expect(textsOf(held)).toEqual(textsOf(carryOut(EMPTY_TABLES, diffCanonical(undefined, after), to)))
        expect(patch.to).toBe(diffCanonical(after, after).from)
      }),
      { numRuns: runs(25) },
    )
  })
})

describe('toIptablesCommands', () => {
  it('returns commands that produce the same tables as a full load', () => {
    fc.assert(
      fc.property(states, options, ([before, after], to) => {
        const held = carryOut(loaded(before), diffIptables(before, after), to)
        expect(textsOf(held)).toEqual(textsOf(loaded(after)))
      }),
      { numRuns: runs(40) },
    )
  })

  it('keeps serving unchanged Services after every commit', () => {
    fc.assert(
      fc.property(pairsWithUntouchedServices, options, ([before, after], to) => {
        const untouched = untouchedServices(before, after)
        carryOut(loaded(before), diffIptables(before, after), to, (held) => {
          for (const service of untouched) expect(reached(held, service)).toEqual(service.destinations)
        })
      }),
      { numRuns: runs(30) },
    )
  })

  it('keeps each service port either served or rejected between commits', () => {
    fc.assert(
      fc.property(pairsWithKeptAddresses, options, fc.constantFrom(diffIptables, diffCanonical), (pair, to, diff) => {
        const [before, after] = pair
        const addresses = keptAddresses(pair)
        const start = carryOut(EMPTY_TABLES, diff(undefined, before), to)
        carryOut(start, diff(before, after), to, (held) => {
          for (const address of addresses)
            expect(dispatched(held, 'nat', address) || dispatched(held, 'filter', address)).toBe(true)
        })
      }),
      { numRuns: runs(30) },
    )
  })
})

const pairsWithKeptAddresses = statePairs.filter((pair) => keptAddresses(pair).length > 0)

/** Returns the cluster IPs with ports that both states have. */
function keptAddresses([before, after]: readonly [IptablesState, IptablesState]): readonly string[] {
  return clusterAddresses(before).filter((address) => clusterAddresses(after).includes(address))
}

const pairsWithUntouchedServices = statePairs.filter(([before, after]) => untouchedServices(before, after).length > 0)

interface Untouched {
  /** Its rules in shared chains of nat and filter, as `CHAIN SPEC`. */
  readonly nat: readonly string[]
  readonly filter: readonly string[]
  readonly destinations: readonly string[]
}

/** Returns the service ports that have identical block objects in both states, and the endpoints of their rules. */
function untouchedServices(before: IptablesState, after: IptablesState): readonly Untouched[] {
  const [filter, nat] = before.tables
  const kept = after.tables.map(({ blocks }) => new Set(blocks))
  return (nat?.blocks ?? []).flatMap((block) => {
    const rejections = filter?.blocks.filter(({ owner }) => owner === block.owner) ?? []
    if (block.owner === '' || !kept[1]?.has(block) || !rejections.every((other) => kept[0]?.has(other))) return []
    const own = new Set(block.chains)
    const service = {
      nat: linesOf(getBlockRules(block).filter(({ chain }) => !own.has(chain))),
      filter: linesOf(rejections.flatMap(getBlockRules)),
    }
    return [{ ...service, destinations: reached(loaded(before), service) }]
  })
}

function linesOf(rules: Parameters<typeof printRuleLines>[0]): readonly string[] {
  return printRuleLines(rules, 'restore', 'IPv4').split('\n').slice(0, -1)
}

/** Returns the endpoints that a service port's rules reach, and reports missing rules separately. */
function reached(tables: HeldTables, service: Pick<Untouched, 'nat' | 'filter'>): readonly string[] {
  const nat = tables.get('nat') ?? new Map()
  const filter = tables.get('filter') ?? new Map()
  const leads = reachable(nat, 'PREROUTING').has('KUBE-SERVICES') && reachable(filter, 'INPUT').has('KUBE-NODEPORTS')
  if (!leads) return ['not dispatched']
  const missing = [...absent(nat, service.nat), ...absent(filter, service.filter)]
  const targets = service.nat.flatMap((line) => jumpOf({ spec: line }) ?? [])
  const chains = new Set(targets.flatMap((target) => [...reachable(nat, target)]))
  const rules = [...chains].flatMap((chain) => nat.get(chain) ?? [])
  return [...missing, ...rules.flatMap(({ spec }) => /--to-destination (\S+)/.exec(spec)?.[1] ?? []).sort()]
}

function absent(table: HeldTable, lines: readonly string[]): readonly string[] {
  return lines.filter((line) => {
    const [, chain = '', spec = ''] = /^-A (\S+) (.*)$/.exec(line) ?? []
    return !table.get(chain)?.some((rule) => rule.spec === spec)
  })
}

function reachable(table: HeldTable, from: string): ReadonlySet<string> {
  const found = new Set([from])
  for (const chain of found) for (const rule of table.get(chain) ?? []) found.add(jumpOf(rule) ?? chain)
  return found
}

/** Returns cluster IPs with their protocol: `udp 172.30.0.1`. */
function clusterAddresses(state: IptablesState): readonly string[] {
  const specs = [...loaded(state).values()].flatMap((chains) => chains.get('KUBE-SERVICES') ?? [])
  return specs.flatMap(({ spec }) => clusterAddress(spec) ?? [])
}

/** Parses either text format. */
function clusterAddress(spec: string): string | undefined {
  const address = /-d (172\.30\.[\d.]+)/.exec(spec)?.[1]
  return address && `${/-p (\S+)/.exec(spec)?.[1]} ${address}`
}

function dispatched(tables: HeldTables, table: string, address: string): boolean {
  return (
    tables
      .get(table)
      ?.get('KUBE-SERVICES')
      ?.some(({ spec }) => clusterAddress(spec) === address) ?? false
  )
}
