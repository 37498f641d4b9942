import { type Branch, type Departed, type Departure, depart } from './branch.js'

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
    if (live.length === 0) return done
    live = live.length === 1 ? runOne(rule, live, path, runRule, done) : runAll(rule, live, path, runRule, done)
  }
  for (const branch of live) done.push({ branch, exit: 'chain' })
  return done
}

/** The ways that go on to the next rule; the others are `done`. */
function runAll<Rule>(
  rule: Rule,
  live: readonly Branch[],
  path: readonly string[],
  runRule: RunRule<Rule>,
  done: Ran[],
): readonly Branch[] {
  return live.flatMap((branch) => runOne(rule, [branch], path, runRule, done))
}

/** The same of a single way. */
function runOne<Rule>(
  rule: Rule,
  only: readonly Branch[],
  path: readonly string[],
  runRule: RunRule<Rule>,
  done: Ran[],
): readonly Branch[] {
  const ways = runRule(rule, only[0] as Branch, path)
  if (ways === 'passed') return only
  const next: Branch[] = []
  for (const ran of ways) {
    if (ran.exit === 'rule') next.push(ran.branch)
    else done.push(ran)
  }
  return next
}

/** Behind a jump: what comes to the end of the chain goes on at the next rule. */
export function backFromChain(ran: Ran): Ran {
  return ran.exit === 'chain' ? { branch: ran.branch, exit: 'rule' } : ran
}

/** Out of the chain that the kernel calls: `atEnd` says what becomes of what comes to its end. */
export function leave({ branch, exit }: Ran, atEnd: (branch: Branch) => Departed): Departed {
  return typeof exit === 'string' ? atEnd(branch) : depart(branch, exit)
}
