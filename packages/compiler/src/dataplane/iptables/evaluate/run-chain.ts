import type { IpFamily } from '@kube-rules/types'
import { complement, type Fraction } from '../../../internal/fraction.js'
import {
  assuming,
  type Branch,
  type Departure,
  DROPPED,
  NEXT,
  type Step,
  weighed,
  withPacket,
  withStep,
} from '../../netfilter/branch.js'
import type { Hook } from '../../netfilter/hooks.js'
import { packetKey } from '../../netfilter/kernel-packet.js'
import type { Knowledge } from '../../netfilter/knowledge.js'
import { assumingLocal, knownOn } from '../../netfilter/locality.js'
import { pastMissing } from '../../netfilter/missing.js'
import type { Rule, TableName } from '../ast.js'
import type { OwnedRule } from '../chains.js'
import type { MatchResult } from '../matches/language.js'
import { evaluateMatches } from '../matches/matches.js'
import { printRule } from '../print/print.js'
import { evaluateVerdict } from '../verdicts/verdicts.js'
import type { MissingOfChain } from './missing.js'
import type { RulesFor } from './rule-index.js'

/** A table that looks at packets at one hook. */
export interface TableAtHook {
  readonly name: TableName
  readonly family: IpFamily
  readonly hook: Hook
  readonly knowledge: Knowledge
  /** The rules of a chain; undefined where it does not exist. */
  readonly chain: (name: string) => RulesFor | undefined
  /** What of a chain is missing; absent where nothing is missing of any. */
  readonly missing?: ((chain: string) => MissingOfChain | undefined) | undefined
  readonly stepOf: (rule: OwnedRule) => Step
}

/** A way behind a rule or chain: on to the next rule, back to the calling chain, or out of the table. */
export interface Ran {
  readonly branch: Branch
  readonly exit: 'rule' | 'chain' | Departure
}

/** The kernel refuses loops and deep nests, but a dump may be anything. */
const MAX_DEPTH = 128

/** The ways of a packet through a chain, which `callers` have led to. */
export function runChain(
  table: TableAtHook,
  chain: string,
  start: Branch,
  callers: readonly string[] = [],
): readonly Ran[] {
  const missing = table.missing?.(chain)
  if (missing?.what === 'all') return [stuck(start, missing.reason)]
  if (missing === undefined) return runGiven(table, chain, start, callers)
  const { reason } = missing
  const goOn = (way: Branch): readonly Ran[] =>
    table.chain(chain) === undefined ? [{ branch: way, exit: 'chain' }] : runGiven(table, chain, way, callers)
  return pastMissing(start, { reason, goOn, stop: stuck })
}

function runGiven(table: TableAtHook, chain: string, start: Branch, callers: readonly string[]): readonly Ran[] {
  const rulesFor = table.chain(chain)
  if (rulesFor === undefined) return [stuck(start, `chain ${chain} does not exist`)]
  if (callers.includes(chain)) return [stuck(start, `chain ${chain} leads back to itself`)]
  if (callers.length === MAX_DEPTH) return [stuck(start, `chain ${chain} is the last of too many jumps`)]
  const path = [...callers, chain]
  const done: Ran[] = []
  let live: readonly Branch[] = [start]
  for (const rule of rulesFor(start.packet)) {
    if (live.length === 0) return done
    const next: Branch[] = []
    for (const branch of live) {
      for (const ran of runRule(table, rule, branch, path)) {
        if (ran.exit === 'rule') next.push(ran.branch)
        else done.push(ran)
      }
    }
    live = next
  }
  return [...done, ...live.map((branch): Ran => ({ branch, exit: 'chain' }))]
}

const TOO_MANY = 'too many rules may or may not match'

function stuck(branch: Branch, reason: string): Ran {
  return { branch, exit: { to: 'unknown', reason } }
}

function runRule(table: TableAtHook, owned: OwnedRule, branch: Branch, path: readonly string[]): readonly Ran[] {
  const result = resultOf(table, owned.rule, branch)
  if (result === 'no') return [{ branch, exit: 'rule' }]
  const take = (way: Branch) => applyRule(table, owned, way, path)
  if (result === 'yes') return take(branch)
  if (result !== 'unknown') return runByChance(result, branch, take)
  if (branch.effort.questions-- <= 0) return [stuck(branch, TOO_MANY)]
  const parted = partByAddress(table, owned.rule, branch)
  if (parted !== undefined) return parted.flatMap((way) => runRule(table, owned, way, path))
  return runWhereUnknown(table, owned.rule, branch, take)
}

function resultOf({ hook, knowledge }: TableAtHook, { matches }: Rule, branch: Branch): MatchResult {
  return evaluateMatches(matches, { packet: branch.packet, hook, knowledge: knownOn(branch, knowledge) })
}

/**
 * The ways on which an address is the node's own and on which it is not, where the rule can be told of one of them:
 * that is easier to answer than whether a rule matches. Undefined where no address is in question.
 */
function partByAddress(table: TableAtHook, rule: Rule, branch: Branch): readonly Branch[] | undefined {
  const { isLocal } = knownOn(branch, table.knowledge)
  for (const address of [branch.packet.destination, branch.packet.source]) {
    if (isLocal(address) !== 'unknown') continue
    const parted = [assumingLocal(branch, address, true), assumingLocal(branch, address, false)]
    if (parted.some((way) => resultOf(table, rule, way) !== 'unknown')) return parted
  }
  return undefined
}

type Take = (branch: Branch) => readonly Ran[]

function runByChance(chance: Fraction, branch: Branch, take: Take): readonly Ran[] {
  const rest = complement(chance)
  if (rest.numerator === 0n) return take(branch)
  const passed: Ran = { branch: weighed(branch, rest), exit: 'rule' }
  return chance.numerator === 0n ? [passed] : [...take(weighed(branch, chance)), passed]
}

/** Both ways, unless they come to the same. */
function runWhereUnknown({ name, family }: TableAtHook, rule: Rule, branch: Branch, take: Take): readonly Ran[] {
  const what = newQuestion(`iptables ${name} ${printRule(rule, 'save', family)} matches`, branch)
  const taken = take(assuming(branch, what, true))
  const key = packetKey(branch.packet)
  const isSame = taken.every((ran) => ran.exit === 'rule' && packetKey(ran.branch.packet) === key)
  if (isSame) return [{ branch, exit: 'rule' }]
  return [...taken, { branch: assuming(branch, what, false), exit: 'rule' }]
}

/** Of a rule that a packet meets once more, another question: the packet may have changed since, or what is counted of it. */
function newQuestion(what: string, branch: Branch): string {
  return branch.assumptions.some((each) => each.what === what) ? newQuestion(`${what} again`, branch) : what
}

function applyRule(table: TableAtHook, owned: OwnedRule, branch: Branch, path: readonly string[]): readonly Ran[] {
  if (branch.effort.rules-- <= 0) return [stuck(branch, TOO_MANY)]
  const { verdict } = owned.rule
  const stepped = withStep(branch, table.stepOf(owned))
  if (verdict === undefined) return [{ branch: stepped, exit: 'rule' }]
  const effect = evaluateVerdict(verdict, branch.packet)
  switch (effect.kind) {
    case 'continue':
      return [{ branch: withPacket(stepped, effect.packet), exit: 'rule' }]
    case 'accept':
      return [{ branch: withPacket(stepped, effect.packet), exit: NEXT }]
    case 'drop':
      return [{ branch: stepped, exit: DROPPED }]
    case 'reject':
      return [{ branch: stepped, exit: { to: 'rejected', with: effect.with } }]
    case 'return':
      return [{ branch: stepped, exit: 'chain' }]
    case 'jump':
      return runChain(table, effect.chain, stepped, path).map(backFromChain)
    case 'goto':
      return runChain(table, effect.chain, stepped, path)
    case 'unknown':
      return [stuck(stepped, effect.reason)]
  }
}

function backFromChain(ran: Ran): Ran {
  return ran.exit === 'chain' ? { branch: ran.branch, exit: 'rule' } : ran
}
