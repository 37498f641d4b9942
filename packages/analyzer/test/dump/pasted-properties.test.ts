import { IP_FAMILIES, type IpFamily, type Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompileResult, FamilyResult } from '../../../compiler/src/compilation/compile-result.js'
import type { Rule } from '../../../compiler/src/dataplane/iptables/ast.js'
import { chainsOf } from '../../../compiler/src/dataplane/iptables/chains.js'
import { printRule } from '../../../compiler/src/dataplane/iptables/print/print.js'
import { resourcesOf } from '../../../compiler/src/dataplane/node-resources.js'
import type { Dump, NodeState, Subsystem } from '../../../compiler/src/dataplane/node-state.js'
import type { Plan } from '../../../compiler/src/plan/plan.js'
import { print } from '../../../compiler/src/print/print.js'
import { PROXY_MODES, type ProxyMode } from '../../../compiler/src/targets/modes.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { compileCase } from '../../../compiler/test/support/compiled.js'
import { type Cut, cutsOf } from '../../../compiler/test/support/cut-dump.js'
import { pathsText } from '../../../compiler/test/support/paths-text.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { fewRuns } from '../../../compiler/test/support/runs.js'
import { withChainsOfKubelet } from '../../../compiler/test/support/subsystems.js'
import { anyPacket } from '../../../testing/src/arbitraries/packets.js'
import { parseDump } from '../../src/dump/parse-dump.js'
import { hasOmissionMarkers } from '../../src/dump/pasted/parse-paste.js'
import { MISSING_TABLES_CONDITION, preferKnownPaths } from '../../src/program/missing-content.js'
import { trace } from '../../src/trace/trace.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import type { TracePath } from '../../src/trace/trace-paths.js'
import { verify } from '../../src/verify/verify.js'
import { canonicalizeState } from '../support/canonical-state.js'

// A fragment of a dump contains nothing beyond the dump. A trace through it never contradicts a trace through the
// complete dump: it agrees, or reports unknown.

interface Sample {
  readonly family: IpFamily
  readonly whole: NodeState
  readonly plan: Plan
  readonly cut: Cut
  readonly packets: readonly Packet[]
}

function samples(mode: ProxyMode): fc.Arbitrary<Sample> {
  return cases
    .map(({ cluster, options }) => {
      const own = optionsOfMode(options, mode)
      return compileCase({ cluster: understoodCluster(cluster, own), options: own })
    })
    .filter((result: CompileResult) => result.families.length > 0)
    .chain(({ families }) => fc.constantFrom(...families))
    .chain(({ state, plan, family }) => {
      const { iptables } = state
      const held = { ...state, ...(iptables && { iptables: withChainsOfKubelet(iptables) }) }
      const dump = print(held, { format: 'save' })
      const whole = readDump(dump, { family })[family]
      return fc
        .record({ cut: cutsOf(whole, dump), packets: fc.array(anyPacket(plan), { minLength: 4, maxLength: 4 }) })
        .map((rest) => ({ family, whole, plan, ...rest }))
    })
}

function readCut({ text }: Pick<Cut, 'text'>, family: IpFamily): Dump | undefined {
  const parsed = parseDump(text, { family, lenient: true })
  return parsed.ok ? parsed.value : undefined
}

function textsOf(rules: readonly Rule[], family: IpFamily, shows: (rule: Rule) => Rule): readonly string[] {
  return rules.map((rule) => printRule(shows(rule), 'save', family))
}

const asTheyAre = (rule: Rule): Rule => rule

/** Removes the matches that a listing without `-v` omits. */
const withoutInterfaces = ({ matches, ...rest }: Rule): Rule => ({
  ...rest,
  matches: matches.filter(({ kind }) => kind !== 'inInterface' && kind !== 'outInterface'),
})

/**
 * Expects that the lines are part of `whole`, without duplicates, and in its order. The order of lines from different
 * selections is unknown, so with two selections the order is checked within each selection.
 */
function expectPartOf(part: readonly string[], whole: readonly string[], selections: number, what: string): void {
  let ends: readonly (readonly number[])[] = [Array.from({ length: selections }, () => 0)]
  for (const line of part) {
    const next = ends.flatMap((end) =>
      end.flatMap((from, index) => {
        const found = whole.indexOf(line, from)
        return found < 0 ? [] : [end.map((at, other) => (other === index ? found + 1 : at))]
      }),
    )
    ends = [...new Map(next.map((end) => [end.join(' '), end])).values()]
    expect(ends.length, `${what}: ${line}`).toBeGreaterThan(0)
  }
  if (selections === 1) return
  const timesIn = (lines: readonly string[], line: string) => lines.filter((each) => each === line).length
  for (const line of new Set(part))
    expect(timesIn(part, line), `${what}: ${line}`).toBeLessThanOrEqual(timesIn(whole, line))
}

function expectSubState(part: NodeState, whole: NodeState, selections: number): void {
  const { family, coverage } = part
  const known = new Set(coverage?.complete)
  const truncated = new Set(coverage?.truncated)
  const wholeTables = whole.iptables === undefined ? [] : canonicalizeState(whole.iptables).tables
  for (const table of part.iptables === undefined ? [] : canonicalizeState(part.iptables).tables) {
    const own = wholeTables.find(({ name }) => name === table.name)
    const ownChains = own === undefined ? new Map<string, readonly Rule[]>() : chainsOf(own)
    for (const [chain, rules] of chainsOf(table)) {
      const id = `${table.name}/${chain}`
      const shows = truncated.has(id) ? withoutInterfaces : asTheyAre
      const [given, all] = [textsOf(rules, family, shows), textsOf(ownChains.get(chain) ?? [], family, shows)]
      expectPartOf(given, all, selections, id)
      const isWhole = coverage === undefined || known.has('iptables') || known.has(table.name) || known.has(id)
      if (isWhole) expect(given, `all of ${id}`).toEqual(all)
    }
  }
  const { iptables: _, ...others } = part
  const expected = resourcesOf(whole)
  for (const [id, { value }] of resourcesOf(others)) {
    const own = expected.get(id)
    expect(own, id).toBeDefined()
    if (known.has(id)) expect(value, `all of ${id}`).toEqual(own?.value)
  }
}

/**
 * Expects that no path contradicts the complete rules. A path may have a different outcome only if it depends on
 * missing rules.
 */
function expectNoContradiction(given: readonly TracePath[], whole: readonly TracePath[], what: string): void {
  expect(given.length, what).toBeGreaterThan(0)
  const ends = new Set(whole.map(({ outcome }) => JSON.stringify(outcome)))
  const command = new Set(whole.flatMap(({ assumptions }) => assumptions.map(({ condition }) => condition)))
  const certain = given.filter(
    ({ assumptions, outcome }) =>
      outcome.kind !== 'unknown' && assumptions.every((each) => command.has(each.condition)),
  )
  for (const path of certain) expect(ends, what).toContain(JSON.stringify(path.outcome))
  if (certain.length === given.length) expect(pathsText(given), what).toEqual(pathsText(whole))
}

describe.each(PROXY_MODES)('a partial dump of %s mode', (mode) => {
  it('contains only rules of the complete dump', () => {
    fc.assert(
      fc.property(samples(mode), ({ family, whole, cut }) => {
        const part = readCut(cut, family)
        for (const each of IP_FAMILIES) {
          if (part !== undefined && each === family) expectSubState(part[each], whole, cut.selections)
        }
      }),
      { numRuns: fewRuns(90) },
    )
  })

  it('does not change the outcome of any packet', () => {
    fc.assert(
      fc.property(samples(mode), ({ family, whole, plan, cut, packets }) => {
        const part = readCut(cut, family)
        if (part === undefined) return
        for (const packet of packets) {
          const traceContext = traceContextFor(plan)
          const given = trace(part[family], packet, traceContext)
          expectNoContradiction(given, trace(whole, packet, traceContext), `${cut.how}: ${JSON.stringify(packet)}`)
        }
      }),
      { numRuns: fewRuns(90) },
    )
  })
})

/** Generates a fragment of a node with the expected rules. */
function heldFragments(mode: ProxyMode): fc.Arbitrary<{ readonly result: CompileResult; readonly cut: Cut }> {
  return cases
    .map(({ cluster, options }) => {
      const own = { ...optionsOfMode(options, mode), families: ['IPv4' as const] }
      return compileCase({ cluster: understoodCluster(cluster, own), options: own })
    })
    .filter(({ families }) => families.length > 0)
    .chain((result) => {
      const [family] = result.families
      const dump = family === undefined ? '' : print(family.state, { format: 'save' })
      return cutsOf(readDump(dump).IPv4, dump).map((cut) => ({ result, cut }))
    })
}

/**
 * Returns the subsystems with an undetectable cut. Their fragment looks like the complete dump of a node with less
 * state, because `ipset save` may start or end with any set.
 */
function cutUnseen({ text }: Cut, { state }: FamilyResult): readonly Subsystem[] {
  const parsed = parseDump(text, { family: 'IPv4' })
  if (!parsed.ok || hasOmissionMarkers([text])) return []
  const found = parsed.value.IPv4
  const textOf = (of: NodeState, name: Subsystem) => print({ family: 'IPv4', [name]: of[name] }, { format: 'save' })
  return BY_LINE.filter((name) => found[name] !== undefined && textOf(found, name) !== textOf(state, name))
}

/** Subsystems with independent lines. */
const BY_LINE = ['ipset', 'ipvs', 'addresses'] as const satisfies readonly Subsystem[]

it.each(PROXY_MODES)('a partial dump of the compiled state has no drift in %s mode', (mode) => {
  fc.assert(
    fc.property(heldFragments(mode), ({ result, cut }) => {
      const part = readCut(cut, 'IPv4')
      const report = part && verify(result, part)
      const unseen = result.families.flatMap((family) => cutUnseen(cut, family))
      const drift = report?.families.flatMap(({ drift }) => drift.flatMap((each) => each.drift)) ?? []
      expect(
        drift.filter(({ kind, subsystem }) => kind !== 'missing' || !unseen.some((name) => name === subsystem)),
        cut.how,
      ).toEqual([])
      if (unseen.length === 0) expect(report?.families.flatMap(({ repair }) => repair) ?? [], cut.how).toEqual([])
    }),
    { numRuns: fewRuns(60) },
  )
})

describe('partial dumps of iptables mode', () => {
  it('produce the same diagnoses as complete dumps if both tables are listed with interfaces', () => {
    fc.assert(
      fc.property(samples('iptables'), ({ family, whole, plan, packets }) => {
        const lists = (whole.iptables?.tables ?? []).map(({ name }) => {
          const tool = family === 'IPv4' ? 'iptables' : 'ip6tables'
          const dump = print(
            {
              family,
              iptables: { family, tables: whole.iptables?.tables.filter((table) => table.name === name) ?? [] },
            },
            { format: 'save' },
          )
          const lines = dump.split('\n').flatMap((line) => {
            const chain = /^:(\S+) (\S+)/.exec(line)
            if (chain !== null) return chain[2] === '-' ? [`-N ${chain[1]}`] : [`-P ${chain[1]} ${chain[2]}`]
            return line.startsWith('-A ') ? [line] : []
          })
          return [`$ ${tool} -t ${name} -S`, ...lines].join('\n')
        })
        const part = readCut({ text: lists.join('\n') }, family)
        for (const packet of packets) {
          const traceContext = traceContextFor(plan)
          const given = preferKnownPaths(part === undefined ? [] : trace(part[family], packet, traceContext))
          const bare = given.map((path) => ({
            ...path,
            assumptions: path.assumptions.filter(({ condition }) => condition !== MISSING_TABLES_CONDITION),
          }))
          const expected = pathsText(trace(whole, packet, traceContext))
          expect(pathsText(bare), lists.join('\n')).toEqual(expected)
        }
      }),
      { numRuns: fewRuns(30) },
    )
  })
})
