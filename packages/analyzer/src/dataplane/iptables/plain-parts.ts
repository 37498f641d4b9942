import type { Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { BUILT_IN_CHAINS } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import {
  chainsWithOwnersOf,
  jumpTargetOf,
  type RuleWithOwner,
} from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'
import type { OwnedContent } from '../netfilter/parts.js'

/**
 * The maximum number of chains that jump to a chain of individual addresses. A chain with more callers is treated as
 * shared by all addresses.
 */
const MAX_CALLERS = 16

/** The content of a table from a dump: the rules for any destination, and one part for each destination address. */
export interface DestinationPartition {
  readonly shared: unknown
  readonly parts: readonly OwnedContent[]
}

/**
 * Splits a table by the destination addresses in its rules. The part of an address contains the rules that match the
 * address, and the chains that packets reach only through these rules. Two addresses share a part if their rules jump
 * to the same chain.
 */
export function splitTableByDestination(table: Table): DestinationPartition {
  const chains = chainsWithOwnersOf(table)
  const owned = ownedChains(table, chains)
  const keyOf = groupsOf(chains, owned)
  const entries = new Map<string, Entries>()
  const shared: unknown[] = []
  for (const [chain, rules] of chains) {
    if (owned.has(chain)) continue
    const rulesOfAll: Rule[] = []
    for (const { rule, owner } of rules) {
      const address = requiredDestinationOf(rule)
      if (address === undefined) rulesOfAll.push(rule)
      else addEntry(entries, keyOf(address), address, { rule, owner, position: rulesOfAll.length })
    }
    shared.push({ chain, rules: rulesOfAll })
  }
  return {
    shared: { name: table.name, policies: table.policies, chains: shared },
    parts: Array.from(entries.values(), (entry) => partOf(table, entry, chains, owned)),
  }
}

/** The rules of shared chains that match one group of destination addresses. */
interface Entries {
  readonly destinations: Set<string>
  /** The rules; `position` is the number of preceding rules in the chain that apply to any address. */
  readonly rules: (RuleWithOwner & { readonly position: number })[]
}

function addEntry(entries: Map<string, Entries>, key: string, address: string, entry: Entries['rules'][number]): void {
  const existing = entries.get(key) ?? { destinations: new Set(), rules: [] }
  entries.set(key, existing)
  existing.destinations.add(address)
  existing.rules.push(entry)
}

/**
 * Returns the rules of a group of addresses and the chains that only these rules reach. The chains are in the order of
 * the jumps to them, so that the result does not depend on their names.
 */
function partOf(
  { name }: Table,
  { destinations, rules }: Entries,
  chains: Chains,
  owned: ReadonlySet<string>,
): OwnedContent {
  const own = new Set<string>()
  const owners = new Set<string>()
  const addCalled = ({ rule, owner }: RuleWithOwner) => {
    const called = jumpTargetOf(rule)
    if (called !== undefined && owned.has(called)) own.add(called)
    if (owner !== '') owners.add(owner)
  }
  rules.forEach(addCalled)
  for (const chain of own) chains.get(chain)?.forEach(addCalled)
  const names = [...own]
  const numbers = new Map(Array.from(owners, (owner, number) => [owner, number]))
  const numbered = ({ rule, owner }: RuleWithOwner) => ({ rule, ownerNumber: numbers.get(owner) })
  return {
    owners: [...owners],
    value: () => ({
      table: name,
      rules: rules.map(({ rule, owner, position }) => ({ rule, ownerNumber: numbers.get(owner), position })),
      chains: names.map((chain) => ({ chain, rules: chains.get(chain)?.map(numbered) })),
    }),
    source: rules,
    destinations: [...destinations],
    names,
  }
}

type Chains = ReadonlyMap<string, readonly RuleWithOwner[]>

/** Returns the chains that packets reach only through rules that require an address. */
function ownedChains({ name }: Table, chains: Chains): ReadonlySet<string> {
  const callers = callerCounts(chains)
  const isBuiltIn = new Set<string>(BUILT_IN_CHAINS[name])
  const isCandidate = (chain: string) => {
    const count = callers.get(chain)?.count ?? 0
    return !isBuiltIn.has(chain) && count > 0 && count <= MAX_CALLERS && !isLeaf(chains.get(chain) ?? [])
  }
  const owned = new Set([...chains.keys()].filter(isCandidate))
  const unvisited = [...chains.keys()].filter((chain) => !owned.has(chain))
  for (let chain = unvisited.pop(); chain !== undefined; chain = unvisited.pop()) {
    for (const { rule } of chains.get(chain) ?? []) {
      const called = jumpTargetOf(rule)
      if (called === undefined || requiredDestinationOf(rule) !== undefined || !owned.delete(called)) continue
      unvisited.push(called)
    }
  }
  return owned
}

interface Callers {
  count: number
  last: string
}

/** Returns the number of chains that call each chain. */
function callerCounts(chains: Chains): ReadonlyMap<string, Callers> {
  const callers = new Map<string, Callers>()
  for (const [chain, rules] of chains) {
    for (const { rule } of rules) {
      const called = jumpTargetOf(rule)
      if (called === undefined) continue
      const existing = callers.get(called)
      if (existing === undefined) callers.set(called, { count: 1, last: chain })
      else if (existing.last !== chain) {
        existing.count++
        existing.last = chain
      }
    }
  }
  return callers
}

/**
 * Reports whether the rules of a chain, such as KUBE-MARK-MASQ, neither match the destination nor jump to another
 * chain.
 */
function isLeaf(rules: readonly RuleWithOwner[]): boolean {
  return rules.every(
    ({ rule: { matches, target } }) =>
      (target?.kind === 'mark' || target?.kind === 'return' || target?.kind === 'drop') &&
      matches.every(({ kind }) => kind === 'comment' || kind === 'mark'),
  )
}

function chainKey(chain: string): string {
  return `chain ${chain}`
}

/**
 * Groups addresses with the chains that only packets to them reach. Addresses with a common chain, directly or
 * transitively, are one group. Returns a function from an address or chain to the key of its group.
 */
function groupsOf(chains: Chains, owned: ReadonlySet<string>): (key: string) => string {
  const parents = new Map<string, string>()
  const rootOf = (key: string): string => {
    let root = key
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    if (root !== key) parents.set(key, root)
    return root
  }
  for (const [chain, rules] of chains) {
    for (const { rule } of rules) {
      const called = jumpTargetOf(rule)
      if (called === undefined || !owned.has(called)) continue
      const caller = owned.has(chain) ? chainKey(chain) : requiredDestinationOf(rule)
      if (caller === undefined) continue
      const [one, other] = [rootOf(caller), rootOf(chainKey(called))]
      if (one !== other) parents.set(other, one)
    }
  }
  return rootOf
}

/** Returns the destination address that a rule requires; undefined if the rule matches several addresses or any address. */
export function requiredDestinationOf({ matches }: Pick<Rule, 'matches'>): string | undefined {
  for (const match of matches) {
    // An ipvs match (`--vaddr`) compares the address of the virtual server, which is the destination of such a packet.
    if (match.kind === 'ipvs') return match.address
    if (match.kind !== 'destination' || match.negated) continue
    const address = withoutHostPrefix(match.address)
    return address.includes('/') ? undefined : address
  }
  return undefined
}
