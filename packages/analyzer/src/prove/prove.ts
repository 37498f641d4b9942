import {
  checkOptionalCount,
  checkOptions,
  checkStringIterable,
} from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkResult } from '@kube-rules/compiler/internal/arguments/check-result'
import type { CompileResult, FamilyResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import { type Claimant, type Decision, decide, findClaimants } from '@kube-rules/compiler/internal/plan/decide'
import { hasLowerPrecedence } from '@kube-rules/compiler/internal/plan/precedence'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import type { IpFamily, Outcome, Packet } from '@kube-rules/types'
import { type Comparison, compareSides, type Difference, type DifferenceExplainer } from '../compare/compare-sides.js'
import type { ContestedPackets } from '../compare/comparison-side.js'
import { findExplainingLimitations, hasComputedOutcome } from '../compare/find-explaining-limitations.js'
import { createContestedAddressFilter, isContested } from '../plan/contested-packets.js'
import { createPlanFilter } from '../plan/create-plan-filter.js'
import type { ModePlan } from '../plan/mode-plan.js'
import { PORT_UNREACHABLE_MESSAGES } from '../plan/outcomes-of-decision.js'
import { removeOtherClaimants } from '../plan/remove-frontends.js'
import { createAddressRangeParser } from '../program/address-range.js'
import { TOO_MANY_PATHS } from '../program/chain-result.js'
import type { TracePath } from '../trace/trace-paths.js'
import { createPlanSide, withoutProxyPorts } from './plan-side.js'
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

/** The proof that the rules of one address family do what the plan decides. Plain data. */
export interface Proof {
  /** The address family. */
  readonly family: IpFamily
  /**
   * `proven`: the rules handle every packet as the plan decides, except for limitations of the mode. `refuted`: there
   * is a counterexample. `inconclusive`: there is no counterexample, but some packets were not examined, or their
   * outcome is undetermined.
   */
  readonly verdict: 'proven' | 'refuted' | 'inconclusive'
  /** The number of packet classes. The rules and the plan handle all packets of a class uniformly. */
  readonly classes: number
  /**
   * The limitations of the mode that explain deviations, in order of first occurrence. `contested` counts the packets
   * that several service ports claim: kube-proxy selects one of these service ports at random, and the proof is about
   * one selection.
   */
  readonly limitations: readonly AppliedLimitation[]
  /** Packets that the rules handle differently than the plan decides. Side `a` is the rules, side `b` is the plan. */
  readonly counterexamples: readonly Difference[]
  /** Packets with an undetermined outcome. */
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
  checkOptionalCount('options', checkOptions(options), 'maxClasses')
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
    ...{ a: withoutProxyPorts(rules), b: createPlanSide(plan, rules.isLocal) },
    contested: createCountedPackets(createContestedAddressFilter(plan), isContestedPacket),
  }
  const explain: DifferenceExplainer = (packet, onRules) => {
    if (onRules.some(isOtherRejection)) return undefined
    const part = partOf(packet)
    const limitations = findExplainingLimitations({ mode, plan: part }, packet, onRules)
    const contested = isContestedPacket(packet) ? [CONTESTED] : []
    // An empty list means that only session affinity differs. No limitation explains this difference.
    if (limitations !== undefined)
      return limitations.length === 0 ? undefined : { a: [...contested, ...limitations], b: [], both: [] }
    // In these modes, the outcome is exact even if several frontends claim the destination.
    if (hasComputedOutcome(mode)) return undefined
    const others = findOtherWinner({ mode, plan: part }, packet, onRules)
    return others && { a: [CONTESTED, ...others], b: [], both: [] }
  }
  return toProof(
    { mode, family },
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
    judge: (packet, { equivalence }) =>
      equivalence === 'same' && isContestedPacket(packet)
        ? { equivalence: 'contested', choices: { a: [], b: [] } }
        : undefined,
  }
}

/**
 * Explains the rules by the assumption that a later one of the frontends that claim the destination wins it. Returns the
 * limitations that then remain; undefined if no other winner explains the rules. A frontend that rejects or drops
 * packets loses, because the DNAT rules of other frontends come before its rule. A frontend without endpoints under its
 * traffic policy loses, because its chain returns. The first frontend that does not lose wins.
 */
function findOtherWinner(
  { mode, plan }: ModePlan,
  packet: Packet,
  onRules: readonly TracePath[],
): readonly string[] | undefined {
  const claimants = findClaimants(plan, packet)
  if (claimants.length < 2 || !LOSING.has(decide(plan, packet).kind)) return undefined
  for (const claimant of inOrderOfPrecedence(claimants)) {
    const other = removeOtherClaimants(plan, claimants, claimant)
    const decision = decide(other, packet)
    const paths = withoutSecondMatch(onRules, packet, decision)
    // The plan is tried both without the other claimants and as a whole, because rules of a claimant that loses can
    // also affect packets without dropping them.
    const limitations =
      findExplainingLimitations({ mode, plan: other }, packet, paths) ??
      findExplainingLimitations({ mode, plan }, packet, paths, decision)
    if (limitations !== undefined || !LOSING.has(decision.kind)) return limitations
  }
  return undefined
}

function inOrderOfPrecedence(claimants: readonly Claimant[]): readonly Claimant[] {
  const yields = ({ frontend }: Claimant) => hasLowerPrecedence(frontend)
  return [...claimants.filter((each) => !yields(each)), ...claimants.filter(yields)]
}

/**
 * Returns the paths as if the rejecting or dropping frontend had no rule. Its rule also blocks packets after DNAT, if
 * an endpoint of the winner has the same address and port as this frontend.
 */
function withoutSecondMatch(
  paths: readonly TracePath[],
  { destination: address, destinationPort: port }: Packet,
  winner: Decision,
): readonly TracePath[] {
  if (winner.kind !== 'endpoints') return paths
  const contested = winner.candidates.find(({ endpoint }) => endpoint.ip === address && endpoint.port === port)
  if (contested === undefined) return paths
  const outcome: Outcome = { kind: 'delivered', address, port, masqueraded: contested.masquerade }
  return paths.map((path) => (isBlocked(path) ? { ...path, outcome } : path))
}

const LOSING: ReadonlySet<Decision['kind']> = new Set(['reject', 'drop', 'unmatched'])

function isBlocked({ outcome }: TracePath): boolean {
  return outcome.kind === 'rejected' || outcome.kind === 'dropped'
}

/**
 * Reports whether the packet is rejected with an ICMP error that kube-proxy never uses. No limitation explains such a
 * rejection.
 */
function isOtherRejection({ outcome }: TracePath): boolean {
  return outcome.kind === 'rejected' && !ERRORS.has(outcome.with)
}

const ERRORS: ReadonlySet<string> = new Set(Object.values(PORT_UNREACHABLE_MESSAGES))

/**
 * Reports whether the rules contain something that has no known meaning: a jump to a missing chain, a word that nft does
 * not have, or an element without a verdict. Compiled rules are complete and contain only what the model of the kernel
 * knows.
 */
function isInvalid(mode: ProxyMode, { a }: Difference): boolean {
  return a.paths.some(({ outcome, assumptions }) =>
    outcome.kind === 'unknown'
      ? outcome.reason !== TOO_MANY_PATHS
      : !HAS_BRIDGE_MATCHES[mode] && assumptions.length > 0,
  )
}

/** Whether compiled rules can depend on a condition that is unknown: whether a packet comes through a bridge. */
const HAS_BRIDGE_MATCHES: { readonly [M in ProxyMode]: boolean } = {
  iptables: true,
  ipvs: true,
  nftables: false,
  userspace: true,
}

function verdictOf({ differences, inconclusive, notCompared = [] }: Comparison): Proof['verdict'] {
  if (differences.length > 0) return 'refuted'
  return inconclusive.length + notCompared.length > 0 ? 'inconclusive' : 'proven'
}

function toProof(
  { mode, family }: { readonly mode: ProxyMode; readonly family: IpFamily },
  compared: Comparison,
): Proof {
  const { classes, notCompared = [] } = compared
  const invalid = new Set(compared.inconclusive.filter((each) => isInvalid(mode, each)))
  const differences = [...compared.differences, ...invalid]
  const inconclusive = compared.inconclusive.filter((each) => !invalid.has(each))
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
