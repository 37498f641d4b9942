import { withDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-read-log'
import type { DnatStatement, Element, Statement, Verdict } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { type ChainResult, endPathAsUnknown, returnFromChain, TOO_MANY_PATHS } from '../../netfilter/chain-result.js'
import { forkByCondition, forkByResult } from '../../netfilter/fork-by-condition.js'
import { forkAtMissingContent } from '../../netfilter/missing.js'
import { DROPPED_VERDICT, NEXT_VERDICT, type PathState, withPacket, withStep } from '../../netfilter/path-state.js'
import { runRules } from '../../netfilter/run-rules.js'
import { type RuleOutcome, toChainResults } from '../../netfilter/unevaluated-rule.js'
import { runLookup } from './map-lookup.js'
import { cannotMatch, evaluateMarkMatch, evaluateMatch, type MatchResult } from './match.js'
import { evaluateSelectors, passageAt, type RuleAt, type TableAtHook } from './rule-at.js'
import { indexSet, splitFirstComponent } from './set-index.js'
import { rejectionOf, withMarkOf } from './statement-effects.js'

/** Follows a packet through a chain; `callers` are the calling chains. */
export function runChain(
  table: TableAtHook,
  name: string,
  start: PathState,
  callers: readonly string[] = [],
): readonly ChainResult[] {
  const reason = table.missing?.missingPartOfChain(name)
  const runGiven = (tracePath: PathState) => {
    const rules = table.chain(name)?.rules
    return runRules({ name, rules, callers }, tracePath, (rule, branch, path) =>
      runRule({ table, rule, chain: name, path }, branch),
    )
  }
  if (reason === undefined) return runGiven(start)
  if (table.chain(name) === undefined) return [endPathAsUnknown(start, reason)]
  return forkAtMissingContent(start, { reason, continuePath: runGiven, stop: endPathAsUnknown })
}

/** Runs a rule. A lookup in an incomplete set may match missing elements. */
function runRule(at: RuleAt, branch: PathState): RuleOutcome {
  const reason = at.table.missing?.missingPartOfRule(at.rule)
  if (reason !== undefined) return runIncompleteRule(at, branch, reason)
  const { readSet, destinationLog } = branch.packet
  const isRecorded = readSet !== undefined && destinationLog === undefined
  const isExcluded = isRecorded && cannotMatch(at.rule, passageAt(at, branch), at.table.sets)
  return isExcluded ? 'passed' : runStatements(at, 0, branch)
}

function runIncompleteRule(at: RuleAt, branch: PathState, reason: string): readonly ChainResult[] {
  const continuePath = (path: PathState) => toChainResults(runStatements(at, 0, path), path)
  return forkAtMissingContent(branch, { reason, continuePath, stop: endPathAsUnknown })
}

/** Runs the statements of a rule from the given index on. */
function runStatements(at: RuleAt, index: number, branch: PathState): RuleOutcome {
  const statement = at.rule.statements[index]
  if (statement === undefined) return applyStatement(at, branch, undefined, continueAtNextRule)
  switch (statement.kind) {
    case 'match':
    case 'markMatch':
      return runCondition(at, index, branch)
    case 'vmap':
      return runVmap(at, statement, branch)
    case 'dnat':
      return runDnat(at, statement, branch)
    case 'markSet':
      return runMarkSet(at, index, statement, branch)
    case 'masquerade':
      return applyStatement(at, branch, statement, masquerade)
    case 'reject':
      return applyStatement(at, branch, statement, reject)
    case 'counter':
    case 'namedCounter':
    case 'setUpdate':
      return runStatements(at, index + 1, branch)
    case 'unknown':
    case 'unknownJson':
      return runUnknown(at, index, statement, branch)
    default:
      return applyStatement(at, branch, statement, follow)
  }
}

/** Applies a statement to a path that has the trace step of its rule as its last step. */
type Apply<S> = (path: PathState, statement: S, at: RuleAt) => readonly ChainResult[]

/** Adds the trace step of a rule that takes effect, then applies the statement with the effect. */
function applyStatement<S extends Statement | undefined>(
  at: RuleAt,
  branch: PathState,
  statement: S,
  apply: Apply<S>,
  element?: Element,
): readonly ChainResult[] {
  if (branch.budget.rules-- <= 0) return [endPathAsUnknown(branch, TOO_MANY_PATHS)]
  return apply(withStep(branch, at.table.stepOf(at.chain, at.rule, statement, element)), statement, at)
}

function continueAtNextRule(branch: PathState): readonly ChainResult[] {
  return [{ branch, exit: 'rule' }]
}

function masquerade(branch: PathState): readonly ChainResult[] {
  return [{ branch: withPacket(branch, { ...branch.packet, masqueraded: true }), exit: NEXT_VERDICT }]
}

function reject(branch: PathState, statement: Statement & { readonly kind: 'reject' }): readonly ChainResult[] {
  return [{ branch, exit: { kind: 'rejected', with: rejectionOf(statement.with, branch.packet) } }]
}

function follow(branch: PathState, verdict: Verdict, { table, path }: RuleAt): readonly ChainResult[] {
  switch (verdict.kind) {
    case 'accept':
      return [{ branch, exit: NEXT_VERDICT }]
    case 'drop':
      return [{ branch, exit: DROPPED_VERDICT }]
    case 'return':
      return [{ branch, exit: 'chain' }]
    case 'continue':
      return [{ branch, exit: 'rule' }]
    case 'jump':
      return runChain(table, verdict.chain, branch, path).map(returnFromChain)
    case 'goto':
      return runChain(table, verdict.chain, branch, path)
  }
}

/** Sets the mark of a packet. The packet keeps the mark even if a later match of the rule fails, as in the kernel. */
function runMarkSet(
  at: RuleAt,
  index: number,
  statement: Statement & { readonly kind: 'markSet' },
  branch: PathState,
): readonly ChainResult[] {
  const marked = withPacket(branch, withMarkOf(statement, branch.packet))
  return toChainResults(runStatements(at, index + 1, marked), marked)
}

/** Runs a match. A matching path continues with the next statement, any other path with the next rule. */
function runCondition(at: RuleAt, index: number, branch: PathState): RuleOutcome {
  if (branch.packet.equivalents === undefined) {
    // Fast path: whether an individual packet matches is seldom unknown.
    const holds = holdsOn(at, index, branch)
    if (holds === 'no') return 'passed'
    if (holds === 'yes') return runStatements(at, index + 1, branch)
    return forkByStatement(at, index, branch, holds)
  }
  return forkByStatement(at, index, branch)
}

/**
 * Forks the path into paths that match a statement and paths that do not. `holds` is the result of the match, if
 * already evaluated.
 */
function forkByStatement(at: RuleAt, index: number, branch: PathState, holds?: MatchResult): RuleOutcome {
  const { facts, textOf } = at.table
  const condition = {
    holdsOn: (path: PathState) => holdsOn(at, index, path),
    question: () => `nftables ${textOf(at.rule)} matches`,
    facts,
  }
  const take = (path: PathState) => toChainResults(runStatements(at, index + 1, path), path)
  return holds === undefined ? forkByCondition(condition, branch, take) : forkByResult(condition, branch, holds, take)
}

/** Reports whether a path matches a statement. The result is unknown for statements other than matches. */
function holdsOn(at: RuleAt, index: number, path: PathState): MatchResult {
  const statement = at.rule.statements[index]
  const passage = passageAt(at, path)
  switch (statement?.kind) {
    case 'match':
      return passage.packet.destinationLog === undefined
        ? evaluateMatch(statement, passage, at.table.sets)
        : evaluateSelectors(statement.left, passage, (each) => evaluateMatch(statement, each, at.table.sets))
    case 'markMatch':
      return evaluateMarkMatch(statement, passage)
    default:
      return 'unknown'
  }
}

/**
 * Runs an unsupported statement. `log` statements have no effect on packets and are skipped. Any other unsupported
 * statement may be a match or have any effect, so its result is unknown.
 */
function runUnknown(
  at: RuleAt,
  index: number,
  statement: Statement & { readonly kind: 'unknown' | 'unknownJson' },
  branch: PathState,
): RuleOutcome {
  const words = statement.kind === 'unknown' ? statement.words.join(' ') : statement.json
  if (words.startsWith('log') || words.startsWith('{"log"')) return runStatements(at, index + 1, branch)
  const isLast = index === at.rule.statements.length - 1
  if (isLast) return [endPathAsUnknown(branch, `the effect of ${words} is unknown`)]
  return forkByStatement(at, index, branch)
}

function runVmap(
  at: RuleAt,
  { key, map }: Statement & { readonly kind: 'vmap' },
  branch: PathState,
): readonly ChainResult[] {
  const elements = map.kind === 'named' ? at.table.sets(map.set) : indexSet({ elements: map.elements })
  return runLookup(at, { key, elements, result: 'matching element' }, branch, (path, element) => {
    const { verdict } = element
    if (verdict === undefined) return [endPathAsUnknown(path, `${element.key} has no verdict`)]
    return applyStatement(at, path, verdict, follow, element)
  })
}

function runDnat(at: RuleAt, statement: DnatStatement, branch: PathState): readonly ChainResult[] {
  const { to } = statement
  if (to.kind === 'address') return translate(at, statement, branch, to)
  const lookup = { key: to.key, elements: indexSet({ elements: to.elements }), result: 'destination' }
  return runLookup(at, lookup, branch, (path, element) => {
    return translate(at, statement, path, destinationOf(element), element)
  })
}

/** Returns the address in the data of an element, and the port if the data has one: `10.244.1.5 . 8080`. */
function destinationOf({ data = '' }: Element): { readonly address: string; readonly port?: number } {
  const [address, rest] = splitFirstComponent(data)
  return rest === undefined ? { address } : { address, port: Number(splitFirstComponent(rest)[0]) }
}

function translate(
  at: RuleAt,
  statement: DnatStatement,
  path: PathState,
  { address, port = path.packet.destinationPort }: { readonly address: string; readonly port?: number | undefined },
  element?: Element,
): readonly ChainResult[] {
  const translated = withDestination(path.packet, { address, port, by: 'dnat' })
  return applyStatement(at, withPacket(path, translated), statement, accept, element)
}

function accept(branch: PathState): readonly ChainResult[] {
  return [{ branch, exit: NEXT_VERDICT }]
}
