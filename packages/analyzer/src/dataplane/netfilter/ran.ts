import {
  type Branch,
  type Departed,
  type Departure,
  depart,
} from '@kube-rules/compiler/internal/dataplane/netfilter/branch'

/**
 * A path after a rule or chain: it continues at the next rule, returns to the calling chain, or leaves the base chain.
 */
export interface Ran {
  readonly branch: Branch
  readonly exit: 'rule' | 'chain' | Departure
}

/** The reason for ending a path that would take too much work. */
export const TOO_MANY = 'too many rules may or may not match'

/** Ends a path that cannot be followed. */
export function stuck(branch: Branch, reason: string): Ran {
  return { branch, exit: { to: 'unknown', reason } }
}

/** The kernel rejects loops and deep nesting, but a dump may contain them. */
const MAX_DEPTH = 128

/** A called chain; `callers` are the calling chains. */
export interface EnteredChain<Rule> {
  readonly name: string
  /** The rules; undefined if it does not exist. */
  readonly rules: readonly Rule[] | undefined
  readonly callers: readonly string[]
}

/** Follows a path through one rule; `path` are the calling chains, ending with that of the rule. */
type RunRule<Rule> = (rule: Rule, branch: Branch, path: readonly string[]) => RanRule

/**
 * The paths after a rule; `passed` if it does not match, which is the most common case and leaves the path unchanged.
 */
export type RanRule = readonly Ran[] | 'passed'

/** Follows a path through the rules of a chain in order. */
export function runRules<Rule>(
  { name, rules, callers }: EnteredChain<Rule>,
  start: Branch,
  runRule: RunRule<Rule>,
): readonly Ran[] {
  if (rules === undefined) return [stuck(start, `chain ${name} does not exist`)]
  if (callers.includes(name)) return [stuck(start, `chain ${name} loops back to itself`)]
  if (callers.length === MAX_DEPTH) return [stuck(start, `chain ${name} is the last of too many jumps`)]
  const path = [...callers, name]
  const done: Ran[] = []
  let live: readonly Branch[] = [start]
  for (const rule of rules) {
    const ran = runOnAll(rule, live, path, runRule)
    if (ran === 'passed') continue
    const next: Branch[] = []
    for (const way of ran) {
      if (way.exit === 'rule') next.push(way.branch)
      else done.push(way)
    }
    if (next.length === 0) return done
    live = next
  }
  for (const branch of live) done.push({ branch, exit: 'chain' })
  return done
}

function runOnAll<Rule>(rule: Rule, live: readonly Branch[], path: readonly string[], runRule: RunRule<Rule>): RanRule {
  const [first] = live
  if (first !== undefined && live.length === 1) return runRule(rule, first, path)
  return live.flatMap((branch) => waysOf(runRule(rule, branch, path), branch))
}

/** Returns the paths after a rule, including one without a match. */
export function waysOf(ran: RanRule, branch: Branch): readonly Ran[] {
  return ran === 'passed' ? [{ branch, exit: 'rule' }] : ran
}

/** Returns the path after a jump: at the end of the chain, it continues at the next rule. */
export function backFromChain(ran: Ran): Ran {
  return ran.exit === 'chain' ? { branch: ran.branch, exit: 'rule' } : ran
}

/** Leaves a base chain: `atEnd` applies to paths that reach its end. */
export function leave({ branch, exit }: Ran, atEnd: (branch: Branch) => Departed): Departed {
  return typeof exit === 'string' ? atEnd(branch) : depart(branch, exit)
}
