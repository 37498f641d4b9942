import type { Outcome } from '@kube-rules/types'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { Hook } from '../../../compiler/src/dataplane/netfilter/hooks.js'
import {
  addFractions,
  complementOf,
  type Fraction,
  formatFraction,
  multiplyFractions,
  ONE_FRACTION,
  parseFraction,
} from '../../../compiler/src/internal/fraction.js'
import { isWhole, runs } from '../../../compiler/test/support/runs.js'
import { createConditionTable } from '../../src/program/assumptions.js'
import type { Chain, Effect, Instruction, Literal, Program } from '../../src/program/program.js'
import { type TracePath, tracePaths } from '../../src/trace/trace-paths.js'
import { chain, half, instruction, jump, kernelPacket, NEVER, nodeFacts, UNKNOWN } from './programs.js'

/** A rule of a small program. Unknown rules have names of their own, so that each has one value per packet. */
interface SmallRule {
  readonly literals: readonly Literal[]
  readonly effect: Effect | 'call' | 'goto'
}

const mark = (bit: number, negated: boolean): Literal => ({
  kind: 'mark',
  of: 'packet',
  value: bit,
  mask: bit,
  negated,
})

const effects = fc.oneof<fc.Arbitrary<SmallRule['effect']>[]>(
  fc.constantFrom<SmallRule['effect'][]>('call', 'call', 'goto'),
  fc.constantFrom<Effect[]>({ kind: 'accept' }, { kind: 'drop' }, { kind: 'return' }, { kind: 'masquerade' }),
  fc.record({
    kind: fc.constant('setMark' as const),
    of: fc.constant('packet' as const),
    clear: fc.constantFrom(1, 3),
    flip: fc.constantFrom(0, 1, 2),
  }),
  fc.record({
    kind: fc.constant('forgetMark' as const),
    of: fc.constant('packet' as const),
    bits: fc.constantFrom(1, 2),
  }),
  fc.record({
    kind: fc.constant('translateDestination' as const),
    address: fc.constantFrom('10.244.1.1', '10.244.2.2'),
    port: fc.constant(8080),
  }),
)
const known = fc.oneof(
  fc.tuple(fc.constantFrom(1, 2), fc.boolean()).map(([bit, negated]) => mark(bit, negated)),
  fc.constantFrom(half, NEVER),
)
const rule: fc.Arbitrary<SmallRule> = fc.record({
  literals: fc.oneof(
    { weight: 3, arbitrary: fc.constant([UNKNOWN]) },
    { weight: 1, arbitrary: known.map((literal) => [literal, UNKNOWN]) },
    { weight: 2, arbitrary: known.map((literal) => [literal]) },
    { weight: 1, arbitrary: fc.constant([]) },
  ),
  effect: effects,
})

/** Three base chains, and three chains that are called one from the other, each at most once. */
const programs = fc.record({
  nat: fc.array(rule, { minLength: 1, maxLength: 4 }),
  filter: fc.array(rule, { maxLength: 3 }),
  postrouting: fc.array(rule, { maxLength: 2 }),
  called: fc.array(fc.array(rule, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 3 }),
})

type SmallProgram = typeof programs extends fc.Arbitrary<infer T> ? T : never

/** Creates a program. A rule that calls takes the next chain that nobody calls; without one it has no effect. */
function createProgram({ nat, filter, postrouting, called }: SmallProgram): Program {
  const waiting = called.map((rules, index) => ({ name: `C${index}`, rules }))
  const create = (name: string, rules: readonly SmallRule[]): Chain =>
    chain(
      name,
      rules.map(({ literals, effect }, index) => instruction(`${name}${index}`, literals, ...effectsOf(effect))),
    )
  const effectsOf = (effect: SmallRule['effect']): readonly Effect[] => {
    if (effect !== 'call' && effect !== 'goto') return [effect]
    const next = waiting.shift()
    if (next === undefined) return []
    const to = create(next.name, next.rules)
    return [effect === 'call' ? jump(to) : { kind: 'goto', chain: { name: to.name, resolve: () => to } }]
  }
  const base = (hook: Hook, translates: boolean, name: string, rules: readonly SmallRule[]) =>
    rules.length === 0 ? [] : [{ hook, priority: 0, translates, chain: create(name, rules) }]
  const hooks = {
    PREROUTING: base(
      'PREROUTING',
      true,
      'N',
      nat.filter(({ effect }) => isAllowed(effect, 'masquerade')),
    ),
    FORWARD: base(
      'FORWARD',
      false,
      'F',
      filter.filter(({ effect }) => isAllowed(effect, 'masquerade', 'translateDestination')),
    ),
    POSTROUTING: base(
      'POSTROUTING',
      true,
      'P',
      postrouting.filter(({ effect }) => isAllowed(effect, 'translateDestination')),
    ),
  }
  return { hooks: { ...hooks, INPUT: [], OUTPUT: [] } }
}

function isAllowed(effect: SmallRule['effect'], ...excluded: readonly Effect['kind'][]): boolean {
  return typeof effect === 'string' ? excluded.length === 1 : !excluded.includes(effect.kind)
}

/** The packet of the second implementation: what the rules of small programs can read and change. */
interface SmallPacket {
  readonly mark: number
  /** The bits of the mark that are unknown; they are 0 in the mark. */
  readonly unknownMark: number
  readonly to: string | undefined
  readonly masqueraded: boolean
}

/** One of the ways of a packet through rules. */
interface Way {
  readonly end: 'return' | 'accept' | 'drop'
  readonly packet: SmallPacket
  readonly weight: Fraction
}

type Distribution = Map<string, Fraction>
/** Gives each unknown rule a value. */
type Assignment = (rule: string) => boolean

/** Follows a packet by trying both results of each random choice. */
function outcomesOf({ hooks }: Program, isTrue: Assignment): Distribution {
  let ways: readonly Way[] = [
    { end: 'return', packet: { mark: 0, unknownMark: 0, to: undefined, masqueraded: false }, weight: ONE_FRACTION },
  ]
  for (const { chain: each } of [...hooks.PREROUTING, ...hooks.FORWARD, ...hooks.POSTROUTING])
    ways = ways.flatMap((way) =>
      way.end === 'drop' ? [way] : scale(waysThrough(rulesOf(each), way.packet, isTrue), way.weight),
    )
  const outcomes: Distribution = new Map()
  for (const { end, packet, weight } of ways)
    add(outcomes, end === 'drop' ? 'dropped' : formatOutcome(packet.to, packet.masqueraded), weight)
  return outcomes
}

function rulesOf({ instructionsFor }: Chain): readonly Instruction[] {
  return instructionsFor(kernelPacket(), false)
}

function scale(ways: readonly Way[], share: Fraction): readonly Way[] {
  return share.numerator === 0 ? [] : ways.map((way) => ({ ...way, weight: multiplyFractions(share, way.weight) }))
}

function waysThrough([rule, ...rest]: readonly Instruction[], packet: SmallPacket, isTrue: Assignment): readonly Way[] {
  if (rule === undefined) return [{ end: 'return', packet, weight: ONE_FRACTION }]
  const pass = (next: SmallPacket) => waysThrough(rest, next, isTrue)
  const chance = chanceOf(rule, packet, isTrue)
  return [...scale(waysAfterMatch(rule, packet, pass, isTrue), chance), ...scale(pass(packet), complementOf(chance))]
}

function waysAfterMatch(
  { effects: [, effect] }: Instruction,
  packet: SmallPacket,
  pass: (next: SmallPacket) => readonly Way[],
  isTrue: Assignment,
): readonly Way[] {
  switch (effect?.kind) {
    case 'accept':
    case 'drop':
    case 'return':
      return [{ end: effect.kind, packet, weight: ONE_FRACTION }]
    case 'masquerade':
      return [{ end: 'accept', packet: { ...packet, masqueraded: true }, weight: ONE_FRACTION }]
    case 'translateDestination':
      return [{ end: 'accept', packet: { ...packet, to: `${effect.address}:${effect.port}` }, weight: ONE_FRACTION }]
    case 'setMark':
      return pass({
        ...packet,
        mark: ((packet.mark & ~effect.clear) ^ effect.flip) & ~(packet.unknownMark & ~effect.clear),
        unknownMark: packet.unknownMark & ~effect.clear,
      })
    case 'forgetMark':
      return pass({
        ...packet,
        mark: packet.mark & ~effect.bits,
        unknownMark: packet.unknownMark | effect.bits,
      })
    case 'jump':
      return waysThrough(rulesOf(effect.chain.resolve() as Chain), packet, isTrue).flatMap((way) =>
        way.end === 'return' ? scale(pass(way.packet), way.weight) : [way],
      )
    case 'goto':
      return waysThrough(rulesOf(effect.chain.resolve() as Chain), packet, isTrue)
    default:
      return pass(packet)
  }
}

function formatOutcome(to: string | undefined, masqueraded: boolean): string {
  return `${to ?? 'unmatched'}${masqueraded ? ' masqueraded' : ''}`
}

function add(outcomes: Distribution, outcome: string, weight: Fraction): void {
  const before = outcomes.get(outcome)
  outcomes.set(outcome, before === undefined ? weight : addFractions(before, weight))
}

const ZERO: Fraction = { numerator: 0, denominator: 1 }

/** Returns the probability that a rule matches. */
function chanceOf({ literals, condition }: Instruction, packet: SmallPacket, isTrue: Assignment): Fraction {
  let chance = ONE_FRACTION
  let isUnknown = false
  for (const literal of literals) {
    if (literal.kind === 'always') return ZERO
    if (literal.kind === 'mark' && (packet.unknownMark & literal.mask) !== 0) isUnknown = true
    else if (literal.kind === 'mark' && ((packet.mark & literal.mask) === literal.value) === (literal.negated === true))
      return ZERO
    if (literal.kind === 'unknown') isUnknown = true
    if (literal.kind === 'chance') chance = literal.share
  }
  if (!isUnknown) return chance
  return isTrue(condition()) ? ONE_FRACTION : ZERO
}

/** Returns the outcomes of the paths whose assumptions all have these values. */
function tracedOutcomes(paths: readonly TracePath[], isTrue: Assignment): Distribution {
  const outcomes: Distribution = new Map()
  for (const { outcome, weight, assumptions } of paths) {
    if (assumptions.some(({ condition, value }) => isTrue(condition) !== value)) continue
    add(outcomes, textOf(outcome), parseFraction(weight))
  }
  return outcomes
}

function textOf(outcome: Outcome): string {
  if (outcome.kind === 'delivered') return formatOutcome(`${outcome.address}:${outcome.port}`, outcome.masqueraded)
  return outcome.kind === 'unmatched' ? formatOutcome(undefined, outcome.masqueraded) : outcome.kind
}

function formatOutcomes(outcomes: Distribution): string {
  return [...outcomes]
    .map(([outcome, weight]) => `${formatFraction(weight)} ${outcome}`)
    .sort()
    .join(', ')
}

/** Returns the names of the rules whose condition is unknown, or may be because a rule makes a mark unknown. */
function unknownRulesOf({ hooks }: Program, marksAreForgotten: boolean): readonly string[] {
  const inChain = (each: Chain): readonly string[] =>
    rulesOf(each).flatMap(({ literals, condition, effects: [, effect] }) => [
      ...(literals.some(({ kind }) => kind === 'unknown' || (marksAreForgotten && kind === 'mark'))
        ? [condition()]
        : []),
      ...(effect?.kind === 'jump' || effect?.kind === 'goto' ? inChain(effect.chain.resolve() as Chain) : []),
    ])
  return Object.values(hooks).flatMap((bases) => bases.flatMap(({ chain: each }) => inChain(each)))
}

/** Returns every assignment of values to names. */
function assignmentsOf(names: readonly string[]): readonly Assignment[] {
  return Array.from(
    { length: 2 ** names.length },
    (_, bits) => (name: string) => ((bits >> names.indexOf(name)) & 1) === 1,
  )
}

describe('a trace through a small program', () => {
  let assignments = 0
  let flips = 0
  let joined = 0

  const trace = (program: Program) =>
    tracePaths({ packet: kernelPacket() }, { program, facts: nodeFacts(), conditions: createConditionTable() })

  it('has the outcomes of all values of unknown rules, and names only rules that matter', () => {
    fc.assert(
      fc.property(programs, (small) => {
        const program = createProgram(small)
        const marksAreForgotten = Object.values(small)
          .flat(2)
          .some(({ effect }) => typeof effect === 'object' && effect.kind === 'forgetMark')
        const names = unknownRulesOf(program, marksAreForgotten)
        // Of more conditions, `trace` does not try all combinations of values.
        fc.pre(names.length <= 5)
        const paths = trace(program)
        const isJoined = paths.some(({ assumptions }) =>
          assumptions.some(({ condition }) => !names.includes(condition)),
        )
        if (isJoined) {
          joined++
          return
        }
        const all = assignmentsOf(names)
        const expected = all.map((isTrue) => formatOutcomes(outcomesOf(program, isTrue)))
        all.forEach((isTrue, at) => {
          assignments++
          expect(formatOutcomes(tracedOutcomes(paths, isTrue))).toBe(expected[at])
        })
        for (const { assumptions } of paths) {
          for (const { condition } of assumptions) {
            flips++
            const bit = 1 << names.indexOf(condition)
            const isDecisive = expected.some((outcome, at) => outcome !== expected[at ^ bit])
            expect(isDecisive, `${condition} does not matter`).toBe(true)
          }
        }
      }),
      { numRuns: runs(3000) },
    )
  })

  afterAll(() => {
    if (!isWhole) return
    expect(assignments).toBeGreaterThan(10_000)
    expect(flips).toBeGreaterThan(3_000)
    expect(joined).toBeGreaterThan(5)
  })
})
