import {
  type Branch,
  type Departed,
  type Departure,
  depart,
} from '@kube-rules/compiler/internal/dataplane/netfilter/branch'

/** A way behind a rule or chain: on to the next rule, back to the calling chain, or out of whoever asked the chain. */
export interface Ran {
  readonly branch: Branch
  readonly exit: 'rule' | 'chain' | Departure
}

/** Why a way ends that would take too much effort. */
export const TOO_MANY = 'too many rules may or may not match'

/** A way that cannot be followed any further. */
export function stuck(branch: Branch, reason: string): Ran {
  return { branch, exit: { to: 'unknown', reason } }
}

/** The kernel refuses loops and deep nests, but a dump may be anything. */
const MAX_DEPTH = 128

/** A chain that rules have led to: `callers` are the chains on the way there. */
export interface EnteredChain<Rule> {
  readonly name: string
  /** Undefined where it does not exist. */
  readonly rules: readonly Rule[] | undefined
  readonly callers: readonly string[]
}

/** Follows a way through one rule; `path` are the chains that led there, that of the rule last. */
type RunRule<Rule> = (rule: Rule, branch: Branch, path: readonly string[]) => RanRule

/** The ways behind a rule; `passed` where it does not apply, which most do not: the way goes on as it is. */
export type RanRule = readonly Ran[] | 'passed'

/** The ways through the rules of a chain, one after another. */
export function runRules<Rule>(
  { name, rules, callers }: EnteredChain<Rule>,
  start: Branch,
  runRule: RunRule<Rule>,
): readonly Ran[] {
  if (rules === undefined) return [stuck(start, `chain ${name} does not exist`)]
  if (callers.includes(name)) return [stuck(start, `chain ${name} leads back to itself`)]
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

/** The ways behind a rule that may not have applied. */
export function waysOf(ran: RanRule, branch: Branch): readonly Ran[] {
  return ran === 'passed' ? [{ branch, exit: 'rule' }] : ran
}

/** Behind a jump: what comes to the end of the chain goes on at the next rule. */
export function backFromChain(ran: Ran): Ran {
  return ran.exit === 'chain' ? { branch: ran.branch, exit: 'rule' } : ran
}

/** Out of the chain that the kernel calls: `atEnd` says what becomes of what comes to its end. */
export function leave({ branch, exit }: Ran, atEnd: (branch: Branch) => Departed): Departed {
  return typeof exit === 'string' ? atEnd(branch) : depart(branch, exit)
}
