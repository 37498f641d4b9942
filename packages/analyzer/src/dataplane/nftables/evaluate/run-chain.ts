import {
  type Branch,
  DROPPED,
  type MakeStep,
  NEXT,
  weighed,
  withPacket,
  withStep,
} from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { askDestination, withDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-log'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { KernelPacket } from '@kube-rules/compiler/internal/dataplane/netfilter/kernel-packet'
import type { Knowledge } from '@kube-rules/compiler/internal/dataplane/netfilter/knowledge'
import type { Passage } from '@kube-rules/compiler/internal/dataplane/netfilter/passage'
import type {
  Chain,
  DnatStatement,
  Element,
  Rule,
  Selector,
  Statement,
  Verdict,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { partsOf } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-parts'
import { type Fraction, fraction } from '@kube-rules/compiler/internal/internal/fraction'
import { knownOn } from '../../netfilter/locality.js'
import { pastMissing } from '../../netfilter/missing.js'
import { partBySource } from '../../netfilter/part-by-source.js'
import { backFromChain, type Ran, type RanRule, runRules, stuck, TOO_MANY, waysOf } from '../../netfilter/ran.js'
import { runWhere } from '../../netfilter/run-where.js'
import { evaluateMarkMatch, evaluateMatch, findElement, type MatchResult, type Sets } from './match.js'
import type { MissingOfTable } from './missing.js'
import { mayAskDestination } from './packet-value.js'
import { indexSet, type SetIndex } from './set-index.js'

/** A table that looks at packets at one hook. */
export interface TableAtHook {
  readonly hook: Hook
  readonly knowledge: Knowledge
  /** Undefined where it does not exist. */
  readonly chain: (name: string) => Chain | undefined
  readonly sets: Sets
  /** What of chains and of the sets of rules is missing; absent where nothing is. */
  readonly missing?: MissingOfTable | undefined
  /** What a rule does; `element` is the one of its map that applies. */
  readonly stepOf: (chain: string, rule: Rule, verdict: Statement | undefined, element?: Element) => MakeStep
  /** The rule, for people. */
  readonly textOf: (rule: Rule) => string
}

/** The ways of a packet through a chain, which `callers` have led to. */
export function runChain(
  table: TableAtHook,
  name: string,
  start: Branch,
  callers: readonly string[] = [],
): readonly Ran[] {
  const reason = table.missing?.ofChain(name)
  const runGiven = (way: Branch) => {
    const rules = table.chain(name)?.rules
    return runRules({ name, rules, callers }, way, (rule, branch, path) =>
      runRule({ table, rule, chain: name, path }, branch),
    )
  }
  if (reason === undefined) return runGiven(start)
  if (table.chain(name) === undefined) return [stuck(start, reason)]
  return pastMissing(start, { reason, goOn: runGiven, stop: stuck })
}

/** A rule in its chain; `path` are the chains that led to it, that one last. */
interface RuleAt {
  readonly table: TableAtHook
  readonly rule: Rule
  readonly chain: string
  readonly path: readonly string[]
}

/** A set of which something is missing may hold what is asked for. */
function runRule(at: RuleAt, branch: Branch): RanRule {
  const reason = at.table.missing?.ofRule(at.rule)
  if (reason === undefined) return runStatements(at, 0, branch)
  const goOn = (way: Branch) => waysOf(runStatements(at, 0, way), way)
  return pastMissing(branch, { reason, goOn, stop: stuck })
}

/** What becomes of a packet at the statements of a rule from the one with that index on. */
function runStatements(at: RuleAt, index: number, branch: Branch): RanRule {
  const statement = at.rule.statements[index]
  if (statement === undefined) return applied(at, branch, undefined, (stepped) => [{ branch: stepped, exit: 'rule' }])
  const goOn = (way: Branch) => runStatements(at, index + 1, way)
  switch (statement.kind) {
    case 'match':
      return runWhereHolds(
        at,
        index,
        (passage) => askedOf(statement.left, passage, (each) => evaluateMatch(statement, each, at.table.sets)),
        branch,
      )
    case 'markMatch':
      return runWhereHolds(at, index, (passage) => evaluateMarkMatch(statement, passage), branch)
    case 'vmap':
      return runVmap(at, statement, branch)
    case 'dnat':
      return runDnat(at, statement, branch)
    case 'markSet':
      return goOn(withPacket(branch, { ...branch.packet, mark: markAfter(branch.packet.mark, statement) }))
    case 'masquerade':
      return applied(at, branch, statement, (stepped) => [
        { branch: withPacket(stepped, { ...stepped.packet, masqueraded: true }), exit: NEXT },
      ])
    case 'reject':
      return applied(at, branch, statement, (stepped) => [
        { branch: stepped, exit: { to: 'rejected', with: answerOf(statement.with, stepped.packet) } },
      ])
    case 'counter':
    case 'namedCounter':
    case 'setUpdate':
      return goOn(branch)
    case 'unknown':
    case 'unknownJson':
      return runUnknown(at, index, statement, branch)
    default:
      return applied(at, branch, statement, (stepped) => follow(at, statement, stepped))
  }
}

/** A rule that takes effect, as a step. */
function applied(
  { table, rule, chain }: RuleAt,
  branch: Branch,
  verdict: Statement | undefined,
  then: (branch: Branch) => readonly Ran[],
  element?: Element,
): readonly Ran[] {
  if (branch.effort.rules-- <= 0) return [stuck(branch, TOO_MANY)]
  return then(withStep(branch, table.stepOf(chain, rule, verdict, element)))
}

function follow({ table, path }: RuleAt, verdict: Verdict, branch: Branch): readonly Ran[] {
  switch (verdict.kind) {
    case 'accept':
      return [{ branch, exit: NEXT }]
    case 'drop':
      return [{ branch, exit: DROPPED }]
    case 'return':
      return [{ branch, exit: 'chain' }]
    case 'continue':
      return [{ branch, exit: 'rule' }]
    case 'jump':
      return runChain(table, verdict.chain, branch, path).map(backFromChain)
    case 'goto':
      return runChain(table, verdict.chain, branch, path)
  }
}

/** The ways on which a condition holds go on in the rule, the others to the next one. */
function runWhereHolds(at: RuleAt, index: number, holds: (passage: Passage) => MatchResult, branch: Branch): RanRule {
  const { knowledge, textOf } = at.table
  const condition = {
    holdsOn: (way: Branch) => holds(passageOf(at, way)),
    question: () => `nftables ${textOf(at.rule)} matches`,
    knowledge,
  }
  return runWhere(condition, branch, (way) => waysOf(runStatements(at, index + 1, way), way))
}

/** What a packet is told about these selectors. */
function askedOf<T>(selectors: readonly Selector[], passage: Passage, ask: (passage: Passage) => T): T {
  if (passage.packet.destinationLog === undefined || !selectors.some(mayAskDestination)) return ask(passage)
  return askDestination(passage.packet, (packet) => ask({ ...passage, packet }))
}

function passageOf({ table: { hook, knowledge } }: RuleAt, branch: Branch): Passage {
  return { packet: branch.packet, hook, knowledge: knownOn(branch, knowledge) }
}

/** What others write may be a condition or do anything; what is known to do nothing to a packet is passed by. */
function runUnknown(
  at: RuleAt,
  index: number,
  statement: Statement & { readonly kind: 'unknown' | 'unknownJson' },
  branch: Branch,
): RanRule {
  const words = statement.kind === 'unknown' ? statement.words.join(' ') : statement.json
  if (words.startsWith('log') || words.startsWith('{"log"')) return runStatements(at, index + 1, branch)
  const isLast = index === at.rule.statements.length - 1
  if (isLast) return [stuck(branch, `what ${words} does is not known`)]
  return runWhereHolds(at, index, () => 'unknown', branch)
}

type Choice = readonly { readonly element: Element; readonly share: Fraction | undefined }[] | 'unknown'

/** The elements of a map that apply, each with its share; `unknown` where it cannot be told which. */
function choose(key: readonly Selector[], elements: SetIndex | undefined, passage: Passage): Choice {
  if (elements === undefined) return 'unknown'
  const [only] = key
  if (key.length === 1 && only?.kind === 'numgen') {
    const { mod, offset } = only
    const known = [...elements.exact.values()].filter(
      (element) => Number(element.key) >= offset && Number(element.key) < offset + mod,
    )
    if (elements.intervals.length > 0) return 'unknown'
    return known.map((element) => ({ element, share: fraction(1, mod) }))
  }
  const element = askedOf(key, passage, (each) => findElement(elements, key, each))
  if (element === 'unknown') return 'unknown'
  return element === 'none' ? [] : [{ element, share: undefined }]
}

function runVmap(at: RuleAt, { key, map }: Statement & { readonly kind: 'vmap' }, branch: Branch): readonly Ran[] {
  const elements = map.kind === 'named' ? at.table.sets(map.set) : indexSet({ elements: map.elements })
  const choices = partBySource(branch, (way) => choose(key, elements, passageOf(at, way)), choiceText)
  return choices.flatMap(({ way, told }) => takeVerdicts(at, key, way, told))
}

/** What cannot be told is asked of each source by itself. */
function choiceText(chosen: Choice): string | undefined {
  return chosen === 'unknown' ? undefined : chosen.map(({ element }) => element.key).join(' ')
}

function takeVerdicts(at: RuleAt, key: readonly Selector[], branch: Branch, chosen: Choice): readonly Ran[] {
  if (chosen === 'unknown')
    return [stuck(branch, `which element of ${at.table.textOf(at.rule)} applies cannot be told`)]
  const taken = chosen.flatMap(({ element, share }) => {
    const { verdict } = element
    const way = share === undefined ? branch : weighed(branch, share)
    if (verdict === undefined) return [stuck(way, `${element.key} leads to no verdict`)]
    return applied(at, way, verdict, (stepped) => follow(at, verdict, stepped), element)
  })
  return [...taken, ...passedBy(branch, key, chosen)]
}

/** The ways on which no element applies go on to the next rule. */
function passedBy(branch: Branch, key: readonly Selector[], chosen: readonly unknown[]): readonly Ran[] {
  const [only] = key
  if (only?.kind !== 'numgen' || key.length > 1) return chosen.length > 0 ? [] : [{ branch, exit: 'rule' }]
  const rest = only.mod - chosen.length
  if (rest <= 0) return []
  return [{ branch: weighed(branch, fraction(rest, only.mod)), exit: 'rule' }]
}

function runDnat(at: RuleAt, statement: DnatStatement, branch: Branch): readonly Ran[] {
  const { to } = statement
  const send = (way: Branch, address: string, port: number | undefined, element?: Element): readonly Ran[] => {
    const done = withDestination(way.packet, { address, port: port ?? way.packet.destinationPort, by: 'dnat' })
    return applied(at, way, statement, (stepped) => [{ branch: withPacket(stepped, done), exit: NEXT }], element)
  }
  if (to.kind === 'address') return send(branch, to.address, to.port)
  const { key } = to
  const elements = indexSet({ elements: to.elements })
  const choices = partBySource(branch, (way) => choose(key, elements, passageOf(at, way)), choiceText)
  return choices.flatMap(({ way, told }) => takeAddresses(at, key, way, told, send))
}

type Send = (branch: Branch, address: string, port: number | undefined, element: Element) => readonly Ran[]

function takeAddresses(
  at: RuleAt,
  key: readonly Selector[],
  branch: Branch,
  chosen: Choice,
  send: Send,
): readonly Ran[] {
  if (chosen === 'unknown') return [stuck(branch, `where ${at.table.textOf(at.rule)} leads cannot be told`)]
  const taken = chosen.flatMap(({ element, share }) => {
    const [address = '', port] = partsOf(element.data ?? '')
    const way = share === undefined ? branch : weighed(branch, share)
    return send(way, address, port === undefined ? undefined : Number(port), element)
  })
  return [...taken, ...passedBy(branch, key, chosen)]
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

/** As iptables names the answers, so that outcomes of both can be compared. */
function answerOf(words: string | undefined, { family }: KernelPacket): string {
  const prefix = family === 'IPv4' ? 'icmp' : 'icmp6'
  if (words === undefined) return `${prefix}-port-unreachable`
  if (words === 'tcp reset') return 'tcp-reset'
  return `${prefix}-${words.split(' ').at(-1)}`
}
