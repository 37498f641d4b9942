import {
  endVisit,
  type HandlerResult,
  type HookVerdict,
  type PathState,
} from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'

/**
 * A path after a rule or chain: it continues at the next rule, returns to the calling chain, or leaves the base chain.
 */
export interface ChainRun {
  readonly branch: PathState
  readonly exit: 'rule' | 'chain' | HookVerdict
}

/** The reason for ending a path that would take too much work. */
export const TOO_MANY_PATHS = 'too many rules may or may not match'

/** Ends a path that cannot be followed. */
export function endPath(branch: PathState, reason: string): ChainRun {
  return { branch, exit: { kind: 'unknown', reason } }
}

/** The kernel rejects loops and deep nesting, but a dump may contain them. */
const MAX_DEPTH = 128

/** A called chain; `callers` are the calling chains. */
export interface CalledChain<Rule> {
  readonly name: string
  /** The rules; undefined if it does not exist. */
  readonly rules: readonly Rule[] | undefined
  readonly callers: readonly string[]
}

/** Follows a path through one rule; `path` are the calling chains, ending with that of the rule. */
type RunRule<Rule> = (rule: Rule, branch: PathState, path: readonly string[]) => RuleOutcome

/**
 * The paths after a rule; `passed` if it does not match, which is the most common case and leaves the path unchanged.
 */
export type RuleOutcome = readonly ChainRun[] | 'passed'

/** Follows a path through the rules of a chain in order. */
export function runRules<Rule>(
  { name, rules, callers }: CalledChain<Rule>,
  start: PathState,
  runRule: RunRule<Rule>,
): readonly ChainRun[] {
  if (rules === undefined) return [endPath(start, `chain ${name} does not exist`)]
  if (callers.includes(name)) return [endPath(start, `chain ${name} loops back to itself`)]
  if (callers.length === MAX_DEPTH) return [endPath(start, `chain ${name} exceeds the limit of nested jumps`)]
  const path = [...callers, name]
  const done: ChainRun[] = []
  let live: readonly PathState[] = [start]
  for (const rule of rules) {
    const ran = runOnAll(rule, live, path, runRule)
    if (ran === 'passed') continue
    const next: PathState[] = []
    for (const path of ran) {
      if (path.exit === 'rule') next.push(path.branch)
      else done.push(path)
    }
    if (next.length === 0) return done
    live = next
  }
  for (const branch of live) done.push({ branch, exit: 'chain' })
  return done
}

function runOnAll<Rule>(
  rule: Rule,
  live: readonly PathState[],
  path: readonly string[],
  runRule: RunRule<Rule>,
): RuleOutcome {
  const [first] = live
  if (first !== undefined && live.length === 1) return runRule(rule, first, path)
  return live.flatMap((branch) => pathsOf(runRule(rule, branch, path), branch))
}

/** Returns the paths after a rule, including one without a match. */
export function pathsOf(ran: RuleOutcome, branch: PathState): readonly ChainRun[] {
  return ran === 'passed' ? [{ branch, exit: 'rule' }] : ran
}

/** Returns the path after a jump: at the end of the chain, it continues at the next rule. */
export function returnFromChain(ran: ChainRun): ChainRun {
  return ran.exit === 'chain' ? { branch: ran.branch, exit: 'rule' } : ran
}

/** Leaves a base chain: `atEnd` applies to paths that reach its end. */
export function leaveBaseChain({ branch, exit }: ChainRun, atEnd: (branch: PathState) => HandlerResult): HandlerResult {
  return typeof exit === 'string' ? atEnd(branch) : endVisit(branch, exit)
}
