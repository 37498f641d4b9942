import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { type ChainResult, continueInChain, endPathAsUnknown } from './chain-result.js'
import { mergePathsOfSources, mergeUnevaluatedPaths } from './merge-unevaluated.js'
import { type PathState, withAssumptions } from './path-state.js'
import {
  continueAfterUnevaluatedRules,
  forkAtUnevaluatedRules,
  isUnevaluatedRule,
  MAX_SEPARATE_PATHS,
  type RuleOutcome,
  toChainResults,
  type UnevaluatedRule,
} from './unevaluated-rule.js'

/** The maximum depth of nested jumps. The kernel rejects loops and deep nesting, but a dump may contain them. */
const MAX_DEPTH = 128

/** A called chain; `callers` are the chains with the jumps to it, in order. */
export interface CalledChain<Rule> {
  readonly name: string
  /** The rules; undefined if the chain does not exist. */
  readonly rules: readonly Rule[] | undefined
  readonly callers: readonly string[]
}

/** Follows a path through one rule. `path` are the names of the calling chains, with the chain of the rule at the end. */
export type RunRule<Rule> = (rule: Rule, branch: PathState, path: readonly string[]) => RuleOutcome

/** Follows a path through the rules of a chain in order. */
export function runRules<Rule>(
  { name, rules, callers }: CalledChain<Rule>,
  start: PathState,
  runRule: RunRule<Rule>,
): readonly ChainResult[] {
  if (rules === undefined) return [endPathAsUnknown(start, `chain ${name} does not exist`)]
  if (callers.includes(name)) return [endPathAsUnknown(start, `chain ${name} loops back to itself`)]
  if (callers.length === MAX_DEPTH) return [endPathAsUnknown(start, `chain ${name} exceeds the limit of nested jumps`)]
  return runUnforked({ rules, path: append(callers, name), runRule }, start)
}

/** Returns the list with `last` appended. A list with a spread element would reserve room for 16 more elements. */
function append(list: readonly string[], last: string): readonly string[] {
  const appended = new Array<string>(list.length + 1)
  for (let at = 0; at < list.length; at++) appended[at] = elementAt(list, at)
  appended[list.length] = last
  return appended
}

interface ChainInProgress<Rule> {
  readonly rules: readonly Rule[]
  readonly path: readonly string[]
  readonly runRule: RunRule<Rule>
}

/**
 * Follows a path through a chain as long as only one path continues, without new assumptions. Other paths may leave the
 * chain, as at a random choice between endpoints. In most chains, this is the case for all rules, so this fast route is
 * sufficient.
 */
function runUnforked<Rule>(chain: ChainInProgress<Rule>, start: PathState): readonly ChainResult[] {
  const { rules, path, runRule } = chain
  const done: ChainResult[] = []
  let live = start
  for (let at = 0; at < rules.length; at++) {
    const ran = runRule(elementAt(rules, at), live, path)
    if (ran === 'passed') continue
    if (isUnevaluatedRule(ran) || isForking(ran, start)) return runFrom(chain, at, start, { live, ran, done })
    const next = ran.find(isContinuing)
    // `concat` creates lists of the exact length, while `push` to an empty list reserves room for 17 elements.
    if (next === undefined) return done.length === 0 ? ran : done.concat(ran)
    if (ran.length > 1) for (const each of ran) if (each !== next) done.push(each)
    live = next.branch
  }
  const last: ChainResult = { branch: live, exit: 'chain' }
  return done.length === 0 ? [last] : done.concat(last)
}

function isContinuing({ exit }: ChainResult): boolean {
  return exit === 'rule'
}

/** Reports whether several of the paths after a rule continue at the next rule, or whether any has new assumptions. */
function isForking(ran: readonly ChainResult[], { assumptions }: PathState): boolean {
  let continuing = 0
  for (const { branch, exit } of ran) {
    if (exit === 'rule') continuing++
    if (continuing > 1 || branch.assumptions.length > assumptions.length) return true
  }
  return false
}

/**
 * Follows a path through the rules from the index `first` on. `entry` is the path before the first of these rules, with
 * the outcome of the rule if this rule was run, and the paths that have left the chain before.
 */
function runFrom<Rule>(
  chain: ChainInProgress<Rule>,
  first: number,
  start: PathState,
  entry: { readonly live: PathState; readonly ran?: RuleOutcome; readonly done: ChainResult[] },
): readonly ChainResult[] {
  const { rules, path, runRule } = chain
  let { done } = entry
  let live: readonly PathState[] = [entry.live]
  let waiting: UnevaluatedRule[] = []
  let most = MAX_SEPARATE_PATHS
  let isJoined = false
  for (let at = first; at < rules.length; at++) {
    const rule = elementAt(rules, at)
    let ran = (at === first ? entry.ran : undefined) ?? runOnAll(rule, live, path, runRule)
    if (ran === 'passed') continue
    if (isUnevaluatedRule(ran)) {
      waiting.push(ran)
      continue
    }
    if (waiting.length > 0) {
      const [before] = live as readonly [PathState]
      const passed = forkAtUnevaluatedRules(waiting, before, done)
      waiting = []
      live = passed === undefined ? [] : [passed]
      // A rule is evaluated again if it depends on one of the conditions that `forkAtUnevaluatedRules` has added.
      ran = passed === undefined ? [] : (after(passed, before, ran) ?? runOnAll(rule, live, path, runRule))
    }
    if (ran === 'passed') continue
    live = divide(isUnevaluatedRule(ran) ? toChainResults(ran, elementAt(live, 0)) : ran, done)
    if (live.length === 0) return isJoined ? (join(start, done) ?? done) : done
    if (done.length + live.length <= most || !isForked(start, done, live)) continue
    const joined = join(start, [...done, ...live.map(continueInChain)])
    if (joined === undefined)
      return [...done, ...live.flatMap((each) => runFrom(chain, at + 1, each, { live: each, done: [] }))]
    done = []
    live = divide(joined, done)
    most = Math.max(MAX_SEPARATE_PATHS, 2 * joined.length)
    isJoined = true
  }
  for (const branch of continueAfterUnevaluatedRules(waiting, live, done)) done.push({ branch, exit: 'chain' })
  return isJoined ? (join(start, done) ?? done) : done
}

/**
 * Adds the new assumptions of the path `passed` to each result of a rule (`ran`). Undefined if a path already contains
 * one of these assumptions.
 */
function after(passed: PathState, before: PathState, ran: readonly ChainResult[]): readonly ChainResult[] | undefined {
  const known = before.assumptions.length
  const added = new Set(passed.assumptions.slice(known).map(({ condition }) => condition))
  const isIn = ({ branch }: ChainResult) =>
    branch.assumptions.some(({ condition }, at) => at >= known && added.has(condition))
  if (ran.some(isIn)) return undefined
  return ran.map(({ branch, exit }) => ({
    branch: withAssumptions(branch, [...passed.assumptions, ...branch.assumptions.slice(known)]),
    exit,
  }))
}

/** Returns the paths that continue at the next rule, and adds all other paths to `done`. */
function divide(runs: readonly ChainResult[], done: ChainResult[]): readonly PathState[] {
  const live: PathState[] = []
  for (const run of runs) {
    if (run.exit === 'rule') live.push(run.branch)
    else done.push(run)
  }
  return live
}

/** Reports whether any path has assumptions beyond those of the start of the chain. */
function isForked({ assumptions }: PathState, done: readonly ChainResult[], live: readonly PathState[]): boolean {
  const isLonger = (branch: PathState) => branch.assumptions.length > assumptions.length
  return live.some(isLonger) || done.some(({ branch }) => isLonger(branch))
}

function join(start: PathState, runs: readonly ChainResult[]): readonly ChainResult[] | undefined {
  return start.packet.equivalents === undefined ? mergeUnevaluatedPaths(start, runs) : mergePathsOfSources(start, runs)
}

function runOnAll<Rule>(
  rule: Rule,
  live: readonly PathState[],
  path: readonly string[],
  runRule: RunRule<Rule>,
): RuleOutcome {
  const [first] = live
  if (first !== undefined && live.length === 1) return runRule(rule, first, path)
  return live.flatMap((branch) => toChainResults(runRule(rule, branch, path), branch))
}
