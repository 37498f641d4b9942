import {
  checkOptionalCount,
  checkOptions,
  checkStringIterable,
} from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkResult } from '@kube-rules/compiler/internal/arguments/check-result'
import type { CompileResult, FamilyResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import type { IpFamily, Packet } from '@kube-rules/types'
import { compareSides } from '../compare/compare-sides.js'
import type { Comparison, Difference } from '../compare/comparison.js'
import type { ContestedPackets } from '../compare/comparison-side.js'
import { haveEqualEnds } from '../compare/equal-ends.js'
import type { DifferenceExplainer } from '../compare/expected-differences.js'
import { createContestedAddressFilter, isContested } from '../plan/contested-packets.js'
import { createPlanFilter } from '../plan/create-plan-filter.js'
import { createAddressRangeParser } from '../program/address-range.js'
import { TOO_MANY_PATHS } from '../program/chain-result.js'
import { MODE_DECISIONS } from '../targets/mode-decisions.js'
import { createDecisionSide, withoutProxyPorts } from './decision-side.js'
import { createRulesSide } from './rules-side.js'

/** Options of `prove`. */
export interface ProveOptions {
  /** The destination addresses to examine, such as those of a changed Service. Default: all. */
  readonly destinations?: Iterable<string> | undefined
  /**
   * The maximum number of packet classes to trace. `notProven` lists the destinations that this number is too small
   * for. Default: 1,000,000.
   */
  readonly maxClasses?: number | undefined
}

/** The proof that the rules of one address family do what kube-proxy does according to the plan. Plain data. */
export interface Proof {
  /** The address family. */
  readonly family: IpFamily
  /**
   * `proven`: the rules handle every packet as the plan decides, except for limitations of the mode. `refuted`: there
   * is a counterexample. `inconclusive`: there is no counterexample, but some packets were not examined.
   */
  readonly verdict: 'proven' | 'refuted' | 'inconclusive'
  /** The number of packet classes. The rules and the plan handle all packets of a class uniformly. */
  readonly classes: number
  /**
   * The limitations of the mode that make outcomes deviate from the plan, in order of first occurrence. `contested`
   * counts the packets that several service ports claim: kube-proxy selects one of these service ports at random, and
   * the proof is about one selection.
   */
  readonly limitations: readonly AppliedLimitation[]
  /**
   * Packets that the rules handle differently than kube-proxy does in this mode. Side `a` is the rules. Side `b` is the
   * outcome that follows from the plan, including the limitations of the mode.
   */
  readonly counterexamples: readonly Difference[]
  /** Packets with too many paths to determine their outcome. */
  readonly inconclusive: readonly Difference[]
  /** Destinations with too many packet classes to examine all of their packets. */
  readonly notProven: readonly string[]
}

/** A limitation of a mode, with the packets that it affects. */
export interface AppliedLimitation {
  /** The code. */
  readonly code: string
  /** The number of packet classes that the limitation explains, alone or with other limitations. */
  readonly classes: number
  /** An example packet. */
  readonly packet: Packet
}

/**
 * Proves that compiled rules do what the plan decides, for every packet: the first packet of a TCP, UDP or SCTP
 * connection from any source to any destination, with exact probabilities, masquerading and affinity timeouts. Returns
 * one proof for each address family. The proof covers this one result, not the compiler (translation validation).
 *
 * @throws DiagnosticsError (`invalidArgument`) for anything but a result of `compile`.
 *
 * @example
 * ```ts
 * const [proof] = prove(compile(input, { nodeName: 'node-1' }))
 * proof.verdict // => 'proven'
 * proof.counterexamples // => []
 * ```
 */
export function prove(result: CompileResult, options: ProveOptions = {}): readonly Proof[] {
  checkResult('result', result)
  checkOptionalCount(
    'options',
    checkOptions<ProveOptions>(options, { destinations: 'other', maxClasses: 'other' }),
    'maxClasses',
  )
  const { destinations, maxClasses } = options
  const selected =
    destinations === undefined
      ? undefined
      : new Set(checkStringIterable('destinations', destinations, 'an iterable of addresses'))
  return result.families.map((family) => proofOf(result.mode, family, selected, maxClasses))
}

function proofOf(
  mode: ProxyMode,
  { family, plan, state }: FamilyResult,
  selected: ReadonlySet<string> | undefined,
  maxClasses: number | undefined,
): Proof {
  const addresses = plan.node.addresses.map(({ address }) => address)
  const rules = createRulesSide(state, plan)
  const partOf = createPlanFilter(plan)
  const isContestedPacket = (packet: Packet) => isContested({ mode, plan: partOf(packet) }, packet)
  const sides = {
    ...{ family, addresses, rangeOf: createAddressRangeParser(family) },
    ...{ a: withoutProxyPorts(rules), b: createDecisionSide(mode, plan, rules.isLocal) },
    contested: createCountedPackets(createContestedAddressFilter(plan), isContestedPacket),
  }
  const explain: DifferenceExplainer = (packet, onRules) => {
    const decision = MODE_DECISIONS[mode](partOf(packet), packet)
    if (!haveEqualEnds(onRules, decision)) return undefined
    const contested = isContestedPacket(packet) ? [CONTESTED] : []
    return { a: [...new Set([...contested, ...decision.limitations])], b: [], both: [] }
  }
  return toProof(
    family,
    compareSides(sides, ({ address }) => selected?.has(address) !== false, explain, maxClasses),
  )
}

/** The code for packets that several service ports claim. kube-proxy selects one of these service ports at random. */
const CONTESTED = 'contested'

/**
 * Returns the contested packets that the rules handle as the plan decides. The decision is about one of the possible
 * selections of kube-proxy, so the proof counts these packets.
 */
function createCountedPackets(
  has: ContestedPackets['has'],
  isContestedPacket: (packet: Packet) => boolean,
): ContestedPackets {
  return {
    has,
    readSet: () => ({ sources: [], interfaces: [] }),
    compareRandomChoices: (packet, { equivalence }) =>
      equivalence === 'same' && isContestedPacket(packet)
        ? { equivalence: 'contested', choices: { a: [], b: [] } }
        : undefined,
  }
}

/**
 * Reports whether a trace stopped early because the packet has too many paths. Every other undetermined outcome is a
 * counterexample: compiled rules are complete, and contain only conditions that the decisions of the mode know.
 */
function isCut({ a }: Difference): boolean {
  return a.paths.some(({ outcome }) => outcome.kind === 'unknown' && outcome.reason === TOO_MANY_PATHS)
}

function verdictOf({ differences, inconclusive, notCompared = [] }: Comparison): Proof['verdict'] {
  if (differences.length > 0) return 'refuted'
  return inconclusive.length + notCompared.length > 0 ? 'inconclusive' : 'proven'
}

function toProof(family: IpFamily, compared: Comparison): Proof {
  const { classes, notCompared = [] } = compared
  const inconclusive = compared.inconclusive.filter(isCut)
  const differences = [...compared.differences, ...compared.inconclusive.filter((each) => !isCut(each))]
  return {
    family,
    verdict: verdictOf({ ...compared, differences, inconclusive }),
    classes,
    limitations: appliedLimitations(compared),
    counterexamples: differences,
    inconclusive,
    notProven: notCompared,
  }
}

/** Returns the limitations that explain deviations, and the contested packets. */
function appliedLimitations({ expected, contested = [] }: Comparison): readonly AppliedLimitation[] {
  const explained = expected?.limitations.map(({ code, classes, packet }) => ({ code, classes, packet })) ?? []
  const [first] = contested
  if (first === undefined) return explained
  const previous = explained.find(({ code }) => code === CONTESTED)
  const classes = contested.reduce((sum, each) => sum + each.classes, previous?.classes ?? 0)
  const packet = previous?.packet ?? first.packet
  return [...explained.filter((each) => each !== previous), { code: CONTESTED, classes, packet }]
}
