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
type RunRule<Rule> = (rule: Rule, branch: Branch, path: readonly string[]) => readonly Ran[]

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
    const next: Branch[] = []
    for (const branch of live) {
      for (const ran of runRule(rule, branch, path)) {
        if (ran.exit === 'rule') next.push(ran.branch)
        else done.push(ran)
      }
    }
    live = next
  }
  return [...done, ...live.map((branch): Ran => ({ branch, exit: 'chain' }))]
}

/** Behind a jump: what comes to the end of the chain goes on at the next rule. */
export function backFromChain(ran: Ran): Ran {
  return ran.exit === 'chain' ? { branch: ran.branch, exit: 'rule' } : ran
}

/** Out of the chain that the kernel calls: `atEnd` says what becomes of what comes to its end. */
export function leave({ branch, exit }: Ran, atEnd: (branch: Branch) => Departed): Departed {
  return typeof exit === 'string' ? atEnd(branch) : depart(branch, exit)
}
