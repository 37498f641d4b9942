import { type Assumption, assuming, type Branch } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'

/** What is taken for granted of a fragment, so that it can be asked at all: of tables that are not there, */
export const OTHER_TABLES = 'tables that were not given let it through'
/** and of what is missing of chains, sets and servers that are. */
export const OTHER_RULES = 'rules that were not given do nothing to it'

export type MissingQuestion = typeof OTHER_TABLES | typeof OTHER_RULES

/** Those that take for granted that nothing is missing, and those that need not; all where there are no others. */
export function asFarAsGiven<W extends { readonly assumptions: readonly Assumption[] }>(
  ways: readonly W[],
): readonly W[] {
  const given = ways.filter(
    ({ assumptions }) => !assumptions.some(({ what, holds }) => isMissingQuestion(what) && !holds),
  )
  return given.length === 0 ? ways : given
}

/** Whether some of the ways depend on what is missing of chains, sets and servers. */
export function dependsOnOtherRules(ways: readonly { readonly assumptions: readonly Assumption[] }[]): boolean {
  return ways.some(({ assumptions }) => assumptions.some(({ what }) => what === OTHER_RULES))
}

function isMissingQuestion(what: string): boolean {
  return what === OTHER_TABLES || what === OTHER_RULES
}

/** How a packet gets past something of which not all is known. */
export interface Past<T> {
  /** Why nobody can tell: `chain nat/KUBE-SERVICES is not all in what was given`. */
  readonly reason: string
  /** Where it goes if nothing that is missing makes a difference. */
  goOn(branch: Branch): readonly T[]
  /** It ends there, with that reason. */
  stop(branch: Branch, reason: string): T
}

/** Both ways, once: what a way has taken for granted is not asked again, and one on which it does not hold ends. */
export function pastMissing<T>(
  branch: Branch,
  { reason, goOn, stop }: Past<T>,
  question: MissingQuestion = OTHER_RULES,
): readonly T[] {
  if (branch.assumptions.some(({ what }) => what === question)) return goOn(branch)
  return [...goOn(assuming(branch, question, true)), stop(assuming(branch, question, false), reason)]
}
