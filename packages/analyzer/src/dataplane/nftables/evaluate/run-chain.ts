import {
  recordDestinationRead,
  withDestination,
} from '@kube-rules/compiler/internal/dataplane/netfilter/destination-read-log'
import type { EvaluationContext } from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import type { HookPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import {
  DROPPED_VERDICT,
  NEXT_VERDICT,
  type PathState,
  type StepFactory,
  scaleWeight,
  withPacket,
  withStep,
} from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import type {
  Chain,
  DnatStatement,
  Element,
  Rule,
  Selector,
  Statement,
  Verdict,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { splitKey } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-parts'
import { createFraction, type Fraction } from '@kube-rules/compiler/internal/internal/fraction'
import { type ChainResult, endPath, returnFromChain, TOO_MANY_PATHS } from '../../netfilter/chain-result.js'
import { forkByCondition } from '../../netfilter/fork-by-condition.js'
import { withPathAssumptions } from '../../netfilter/locality.js'
import { forkAtMissingContent } from '../../netfilter/missing.js'
import { partitionBySource } from '../../netfilter/partition-by-source.js'
import { runRules } from '../../netfilter/run-rules.js'
import { type RuleOutcome, toChainResults } from '../../netfilter/unevaluated-rule.js'
import { cannotMatch } from './cannot-match.js'
import { evaluateMarkMatch, evaluateMatch, findElement, type MatchResult, type SetFinder } from './match.js'
import type { MissingTableParts } from './missing.js'
import { mayDependOnDestination } from './packet-value.js'
import { indexSet, type SetIndex } from './set-index.js'

/** A table at one hook. */
export interface TableAtHook {
  readonly hook: Hook
  readonly facts: EvaluationContext
  /** Returns the chain with a name. Undefined if the chain does not exist. */
  readonly chain: (name: string) => Chain | undefined
  readonly sets: SetFinder
  /** The missing parts of chains and sets; absent if the table is complete. */
  readonly missing?: MissingTableParts | undefined
  /** Creates the step of a rule; `element` is the matching element of its map. */
  readonly stepOf: (chain: string, rule: Rule, verdict: Statement | undefined, element?: Element) => StepFactory
  /** Formats the rule for messages. */
  readonly textOf: (rule: Rule) => string
}

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
  if (table.chain(name) === undefined) return [endPath(start, reason)]
  return forkAtMissingContent(start, { reason, continuePath: runGiven, stop: endPath })
}

/** A rule in its chain. `path` contains the calling chains, followed by the chain of the rule. */
interface RuleAt {
  readonly table: TableAtHook
  readonly rule: Rule
  readonly chain: string
  readonly path: readonly string[]
}

/** Runs a rule. A lookup in an incomplete set may match missing elements. */
function runRule(at: RuleAt, branch: PathState): RuleOutcome {
  const reason = at.table.missing?.missingPartOfRule(at.rule)
  if (reason === undefined) {
    const { readSet, destinationLog } = branch.packet
    const isRecorded = readSet !== undefined && destinationLog === undefined
    const isExcluded = isRecorded && cannotMatch(at.rule, passageOf(at, branch), at.table.sets)
    return isExcluded ? 'passed' : runStatements(at, 0, branch)
  }
  const continuePath = (path: PathState) => toChainResults(runStatements(at, 0, path), path)
  return forkAtMissingContent(branch, { reason, continuePath, stop: endPath })
}

/** Runs the statements of a rule from the given index on. */
function runStatements(at: RuleAt, index: number, branch: PathState): RuleOutcome {
  const statement = at.rule.statements[index]
  if (statement === undefined) return applied(at, branch, undefined, (stepped) => [{ branch: stepped, exit: 'rule' }])
  const continuePath = (path: PathState) => runStatements(at, index + 1, path)
  switch (statement.kind) {
    case 'match':
      return runWhereHolds(
        at,
        index,
        (passage) =>
          evaluateSelectors(statement.left, passage, (each) => evaluateMatch(statement, each, at.table.sets)),
        branch,
      )
    case 'markMatch':
      return runWhereHolds(at, index, (passage) => evaluateMarkMatch(statement, passage), branch)
    case 'vmap':
      return runVmap(at, statement, branch)
    case 'dnat':
      return runDnat(at, statement, branch)
    case 'markSet':
      return continuePath(withPacket(branch, { ...branch.packet, mark: markAfter(branch.packet.mark, statement) }))
    case 'masquerade':
      return applied(at, branch, statement, (stepped) => [
        { branch: withPacket(stepped, { ...stepped.packet, masqueraded: true }), exit: NEXT_VERDICT },
      ])
    case 'reject':
      return applied(at, branch, statement, (stepped) => [
        { branch: stepped, exit: { kind: 'rejected', with: answerOf(statement.with, stepped.packet) } },
      ])
    case 'counter':
    case 'namedCounter':
    case 'setUpdate':
      return continuePath(branch)
    case 'unknown':
    case 'unknownJson':
      return runUnknown(at, index, statement, branch)
    default:
      return applied(at, branch, statement, (stepped) => follow(at, statement, stepped))
  }
}

/** Adds the trace step of a rule that takes effect, then calls `then`. */
function applied(
  { table, rule, chain }: RuleAt,
  branch: PathState,
  verdict: Statement | undefined,
  then: (branch: PathState) => readonly ChainResult[],
  element?: Element,
): readonly ChainResult[] {
  if (branch.budget.rules-- <= 0) return [endPath(branch, TOO_MANY_PATHS)]
  return then(withStep(branch, table.stepOf(chain, rule, verdict, element)))
}

function follow({ table, path }: RuleAt, verdict: Verdict, branch: PathState): readonly ChainResult[] {
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

/** Forks the path by a match. A matching path continues with the next statement, any other path with the next rule. */
function runWhereHolds(
  at: RuleAt,
  index: number,
  holds: (passage: HookPacket) => MatchResult,
  branch: PathState,
): RuleOutcome {
  const { facts, textOf } = at.table
  const condition = {
    holdsOn: (path: PathState) => holds(passageOf(at, path)),
    question: () => `nftables ${textOf(at.rule)} matches`,
    facts,
  }
  return forkByCondition(condition, branch, (path) => toChainResults(runStatements(at, index + 1, path), path))
}

/**
 * Evaluates a function of the given selectors. If the result may depend on the destination of the packet, records that
 * the destination was read.
 */
function evaluateSelectors<T>(
  selectors: readonly Selector[],
  passage: HookPacket,
  evaluate: (passage: HookPacket) => T,
): T {
  if (passage.packet.destinationLog === undefined || !selectors.some(mayDependOnDestination)) return evaluate(passage)
  return recordDestinationRead(passage.packet, (packet) => evaluate({ ...passage, packet }))
}

function passageOf({ table: { hook, facts } }: RuleAt, branch: PathState): HookPacket {
  return { packet: branch.packet, hook, facts: withPathAssumptions(branch, facts) }
}

/**
 * Runs a statement that the tree does not model. `log` statements have no effect on packets and are skipped. Any other
 * such statement may be a match or have any effect, so its result is unknown.
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
  if (isLast) return [endPath(branch, `the effect of ${words} is unknown`)]
  return runWhereHolds(at, index, () => 'unknown', branch)
}

type Choice = readonly { readonly element: Element; readonly share: Fraction | undefined }[] | 'unknown'

/**
 * Returns the map elements that match a packet. For `numgen`, each element has its probability (`share`). Returns
 * `unknown` if the elements cannot be determined.
 */
function choose(key: readonly Selector[], elements: SetIndex | undefined, passage: HookPacket): Choice {
  if (elements === undefined) return 'unknown'
  const [only] = key
  if (key.length === 1 && only?.kind === 'numgen') {
    const { mod, offset } = only
    const known = [...elements.exact.values()].filter(
      (element) => Number(element.key) >= offset && Number(element.key) < offset + mod,
    )
    if (elements.intervals.length > 0) return 'unknown'
    return known.map((element) => ({ element, share: createFraction(1, mod) }))
  }
  const element = evaluateSelectors(key, passage, (each) => findElement(elements, key, each))
  if (element === 'unknown') return 'unknown'
  return element === 'none' ? [] : [{ element, share: undefined }]
}

function runVmap(
  at: RuleAt,
  { key, map }: Statement & { readonly kind: 'vmap' },
  branch: PathState,
): readonly ChainResult[] {
  const elements = map.kind === 'named' ? at.table.sets(map.set) : indexSet({ elements: map.elements })
  return runLookup(at, { key, elements, result: 'matching element' }, branch, (path, element) => {
    const { verdict } = element
    if (verdict === undefined) return [endPath(path, `${element.key} has no verdict`)]
    return applied(at, path, verdict, (stepped) => follow(at, verdict, stepped), element)
  })
}

interface Lookup {
  readonly key: readonly Selector[]
  readonly elements: SetIndex | undefined
  /** The result of the lookup, for messages. */
  readonly result: string
}

/**
 * Follows the path of each map element that matches, with `take`. A path without a matching element continues at the
 * next rule.
 */
function runLookup(
  at: RuleAt,
  { key, elements, result }: Lookup,
  branch: PathState,
  take: (path: PathState, element: Element) => readonly ChainResult[],
): readonly ChainResult[] {
  const choices = partitionBySource(branch, (path) => choose(key, elements, passageOf(at, path)), formatChoice)
  return choices.flatMap(({ path, matches }) => {
    if (matches === 'unknown')
      return [endPath(path, `the ${result} of ${at.table.textOf(at.rule)} cannot be determined`)]
    const taken = matches.flatMap(({ element, share }) =>
      take(share === undefined ? path : scaleWeight(path, share), element),
    )
    return [...taken, ...passedBy(path, key, matches)]
  })
}

/**
 * Returns a text that identifies a lookup result. Undefined for an unknown result, because each source is evaluated
 * separately in that case.
 */
function formatChoice(chosen: Choice): string | undefined {
  return chosen === 'unknown' ? undefined : chosen.map(({ element }) => element.key).join(' ')
}

/** Returns the paths without a matching element, which continue at the next rule. */
function passedBy(branch: PathState, key: readonly Selector[], chosen: readonly unknown[]): readonly ChainResult[] {
  const [only] = key
  if (only?.kind !== 'numgen' || key.length > 1) return chosen.length > 0 ? [] : [{ branch, exit: 'rule' }]
  const rest = only.mod - chosen.length
  if (rest <= 0) return []
  return [{ branch: scaleWeight(branch, createFraction(rest, only.mod)), exit: 'rule' }]
}

function runDnat(at: RuleAt, statement: DnatStatement, branch: PathState): readonly ChainResult[] {
  const { to } = statement
  const send = (
    path: PathState,
    address: string,
    port: number | undefined,
    element?: Element,
  ): readonly ChainResult[] => {
    const done = withDestination(path.packet, { address, port: port ?? path.packet.destinationPort, by: 'dnat' })
    return applied(
      at,
      path,
      statement,
      (stepped) => [{ branch: withPacket(stepped, done), exit: NEXT_VERDICT }],
      element,
    )
  }
  if (to.kind === 'address') return send(branch, to.address, to.port)
  const lookup = { key: to.key, elements: indexSet({ elements: to.elements }), result: 'destination' }
  return runLookup(at, lookup, branch, (path, element) => {
    const [address = '', port] = splitKey(element.data ?? '')
    return send(path, address, port === undefined ? undefined : Number(port), element)
  })
}

function markAfter(mark: number, { operation, value }: Statement & { readonly kind: 'markSet' }): number {
  switch (operation) {
    case 'or':
      return (mark | value) >>> 0
    case 'xor':
      return (mark ^ value) >>> 0
    case 'and':
      return (mark & value) >>> 0
    case 'set':
      return value
  }
}

/**
 * Returns the message of a reject statement in iptables notation, so that outcomes of nftables and iptables can be
 * compared.
 */
function answerOf(words: string | undefined, { family }: KernelPacket): string {
  const prefix = family === 'IPv4' ? 'icmp' : 'icmp6'
  if (words === undefined) return `${prefix}-port-unreachable`
  if (words === 'tcp reset') return 'tcp-reset'
  return `${prefix}-${words.split(' ').at(-1)}`
}
