import { attribute } from './attribute.js'
import type { CompileResult, FamilyResult } from './compilation/compile-result.js'
import { type Comparison, type Custody, joinComparisons, NOTHING_FOUND } from './dataplane/comparison.js'
import type { Backend } from './dataplane/language.js'
import { languageOf } from './dataplane/language-of.js'
import type { LanguageName, NodeState } from './dataplane/languages.js'
import { scriptChanges } from './dataplane/script-changes.js'
import { changesOf } from './diff/diff.js'
import { orderChanges } from './diff/order.js'
import type { Dump } from './parse.js'
import { modeNames, modeOf } from './targets/mode-of.js'
import { groupDrift, type OwnedDrift } from './verify/group-drift.js'
import type { FamilyReport, Unverified, VerifyReport } from './verify/report.js'

export interface VerifyOptions {
  /** Which iptables the node has, for the repairing runs. Default `nft`. */
  readonly backend?: Backend | undefined
}

/**
 * Compares what was compiled with what a node holds, and says what to run so that the node holds what was compiled.
 *
 * Rules are equal where the kernel cannot tell them apart. The order of service ports in chains that they share is no
 * drift: kube-proxy leaves it to chance. What is not kube-proxy's is left alone: chains and rules of others; of
 * KUBE-FIREWALL all but the rule of kube-proxy, KUBE-MARK-DROP and the canaries; virtual servers within `excludeCIDRs` and
 * real servers that wait with weight 0 for the end of their connections. What the dump says nothing of is `unverified`.
 */
export function verify(desired: CompileResult, dump: Dump, options: VerifyOptions = {}): VerifyReport {
  const { mode } = desired
  const { backend = 'nft' } = options
  return { mode, families: desired.families.map((each) => verifyFamily(each, dump[each.family], { mode, backend })) }
}

interface Context {
  readonly mode: CompileResult['mode']
  readonly backend: Backend
}

function verifyFamily(
  { family, state, plan }: FamilyResult,
  live: NodeState,
  { mode, backend }: Context,
): FamilyReport {
  const { languages, custody } = modeOf(mode)
  const custodies = custody(plan)
  const comparisons = languages.map((name): LanguageComparison => {
    const own = custodies[name] as Custody<unknown, unknown> | undefined
    if (live[name] === undefined || own === undefined) return { name }
    return { name, comparison: languageOf(name).compare(state[name], live[name], completed(own, name, live)) }
  })
  const { pairs } = joinComparisons(comparisons.flatMap(({ comparison }) => comparison ?? []))
  const { excludeCidrs } = plan.kernel.ipvs
  return {
    family,
    drift: groupDrift(comparisons.flatMap(driftOf)),
    unverified: comparisons.flatMap(unverifiedOf),
    otherChains: comparisons.flatMap(({ comparison }) => comparison?.others ?? []),
    repair: scriptChanges(orderChanges(changesOf(pairs)), { family, backend, excludeCidrs }),
  }
}

/** What any mode may have left behind is ours, too, and each mode tells owners in its way. */
function completed(own: Custody<unknown, unknown>, name: LanguageName, live: NodeState): Custody<unknown, unknown> {
  const modes = modeNames().map(modeOf)
  const isOurs = (id: string, value?: unknown): boolean =>
    own.isOurs(id, value) || modes.some((mode) => mode.leavesBehind(id))
  return {
    ...own,
    isOurs,
    isStrange: (id) => (own.isStrange?.(id) ?? false) && !isOurs(id),
    attribute: () => attribute(live)[name],
  }
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
    return comparison.unverified.map(({ part, reason }) => ({ part: `${name} ${part}`, reason }))
  }
  const { madeOf, printedBy } = languageOf(name)
  return [{ part: name, reason: `the dump has no ${madeOf}, such as ${printedBy} prints` }]
}
