import type { IpFamily } from '@kube-rules/types'
import { complement, type Fraction } from '../../internal/fraction.js'
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
} from '../netfilter/branch.js'
import type { Hook } from '../netfilter/hooks.js'
import { packetKey } from '../netfilter/kernel-packet.js'
import { assumingLocal, knownOn } from '../netfilter/locality.js'
import type { Surroundings } from '../netfilter/surroundings.js'
import type { Rule, TableName } from './ast.js'
import { canonicalRule } from './canonical.js'
import type { OwnedRule } from './chains.js'
import type { MatchResult } from './matches/language.js'
import { evaluateMatches } from './matches/matches.js'
import { printRule } from './print.js'
import { evaluateVerdict, printVerdict } from './verdicts/verdicts.js'

/** A table that looks at packets at one hook. */
export interface TableAtHook {
  readonly name: TableName
  readonly family: IpFamily
  readonly hook: Hook
  readonly surroundings: Surroundings
  readonly chains: () => ReadonlyMap<string, readonly OwnedRule[]>
}

/** A way behind a rule or chain: on to the next rule, back to the calling chain, or out of the table. */
export interface Ran {
  readonly branch: Branch
  readonly exit: 'rule' | 'chain' | Departure
}

/** The kernel refuses loops, but a dump may be anything. */
const MAX_DEPTH = 128

/** How many ways through one chain are followed where it cannot be told which rules match. */
const MAX_WAYS = 256

/** The ways of a packet through a chain. */
export function runChain(table: TableAtHook, chain: string, start: Branch, depth: number): readonly Ran[] {
  const rules = table.chains().get(chain)
  if (rules === undefined) return [stuck(start, `chain ${chain} does not exist`)]
  if (depth > MAX_DEPTH) return [stuck(start, `chain ${chain} leads back to itself`)]
  const done: Ran[] = []
  let live: readonly Branch[] = [start]
  for (const rule of rules) {
    if (live.length === 0) return done
    if (live.length + done.length > MAX_WAYS) return [...done, ...live.map((branch) => stuck(branch, TOO_MANY))]
    const next: Branch[] = []
    for (const branch of live) {
      for (const ran of runRule(table, rule, branch, depth)) {
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

function runRule(table: TableAtHook, owned: OwnedRule, branch: Branch, depth: number): readonly Ran[] {
  const result = resultOf(table, owned.rule, branch)
  if (result === 'no') return [{ branch, exit: 'rule' }]
  const take = (way: Branch) => applyRule(table, owned, way, depth)
  if (result === 'yes') return take(branch)
  if (result !== 'unknown') return runByChance(result, branch, take)
  const parted = partByAddress(table, owned.rule, branch)
  if (parted !== undefined) return parted.flatMap((way) => runRule(table, owned, way, depth))
  return runWhereUnknown(table, owned.rule, branch, take)
}

function resultOf({ hook, surroundings }: TableAtHook, { matches }: Rule, branch: Branch): MatchResult {
  return evaluateMatches(matches, { packet: branch.packet, hook, surroundings: knownOn(branch, surroundings) })
}

/**
 * The ways on which an address is the node's own and on which it is not, where the rule can be told of one of them:
 * that is easier to answer than whether a rule matches. Undefined where no address is in question.
 */
function partByAddress(table: TableAtHook, rule: Rule, branch: Branch): readonly Branch[] | undefined {
  const { isLocal } = knownOn(branch, table.surroundings)
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
  const what = `iptables ${name} ${printRule(rule, 'save', family)} matches`
  const taken = take(assuming(branch, what, true))
  const key = packetKey(branch.packet)
  const isSame = taken.every((ran) => ran.exit === 'rule' && packetKey(ran.branch.packet) === key)
  if (isSame) return [{ branch, exit: 'rule' }]
  return [...taken, { branch: assuming(branch, what, false), exit: 'rule' }]
}

function applyRule(table: TableAtHook, owned: OwnedRule, branch: Branch, depth: number): readonly Ran[] {
  const { verdict } = owned.rule
  const stepped = withStep(branch, stepOf(table, owned))
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
      return runChain(table, effect.chain, stepped, depth + 1).map(backFromChain)
    case 'goto':
      return runChain(table, effect.chain, stepped, depth + 1)
    case 'unknown':
      return [stuck(stepped, effect.reason)]
  }
}

function backFromChain(ran: Ran): Ran {
  return ran.exit === 'chain' ? { branch: ran.branch, exit: 'rule' } : ran
}

function stepOf({ hook, name, family }: TableAtHook, { rule, owner }: OwnedRule): Step {
  const { chain, matches, verdict } = canonicalRule(rule, family)
  return {
    hook,
    by: `iptables ${name}`,
    chain,
    text: printRule(rule, 'save', family),
    verdict: verdict === undefined ? '' : printVerdict(verdict, 'save').replace(/^-[jg] /, ''),
    jumpsTo: verdict?.kind === 'jump' || verdict?.kind === 'goto' ? verdict.chain : '',
    comment: matches.flatMap((match) => (match.kind === 'comment' ? match.text : [])).join('; '),
    owner,
  }
}
