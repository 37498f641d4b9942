import type { Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addFractions, createFraction, formatFraction, parseFraction } from '../../../compiler/src/internal/fraction.js'
import { readState } from '../../../compiler/test/dataplane/iptables/read-rule.js'
import { buildPathTree, type PathTree } from '../../src/explain/path-tree.js'
import type { Assumption } from '../../src/program/assumptions.js'
import { trace } from '../../src/trace/trace.js'
import type { TracePath } from '../../src/trace/trace-paths.js'

const TO: Packet = {
  origin: 'outside',
  protocol: 'TCP',
  source: '203.0.113.2',
  destination: '10.96.0.1',
  destinationPort: 80,
  inInterface: 'eth0',
}

const HALF = '-m statistic --mode random --probability 0.5000000000'

/** Conditions for all endpoints, for single endpoints, and conditions that other rules share. */
const CONDITIONS = [
  ...[
    '',
    '-m hashlimit --hashlimit-upto 5/sec',
    '-m hashlimit --hashlimit-upto 6/sec',
    '-m set --match-set NOWHERE src',
  ],
  ...[
    '-d 10.0.0.1/32',
    '-d 10.0.0.2/31 -m hashlimit --hashlimit-upto 7/sec',
    '-d 10.0.0.0/31 -m set --match-set NO src',
  ],
  ...['-m mark --mark 0x10000/0x10000', HALF],
]

const rules = (chain: string, verdicts: readonly string[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...CONDITIONS), fc.constantFrom(...verdicts)), { maxLength: 4 })
    .map((drawn) => drawn.map(([condition, verdict]) => `-A ${chain} ${condition} ${verdict}`).join('\n'))

/** Generates a Service with a few endpoints after foreign rules. */
const states = fc
  .tuple(
    rules('PREROUTING', ['-j MARK --set-xmark 0x10000/0x10000', '-j ACCEPT', '-j DROP']),
    fc.integer({ min: 1, max: 4 }),
    rules('FORWARD', ['-j ACCEPT', '-j DROP', '-j REJECT', '-j NFQUEUE', '-j MARK --set-xmark 0x10000/0x10000']),
  )
  .map(([marking, count, filtering]) => {
    const chosen = Array.from({ length: count }, (_, index) => {
      const chance = index === count - 1 ? '' : HALF
      return `-A KUBE-SVC-A ${chance} -j DNAT --to-destination 10.0.0.${index}:80`
    })
    const nat = [':KUBE-SVC-A - [0:0]', '-A PREROUTING -j KUBE-SVC-A', ...chosen].join('\n')
    const tables = { mangle: marking, nat, filter: filtering }
    const text = Object.entries(tables).map(([name, lines]) => `*${name}\n${lines}\nCOMMIT\n`)
    return { family: 'IPv4', iptables: readState(text.join('')) } as const
  })

interface Leaf {
  readonly path: TracePath
  readonly given: readonly Assumption[]
}

function leavesOf(tree: PathTree, above: readonly Assumption[] = []): readonly Leaf[] {
  const given = [...above, ...tree.condition]
  if (tree.end !== undefined) return [{ path: tree.end.path, given }]
  return tree.branches.flatMap((branch) => leavesOf(branch, given))
}

function texts(assumptions: readonly Assumption[]): readonly string[] {
  return assumptions.map(({ condition, value }) => `${value} ${condition}`).sort()
}

/** Computes the probability of an outcome below a node of the tree, for given facts. */
function weightBelow(tree: PathTree, holds: (what: string) => boolean): string {
  const met = leavesOf(tree).filter(({ path }) =>
    path.assumptions.every((each) => holds(each.condition) === each.value),
  )
  return formatFraction(met.map(({ path }) => parseFraction(path.weight)).reduce(addFractions, createFraction(0n, 1n)))
}

function subtrees(tree: PathTree): readonly PathTree[] {
  return [tree, ...tree.branches.flatMap(subtrees)]
}

it('a path tree contains each path exactly once, only below the assumptions of that path', () => {
  const seen = { forks: 0, shares: 0, conditions: 0, gaps: 0 }
  fc.assert(
    fc.property(states, fc.func(fc.boolean()), (state, holds) => {
      const paths = trace(state, TO, { addresses: [] })
      const tree = buildPathTree(paths)
      const leaves = leavesOf(tree)
      expect(leaves.map(({ path }) => path)).toHaveLength(paths.length)
      expect(new Set(leaves.map(({ path }) => path))).toEqual(new Set(paths))
      for (const { path, given } of leaves) expect(texts(given)).toEqual(texts(path.assumptions))
      for (const each of subtrees(tree)) {
        if (each.share === undefined) continue
        // If an earlier assumption is false, everything below has probability 0.
        expect([each.share, '0']).toContain(weightBelow(each, holds))
        seen.shares++
        if (each.condition.length > 0) seen.conditions++
      }
      for (const { branches } of subtrees(tree)) if (branches.length > 0) seen.forks++
      seen.gaps += leaves.length - paths.filter(({ sharedSteps }) => sharedSteps === undefined).length
    }),
    { numRuns: 300 },
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5)
})

it('a path tree forks only if paths have different outcomes', () => {
  let questions = 0
  fc.assert(
    fc.property(states, (state) => {
      for (const { branches } of subtrees(buildPathTree(trace(state, TO, { addresses: [] })))) {
        const ends = branches.map(endsBelow)
        const conditions = new Set(branches.flatMap(({ condition: given }) => given.map(({ condition }) => condition)))
        const isQuestion =
          branches.length === 2 && branches.every(({ condition }) => condition.length === 1) && conditions.size === 1
        const keys = isQuestion
          ? ends
          : branches.map(({ condition }, index) => [...texts(condition), ends[index]].join('\n'))
        expect(new Set(keys).size).toBe(branches.length)
        if (isQuestion) questions++
      }
    }),
    { numRuns: 200 },
  )
  expect(questions).toBeGreaterThan(25)
})

function endsBelow(tree: PathTree): string {
  const ends = leavesOf({ ...tree, condition: [] }).map(({ path, given }) =>
    JSON.stringify([path.outcome, path.weight, texts(given)]),
  )
  return ends.sort().join('\n')
}
