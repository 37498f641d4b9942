import {
  type Lead,
  type Reach,
  type ReachOf,
  reachOfAddresses,
  reachOfLeads,
  remembered,
  TO_LOCAL,
  uniteReaches,
} from '../netfilter/reach.js'
import type { Chain, NamedSet, Rule, Selector, Statement, Table } from './ast.js'
import { isInterval } from './keys/intervals.js'
import { isAddress, isDestination } from './places-of-elements.js'
import { chainsOfElements, chainsOfRule } from './references.js'

/** What is known of contributions to a table. */
export interface ContributedFacts {
  /** Sets of the table that have elements of them. */
  readonly filled: ReadonlySet<string>
  /** Sets into which their rules look whatever the destination is. */
  readonly blind: ReadonlySet<string>
  /** Chains of the table to which their rules and elements lead. */
  readonly leadsTo: ReadonlySet<string>
}

/**
 * Which packets the rules of a table look up in a set of it by their port alone, the last part of its keys. Undefined where packets
 * for any address are, or may be.
 */
export function reachOfSets(fixed: Table, { filled, blind, leadsTo }: ContributedFacts): ReachOf {
  const known = fixed.sets.filter(({ name }) => !filled.has(name))
  const looks = fixed.chains.flatMap((chain) => chain.rules.flatMap((rule) => looksOf(chain, rule, known)))
  const roots = new Map<string, Reach | undefined>()
  for (const chain of [...leadsTo, ...fixed.sets.flatMap(({ elements }) => [...chainsOfElements(elements)])])
    roots.set(chain, undefined)
  // To the hook input comes what is for the node.
  for (const { name, base } of fixed.chains)
    if (base !== undefined) roots.set(name, base.hook === 'input' ? TO_LOCAL : undefined)
  const reachOfChain = reachOfLeads(fixed.chains.flatMap(leadsOf), roots)
  return remembered((set) => {
    if (blind.has(set)) return undefined
    const found = looks.filter((look) => look.set === set)
    return uniteReaches(
      found.map(({ from, takes, isByPort }) => (isByPort ? (takes ?? reachOfChain(from)) : undefined)),
    )
  })
}

/** A rule of a chain that looks into a set. */
interface Look {
  readonly set: string
  readonly from: string
  /** The packets that come so far in the rule; undefined where it has not asked for their destination. */
  readonly takes: Reach | undefined
  readonly isByPort: boolean
}

function looksOf({ name: from }: Chain, { statements }: Rule, known: readonly NamedSet[]): readonly Look[] {
  return statements.flatMap((statement, index) => {
    const look = lookOf(statement)
    if (look === undefined) return []
    const takes = reachTaken(statements.slice(0, index), known)
    return [{ set: look.set, from, takes, isByPort: !look.key.some(isDestination) && isPort(look.key.at(-1)) }]
  })
}

function lookOf(statement: Statement): { readonly set: string; readonly key: readonly Selector[] } | undefined {
  if (statement.kind === 'match' && statement.right.kind === 'named')
    return { set: statement.right.set, key: statement.left }
  if (statement.kind === 'vmap' && statement.map.kind === 'named') return { set: statement.map.set, key: statement.key }
  return undefined
}

function leadsOf({ name: from, rules }: Chain): readonly Lead[] {
  return rules.flatMap((rule) => Array.from(chainsOfRule(rule), (to) => ({ from, to, takes: undefined })))
}

/** What the first statement leaves that asks for the destination address alone, or whether it is the node's. */
function reachTaken(statements: readonly Statement[], known: readonly NamedSet[]): Reach | undefined {
  for (const statement of statements) {
    if (statement.kind !== 'match' || statement.operator !== '==' || statement.left.length > 1) continue
    const { left, right } = statement
    const [selector] = left
    if (selector === undefined) continue
    if (isLocality(selector) && right.kind === 'value' && right.value === 'local') return TO_LOCAL
    if (!isDestination(selector) || right.kind !== 'named') continue
    const keys = known.find(({ name }) => name === right.set)?.elements.map(({ key }) => key)
    if (keys?.every((key) => isAddress(key) && !isInterval(key))) return reachOfAddresses(keys)
  }
  return undefined
}

function isLocality(selector: Selector): boolean {
  return (
    selector.kind === 'fib' &&
    selector.result === 'type' &&
    selector.flags.length === 1 &&
    selector.flags[0] === 'daddr'
  )
}

function isPort(selector: Selector | undefined): boolean {
  return selector?.kind === 'payload' && selector.field === 'dport'
}
