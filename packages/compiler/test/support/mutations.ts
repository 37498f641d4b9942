import fc from 'fast-check'
import { oneOf, type Weighted } from '../../../testing/src/arbitraries/weighted.js'
import type { HeldNode } from './held-node.js'
import { IPVS_MUTATIONS, type IpvsMutation, isIpvsMutation, mutateIpvs } from './ipvs-mutations.js'
import { type HeldRule, jumpOf } from './restore-interpreter.js'

// Single changes to kube-proxy's rules on a node, independent of the code under test.

export type RuleMutation = 'drop' | 'duplicate' | 'swap' | 'edit'

type ChainMutation = 'delete chain' | 'add chain'

export interface Mutation {
  readonly kind: RuleMutation | ChainMutation | IpvsMutation
  /** The index of the location, modulo the number of possible locations. */
  readonly at: number
  /** Restricts the mutation to rules of Services, if there are any. Rules of all nodes are few and constant. */
  readonly ofServices?: boolean
}

type Kind = Mutation['kind']

const RULE_KINDS: readonly Weighted<Kind>[] = [
  [3, 'drop'],
  [1, 'duplicate'],
  [2, 'swap'],
  [3, 'edit'],
  [2, 'delete chain'],
  [1, 'add chain'],
]

const IPVS_KINDS: readonly Weighted<Kind>[] = IPVS_MUTATIONS.map((kind) => [4, kind])

/** Generates mutations for nodes of a mode: five of six affect rules of Services. */
export function mutationsOf(mode: 'iptables' | 'ipvs'): fc.Arbitrary<Mutation> {
  return fc.record({
    kind: oneOf<Kind>(...RULE_KINDS, ...(mode === 'ipvs' ? IPVS_KINDS : [])),
    at: fc.nat(100_000),
    ofServices: oneOf([5, true], [1, false]),
  })
}

/** Applies the mutation to a node; undefined if the node has nothing to change. */
export function mutate(node: HeldNode, { kind, at, ofServices = false }: Mutation): HeldNode | undefined {
  if (kind === 'add chain') return addChain(node, at)
  if (kind === 'delete chain') return deleteChain(node, at, ofServices)
  if (isIpvsMutation(kind)) return mutateIpvs(node, kind, at)
  const place = pick(placesOf(node, kind), at, ofServices, ({ table, chain, index }) =>
    isOfService(chain, node.tables.get(table)?.get(chain)?.[index]),
  )
  return place && changeRule(node, kind, place)
}

/** Selects one of the items. With `onlyExpected`, selects one of the preferred items, if there are any. */
function pick<T>(
  items: readonly T[],
  at: number,
  onlyExpected: boolean,
  isWanted: (item: T) => boolean,
): T | undefined {
  const expected = onlyExpected ? items.filter(isWanted) : []
  const from = expected.length > 0 ? expected : items
  return from[at % from.length]
}

const SERVICE_CHAINS = /^KUBE-(?:SVC|SVL|EXT|FW|SEP)-/

function isOfService(chain: string, rule: HeldRule | undefined): boolean {
  return SERVICE_CHAINS.test(chain) || (rule !== undefined && nameOf(rule) !== undefined)
}

/** Returns the number of different mutations of a kind. */
export function countOf(node: HeldNode, kind: RuleMutation | ChainMutation): number {
  if (kind === 'add chain') return ADDED_CHAINS.length
  return kind === 'delete chain' ? deletableChains(node).length : placesOf(node, kind).length
}

interface Place {
  readonly table: string
  readonly chain: string
  readonly index: number
}

function placesOf({ tables }: HeldNode, kind: RuleMutation): readonly Place[] {
  return [...tables].flatMap(([table, chains]) =>
    [...chains].flatMap(([chain, rules]) =>
      rules.flatMap((rule, index) =>
        isChangeable(chain, rule, rules[index + 1], kind) ? [{ table, chain, index }] : [],
      ),
    ),
  )
}

const BUILT_IN = /^(?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)$/

function isChangeable(chain: string, rule: HeldRule, next: HeldRule | undefined, kind: RuleMutation): boolean {
  if (!chain.startsWith('KUBE-') && !(BUILT_IN.test(chain) && jumpOf(rule)?.startsWith('KUBE-'))) return false
  if (kind === 'swap') return next !== undefined && isOrdered(chain, rule, next)
  // `verify` ignores foreign rules in this chain, because the kubelet uses it, too.
  return true
}

/** Reports whether the order of two rules matters. The order of service ports in kube-proxy's rules is random. */
function isOrdered(chain: string, first: HeldRule, second: HeldRule): boolean {
  if (first.spec === second.spec) return false
  if (BUILT_IN.test(chain)) {
    const targets = [jumpOf(first), jumpOf(second)]
    return targets.every((target) => target?.startsWith('KUBE-') && target !== 'KUBE-FIREWALL')
  }
  if (!SHARED_CHAINS.test(chain)) return true
  const [name, other] = [nameOf(first), nameOf(second)]
  if (name !== other) return name === undefined || other === undefined
  return !(isInvalidRuleCode(first) && isInvalidRuleCode(second))
}

const SHARED_CHAINS = /^KUBE-(?:SERVICES|EXTERNAL-SERVICES|NODEPORTS|PROXY-FIREWALL|IPVS-OUT-FILTER)$/

/** Returns the service port in the comment, with the protocol; fixed rules have none. */
function nameOf({ spec }: HeldRule): string | undefined {
  const name = /--comment "?([^ "]+\/[^ "]+)/.exec(spec)?.[1] ?? /--vaddr \S+ --vproto \S+ --vport \d+/.exec(spec)?.[0]
  return name === undefined ? undefined : `${name} ${/ -p (\S+)/.exec(spec)?.[1]}`
}

function isInvalidRuleCode({ spec }: HeldRule): boolean {
  return / -j (?:REJECT|DROP)/.test(spec)
}

function changeRule(node: HeldNode, kind: RuleMutation, { table, chain, index }: Place): HeldNode {
  const rules = node.tables.get(table)?.get(chain) ?? []
  const [rule, next] = [rules[index] as HeldRule, rules[index + 1]]
  const changed = {
    drop: [],
    duplicate: [rule, { spec: rule.spec }],
    swap: next === undefined ? [] : [next, rule],
    edit: [{ spec: edited(rule.spec) }],
  }[kind]
  const rest = rules.slice(index + (kind === 'swap' ? 2 : 1))
  return withChain(node, table, chain, [...rules.slice(0, index), ...changed, ...rest])
}

/** Changes the source, so that the rule matches other packets. */
function edited(spec: string): string {
  const source = /(?:^| )-s (\S+)/.exec(spec)?.[1]
  const other = spec.includes(':') && !/\d+\.\d+\.\d+\.\d+/.test(spec) ? 'fd00:dead::/64' : '203.0.113.128/25'
  return source === undefined ? `-p gre ${spec.replace(/ ?-p \S+/, '')}` : spec.replace(` ${source}`, ` ${other}`)
}

function withChain(node: HeldNode, table: string, chain: string, rules: readonly HeldRule[] | undefined): HeldNode {
  const chains = new Map(node.tables.get(table))
  if (rules === undefined) chains.delete(chain)
  else chains.set(chain, rules)
  return { ...node, tables: new Map(node.tables).set(table, chains) }
}

function deletableChains({ tables }: HeldNode): readonly Omit<Place, 'index'>[] {
  return [...tables].flatMap(([table, chains]) =>
    [...chains.keys()].filter((chain) => chain.startsWith('KUBE-')).map((chain) => ({ table, chain })),
  )
}

/** Deletes a chain and the jumps to it, because the kernel does not delete a chain with references. */
function deleteChain(node: HeldNode, at: number, ofServices: boolean): HeldNode | undefined {
  const deletable = pick(deletableChains(node), at, ofServices, ({ chain }) => SERVICE_CHAINS.test(chain))
  if (deletable === undefined) return undefined
  const { table, chain } = deletable
  const others = [...(node.tables.get(table) ?? [])].filter(([name]) => name !== chain)
  const rest = new Map(others.map(([name, rules]) => [name, rules.filter((rule) => jumpOf(rule) !== chain)]))
  return { ...node, tables: new Map(node.tables).set(table, rest) }
}

const ADDED_CHAINS = ['KUBE-SVC-AAAAAAAAAAAAAAAA', 'KUBE-SEP-AAAAAAAAAAAAAAAA', 'KUBE-XLB-A', 'KUBE-PORTALS-HOST']

function addChain(node: HeldNode, at: number): HeldNode {
  const chain = ADDED_CHAINS[at % ADDED_CHAINS.length] as string
  return withChain(
    node,
    'nat',
    chain,
    at % 2 === 0 ? [] : [{ spec: '-m comment --comment old/one:http -j KUBE-MARK-MASQ' }],
  )
}

/** Adds rules of other programs between the rules of kube-proxy. */
export function withForeignRules(node: HeldNode): HeldNode {
  const nat = new Map(node.tables.get('nat'))
  nat.set('DOCKER', [{ spec: '-i docker0 -j RETURN' }])
  nat.set('PREROUTING', [{ spec: '-m addrtype --dst-type LOCAL -j DOCKER' }, ...(nat.get('PREROUTING') ?? [])])
  nat.set('KUBE-MARK-DROP', [{ spec: '-j MARK --set-xmark 0x8000/0x8000' }])
  const filter = new Map(node.tables.get('filter'))
  filter.set('KUBE-KUBELET-CANARY', [])
  filter.set('KUBE-FIREWALL', [
    { spec: '-m mark --mark 0x8000/0x8000 -j DROP' },
    ...(filter.get('KUBE-FIREWALL') ?? []),
  ])
  filter.set('FORWARD', [...(filter.get('FORWARD') ?? []), { spec: '-i docker0 -j ACCEPT' }])
  return { ...node, tables: new Map(node.tables).set('nat', nat).set('filter', filter) }
}
