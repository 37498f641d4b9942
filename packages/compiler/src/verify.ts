import { attribute } from './attribute.js'
import type { CompileResult, FamilyResult } from './compilation/compile-result.js'
import { type Comparison, joinComparisons, NOTHING_FOUND } from './dataplane/comparison.js'
import type { Backend } from './dataplane/language.js'
import { languageOf } from './dataplane/language-of.js'
import type { LanguageName, NodeState } from './dataplane/languages.js'
import { liveLanguageOf } from './dataplane/live-language-of.js'
import { resourcesOf } from './dataplane/node-resources.js'
import { scriptChanges } from './dataplane/script-changes.js'
import type { ResourcePair } from './diff/diff.js'
import type { Dump } from './parse.js'
import type { Plan } from './plan/plan.js'
import { custodyIn } from './reconcile/custody.js'
import { changesOfPairs, compareLanguage } from './reconcile/node-changes.js'
import { liveModeOf } from './targets/live-mode-of.js'
import { modeNames, modeOf } from './targets/mode-of.js'
import type { CompiledMode } from './targets/modes.js'
import { isKubeletChain } from './targets/shared/kube-chains.js'
import { asFarAsKnown } from './verify/as-far-as-known.js'
import { type DoubtFacts, doubtsOf } from './verify/doubts.js'
import { groupDrift, type OwnedDrift } from './verify/group-drift.js'
import type { FamilyReport, NodeVerdict, Unverified, VerifyReport } from './verify/report.js'

export interface VerifyOptions {
  /** Which iptables the node has, for the repairing runs. Default `nft`. */
  readonly backend?: Backend | undefined
  /**
   * The dump has everything that the node holds, of every language of the mode: what it lacks is gone. Tools print nothing of
   * a table, of servers or of a device that is not there, so that without it nobody can tell that from a tool that was
   * not asked.
   */
  readonly complete?: boolean | undefined
}

/**
 * Compares what was compiled with what a node holds, and says what to run so that the node holds what was compiled.
 *
 * Rules are equal where the kernel cannot tell them apart. The order of service ports in chains that they share is no
 * drift: kube-proxy leaves it to chance. What is not kube-proxy's is left alone: chains and rules of others; of
 * KUBE-FIREWALL all but the rule of kube-proxy, KUBE-MARK-DROP and the canaries; virtual servers within `excludeCIDRs` and
 * real servers that wait with weight 0 for the end of their connections. What the dump says nothing of is `unverified`. Of a
 * fragment only what is there is compared, and only languages are repaired of which all that matters is known.
 */
export function verify(desired: CompileResult, dump: Dump, options: VerifyOptions = {}): VerifyReport {
  const { mode } = desired
  const { backend = 'nft', complete = false } = options
  const context = { mode, backend, complete }
  const families = desired.families.map((each) => verifyFamily(each, dump[each.family], context))
  return { mode, verdict: verdictOf(families), families }
}

function verdictOf(families: readonly FamilyReport[]): NodeVerdict {
  if (families.some(({ drift }) => drift.length > 0)) return 'drift'
  return families.some(({ unverified }) => unverified.length > 0) ? 'notVerified' : 'noDrift'
}

interface Context {
  readonly mode: CompileResult['mode']
  readonly backend: Backend
  readonly complete: boolean
}

function verifyFamily({ family, state, plan }: FamilyResult, dumped: NodeState, context: Context): FamilyReport {
  const { mode, backend, complete } = context
  const { languages } = modeOf(mode)
  const live = complete ? completeState(dumped, languages) : dumped
  const comparisons = languages.map((name): LanguageComparison => {
    const custody = custodyIn(name, mode, plan)
    if (live[name] === undefined || custody === undefined) return { name }
    const attributed = { ...custody, isComplete: complete, attribute: () => attribute(live)[name] }
    const comparison = compareLanguage(name, state, live, attributed)
    if (live.fragment === undefined) return { name, comparison }
    const wanted = languageOf(name).resources(state[name]).keys()
    return { name, comparison: asFarAsKnown(comparison, { language: name, wanted, fragment: live.fragment }) }
  })
  const { pairs, others } = joinComparisons(comparisons.flatMap(({ comparison }) => comparison ?? []))
  const { excludeCidrs } = plan.kernel.ipvs
  const drift = groupDrift(comparisons.flatMap(driftOf))
  return {
    family,
    doubts: drift.length === 0 ? [] : doubtsOf({ ...whoseNode({ live, state }, pairs, plan, mode), drift }),
    drift,
    unverified: comparisons.flatMap(unverifiedOf),
    otherChains: others.filter((id) => !isKubeletChain(id)),
    kubeletChains: others.filter(isKubeletChain),
    repair: scriptChanges(changesOfPairs(pairs), { family, backend, excludeCidrs }),
  }
}

/** With nothing in it of a language of which the dump says nothing. */
function completeState({ fragment: _, ...live }: NodeState, languages: readonly LanguageName[]): NodeState {
  const lacking = languages.filter((name) => live[name] === undefined)
  const nothing = lacking.map((name) => [name, languageOf(name).assemble(new Map(), live.family)])
  return { ...live, ...Object.fromEntries(nothing) }
}

/** What tells whether the node is the one that was compiled for. */
function whoseNode(
  { live, state }: { readonly live: NodeState; readonly state: NodeState },
  pairs: readonly ResourcePair[],
  { node, services }: Plan,
  mode: CompiledMode,
): Omit<DoubtFacts, 'drift'> {
  const unwanted = pairs.flatMap(({ before, after }) => (before === undefined || after !== undefined ? [] : before.id))
  const isOfOther = modesOfOne(unwanted).some((name) => name !== mode)
  return {
    mode,
    // Of a large node that is a long list.
    heldModes: isOfOther ? modesOfOne(resourcesOf(live).keys()) : [mode],
    wantedPods: node.podTraffic,
    foundPods: liveModeOf(mode).podTraffic(live),
    wantedVersions: liveModeOf(mode).writtenBy?.(state),
    foundVersions: liveModeOf(mode).writtenBy?.(live),
    podCidrs: node.podCidrs.map(({ text }) => text),
    servicePorts: services.length,
  }
}

/** The modes that make one of these things, which no other mode makes. */
export function modesOfOne(ids: Iterable<string>): readonly CompiledMode[] {
  const found = new Set<CompiledMode>()
  for (const id of ids) {
    const [maker, ...others] = modeNames().filter((name) => liveModeOf(name).leavesBehind(id))
    if (maker !== undefined && others.length === 0) found.add(maker)
  }
  return modeNames().filter((name) => found.has(name))
}

/** What the comparison of one language comes to; absent where the dump has nothing of it. */
interface LanguageComparison {
  readonly name: LanguageName
  readonly comparison?: Comparison | undefined
}

function driftOf({ name, comparison = NOTHING_FOUND }: LanguageComparison): readonly OwnedDrift[] {
  return comparison.findings.map(({ owner, ...drift }) => ({ servicePort: owner, drift: { language: name, ...drift } }))
}

function unverifiedOf({ name, comparison }: LanguageComparison): readonly Unverified[] {
  if (comparison !== undefined) {
    return comparison.unverified.map(({ part, reason }) => ({ part: `${name} ${part}`.trimEnd(), reason }))
  }
  const { madeOf, printedBy } = liveLanguageOf(name)
  return [{ part: name, reason: `the dump has no ${madeOf}, such as ${printedBy} prints` }]
}
