import { checkChoice, checkOptionalChoice, checkOptions } from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkResult } from '@kube-rules/compiler/internal/arguments/check-result'
import { checkDump } from '@kube-rules/compiler/internal/arguments/check-state'
import { toChangeCommands } from '@kube-rules/compiler/internal/commands/change-commands'
import type { CompileResult, FamilyResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import {
  EMPTY_COMPARISON,
  mergeComparisons,
  type StateComparison,
} from '@kube-rules/compiler/internal/dataplane/comparison'
import { resourcesOf, resourcesOfSubsystem } from '@kube-rules/compiler/internal/dataplane/node-resources'
import {
  type Dump,
  type NodeState,
  SUBSYSTEMS,
  type Subsystem,
} from '@kube-rules/compiler/internal/dataplane/node-state'
import { TOOL_NAMES } from '@kube-rules/compiler/internal/dataplane/tool-names'
import { IPTABLES_BACKENDS, type IptablesBackend } from '@kube-rules/compiler/internal/dataplane/tool-options'
import { compareValues } from '@kube-rules/compiler/internal/internal/compare-values'
import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import type { ResourcePair } from '@kube-rules/compiler/internal/patch/diff-resources'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { findExclusiveModes } from '@kube-rules/compiler/internal/reconcile/belongs-to-kube-proxy'
import {
  compareLeftovers,
  compareSubsystem,
  diffPairsInOrder,
  type ExpectedFamily,
} from '@kube-rules/compiler/internal/reconcile/node-changes'
import { findOwnership } from '@kube-rules/compiler/internal/reconcile/resource-ownership'
import { PROXY_MODES, type ProxyMode, SUBSYSTEMS_OF_MODE } from '@kube-rules/compiler/internal/targets/modes'
import { isKubeletChain } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { IP_FAMILIES } from '@kube-rules/types'
import { completeState } from '../dataplane/complete-state.js'
import { LOCAL_TRAFFIC_DETECTION_READERS } from '../targets/local-traffic-detection-readers.js'
import { inferVersions } from '../targets/nftables/infer-versions.js'
import { annotateOwners } from './annotate-owners.js'
import { type CaveatInputs, findCaveats } from './caveats.js'
import type { Drift, DriftGroup, FamilyReport, NodeVerdict, UnverifiedContent, VerifyReport } from './report.js'
import { restrictToCoverage } from './restrict-to-coverage.js'

/**
 * Returns the minor versions of kube-proxy (`1.34`) that write such a state. Undefined if the state does not determine
 * them.
 */
type VersionReader = (state: NodeState) => readonly string[] | undefined

const VERSION_READERS: { readonly [M in ProxyMode]: VersionReader | undefined } = {
  iptables: undefined,
  ipvs: undefined,
  nftables: ({ nftables }) => nftables && inferVersions(nftables),
  userspace: undefined,
}

/**
 * Returns the minor versions of kube-proxy (`1.34`), oldest first, that write the rules of a dump in a mode. Returns an
 * empty list if the rules do not determine them, as in every mode but nftables.
 *
 * @throws DiagnosticsError with `invalidArgument` for an unknown mode and anything but a dump.
 */
export function findVersionsOfDump(mode: ProxyMode, dump: Dump): readonly string[] {
  checkChoice('mode', mode, PROXY_MODES)
  checkDump('dump', dump)
  const found = IP_FAMILIES.flatMap((family) => {
    const versions = VERSION_READERS[mode]?.(dump[family])
    return versions === undefined ? [] : [versions]
  })
  const [first = [], ...others] = found
  return first.filter((version) => others.every((versions) => versions.includes(version)))
}

/** Options of `verify`. */
export interface VerifyOptions {
  /** The iptables backend of the node, for the repair commands. Default `nft`. */
  readonly backend?: IptablesBackend | undefined
  /**
   * Whether the dump is complete, so that missing parts are drift. By default, missing tables, servers and devices are
   * unverified. The tools print nothing if these parts do not exist, but the dump also has nothing if a tool did not
   * run.
   */
  readonly complete?: boolean | undefined
}

/**
 * Compares the compiled rules with the rules of a node. Returns the drift and the commands that repair it.
 *
 * Rules are equal if the kernel handles them the same. The order of service ports in shared chains is not drift,
 * because kube-proxy leaves this order to chance. Resources that do not belong to kube-proxy are ignored: chains and
 * rules of other programs; KUBE-FIREWALL except for the rule of kube-proxy; KUBE-MARK-DROP and the canaries; virtual
 * servers within `excludeCIDRs`; real servers with weight 0 that wait for the end of their connections. Resources that
 * the dump does not contain are `unverified`. If the dump is a fragment, only the content of the fragment is compared,
 * and a subsystem is repaired only if all relevant parts are known.
 *
 * @example
 * ```ts
 * const result = compile(input, { nodeName: 'node-1', families: ['IPv4'] })
 * const text = print(result.families[0].state, { format: 'save' })
 * verify(result, parseDump(text).value).verdict // => 'noDrift'
 * ```
 */
export function verify(desired: CompileResult, dump: Dump, options: VerifyOptions = {}): VerifyReport {
  checkResult('desired', desired)
  checkDump('dump', dump)
  const fields = checkOptions<VerifyOptions>(options, { backend: 'other', complete: 'boolean' })
  checkOptionalChoice('options', fields, 'backend', IPTABLES_BACKENDS)
  const { mode } = desired
  const { backend = 'nft', complete = false } = options
  const isOwn = SUBSYSTEMS_OF_MODE[mode].some((name) =>
    desired.families.some(({ family }) => dump[family][name] !== undefined),
  )
  const context = { mode, backend, complete, withLeftovers: complete || isOwn }
  const families = desired.families.map((each) => verifyFamily(each, dump[each.family], context))
  return { mode, verdict: verdictOf(families), families }
}

function verdictOf(families: readonly FamilyReport[]): NodeVerdict {
  if (families.some(({ drift }) => drift.length > 0)) return 'drift'
  return families.some(({ unverified }) => unverified.length > 0) ? 'notVerified' : 'noDrift'
}

interface Context {
  readonly mode: CompileResult['mode']
  readonly backend: IptablesBackend
  readonly complete: boolean
  /**
   * Whether subsystems that the mode does not use are also compared. They are not compared if the dump contains no
   * subsystem of the mode, because the dump may then be from another mode.
   */
  readonly withLeftovers: boolean
}

function verifyFamily({ family, state, plan }: FamilyResult, dumped: NodeState, context: Context): FamilyReport {
  const { mode, backend, complete, withLeftovers } = context
  const subsystems = SUBSYSTEMS_OF_MODE[mode]
  const actual = complete ? completeState(dumped, subsystems) : dumped
  const comparisons = subsystems.map((name): SubsystemComparison => {
    const ownership = findOwnership(name, mode, plan)
    if (actual[name] === undefined || ownership === undefined) return { name }
    const attributed = { ...ownership, isComplete: complete, attribute: () => annotateOwners(actual)[name] }
    const comparison = compareSubsystem(name, state, actual, attributed)
    if (actual.coverage === undefined) return { name, comparison }
    const expected = resourcesOfSubsystem(name, state).keys()
    return {
      name,
      comparison: restrictToCoverage(comparison, { subsystem: name, expected, coverage: actual.coverage }),
    }
  })
  const leftovers = withLeftovers ? SUBSYSTEMS.flatMap((name) => leftoversIn(name, { mode, state, plan }, actual)) : []
  const { pairs, others } = mergeComparisons(
    [...comparisons, ...leftovers].flatMap(({ comparison }) => comparison ?? []),
  )
  const { excludeCidrs } = plan.kernel.ipvs
  const drift = groupDrift([...comparisons, ...leftovers].flatMap(driftOf))
  return {
    family,
    caveats: drift.length === 0 ? [] : findCaveats({ ...caveatFactsOf({ actual, state }, pairs, plan, mode), drift }),
    drift,
    unverified: comparisons.flatMap(unverifiedOf),
    otherChains: others.filter((id) => !isKubeletChain(id)),
    kubeletChains: others.filter(isKubeletChain),
    repair: toChangeCommands(diffPairsInOrder(pairs), { family, backend, excludeCidrs }),
  }
}

/**
 * Compares a subsystem that the mode does not use. Only the leftovers of other modes are drift. The rest of this
 * subsystem is not verified.
 */
function leftoversIn(name: Subsystem, expected: ExpectedFamily, actual: NodeState): readonly SubsystemComparison[] {
  const comparison = compareLeftovers(name, expected, actual)
  return comparison === undefined ? [] : [{ name, comparison: { ...comparison, unverified: [], others: [] } }]
}

/** Returns the inputs for caveats: facts that show whether the dump is from the compiled node. */
function caveatFactsOf(
  { actual, state }: { readonly actual: NodeState; readonly state: NodeState },
  pairs: readonly ResourcePair[],
  { node, services }: Plan,
  mode: ProxyMode,
): Omit<CaveatInputs, 'drift'> {
  const unwanted = pairs.flatMap(({ before, after }) => (before === undefined || after !== undefined ? [] : before.id))
  const isOfOther = findExclusiveModes(unwanted).some((name) => name !== mode)
  return {
    mode,
    // Searching all resources of a large node is slow. They are searched only if unexpected resources indicate another
    // mode.
    activeModes: isOfOther ? findExclusiveModes(resourcesOf(actual).keys()) : [mode],
    expectedPods: node.localTrafficDetection,
    actualPods: LOCAL_TRAFFIC_DETECTION_READERS[mode](actual),
    expectedVersions: VERSION_READERS[mode]?.(state),
    actualVersions: VERSION_READERS[mode]?.(actual),
    podCidrs: node.podCidrs.map(({ text }) => text),
    servicePorts: services.length,
  }
}

/** The result of comparing one subsystem. `comparison` is absent if the dump has no content of this subsystem. */
interface SubsystemComparison {
  readonly name: Subsystem
  readonly comparison?: StateComparison | undefined
}

function driftOf({ name, comparison = EMPTY_COMPARISON }: SubsystemComparison): readonly ServicePortDrift[] {
  return comparison.driftItems.map(({ owner, ...drift }) => ({
    servicePort: owner,
    drift: { subsystem: name, ...drift },
  }))
}

function unverifiedOf({ name, comparison }: SubsystemComparison): readonly UnverifiedContent[] {
  if (comparison !== undefined) {
    return comparison.unverified.map(({ part, reason }) => ({ part: `${name} ${part}`.trimEnd(), reason }))
  }
  const { contents, printedBy } = TOOL_NAMES[name]
  return [{ part: name, reason: `the dump has no ${contents}, as printed by ${printedBy}` }]
}

/** A drift item with its owner: `default/web:http/TCP`; empty if unknown. */
interface ServicePortDrift {
  readonly servicePort: string
  readonly drift: Drift
}

/**
 * Groups drift items by service port. Each group is sorted by subsystem and location. Items with the same location keep
 * the given order.
 */
export function groupDrift(all: readonly ServicePortDrift[]): readonly DriftGroup[] {
  const groups = new Map<string, Drift[]>()
  for (const { servicePort, drift } of all) addToGroup(groups, servicePort, drift)
  return [...groups]
    .sort(([a], [b]) => compareValues(a, b))
    .map(([servicePort, drift]) => ({ servicePort, drift: drift.sort(compareDrift) }))
}

function compareDrift(a: Drift, b: Drift): number {
  return SUBSYSTEMS.indexOf(a.subsystem) - SUBSYSTEMS.indexOf(b.subsystem) || compareValues(a.location, b.location)
}
