import type { IptablesState, Rule, RuleBlock, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { canonicalizeProtocol } from '@kube-rules/compiler/internal/dataplane/netfilter/protocols'
import { appendAll } from '@kube-rules/compiler/internal/internal/append-all'
import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import { isServicePortChainOfAnyVersion } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { findMatch } from '../shared/read-matched-frontend.js'

/**
 * Annotates a state with owners. Each rule moves to a block with its owning service port (`default/web:http/TCP`), if
 * the owner can be determined. Owners come from the comments of kube-proxy (see `parseServicePortName` for the
 * versions) and from the protocol. Chains without comments, as in large clusters, get their owner from the jumps to
 * these chains. All other rules are in blocks without owner.
 *
 * A service port may have several blocks, because every chain keeps the order of its rules. Jumps from built-in chains
 * remain `jumps`. Linear in the number of rules.
 */
export function annotateRuleOwners(state: IptablesState): IptablesState {
  const protocols = indexProtocolsByName(state)
  return { ...state, tables: state.tables.map((table) => attributeTable(table, protocols)) }
}

interface OpenBlock extends RuleBlock {
  readonly chains: string[]
  readonly rules: Rule[]
}

function attributeTable(table: Table, protocols: ProtocolsByName): Table {
  const declared = new Set(table.blocks.flatMap(({ chains }) => chains))
  const chains = rulesByChain(table, declared)
  const owners = inferChainOwners(chains, protocols)
  const own = new Map<Owner, OpenBlock>()
  const shared: OpenBlock[] = [openBlock('')]
  for (const [chain, rules] of chains) {
    const owner = owners.get(chain)
    if (owner === undefined) continue
    const block = own.get(owner) ?? openBlock(owner)
    own.set(owner, block)
    if (declared.has(chain)) block.chains.push(chain)
    appendAll(block.rules, rules)
  }
  for (const [chain, rules] of chains) {
    if (owners.has(chain)) continue
    if (declared.has(chain)) shared[0]?.chains.push(chain)
    for (const rule of rules) blockFor(findRuleOwner(rule, protocols), shared, own).rules.push(rule)
  }
  const blocks = [...shared, ...own.values()].filter(({ chains: own, rules }) => own.length + rules.length > 0)
  return { ...table, blocks }
}

function openBlock(owner: Owner): OpenBlock {
  return { owner, chains: [], rules: [] }
}

/**
 * Returns the block to append rules of an owner to: the last block if it has this owner; otherwise the block with the
 * chains of the owner if it is not used yet, or else a new block. If the returned block is not the last one, it is
 * appended to `blocks`.
 */
function blockFor(owner: Owner, blocks: OpenBlock[], own: Map<Owner, OpenBlock>): OpenBlock {
  const last = blocks[blocks.length - 1]
  if (last?.owner === owner) return last
  const block = own.get(owner) ?? openBlock(owner)
  own.delete(owner)
  blocks.push(block)
  return block
}

/** Returns the rules by chain: first the declared chains in order, then the undeclared ones. */
function rulesByChain({ blocks }: Table, declared: ReadonlySet<string>): ReadonlyMap<string, readonly Rule[]> {
  const chains = new Map<string, Rule[]>(Array.from(declared, (chain) => [chain, []]))
  for (const block of blocks) {
    for (const rule of getBlockRules(block)) addToGroup(chains, rule.chain, rule)
  }
  return chains
}

/** The chains of a table with their rules. */
type TableChains = ReadonlyMap<string, readonly Rule[]>

/**
 * Returns the service port that owns each chain. The owner comes from the rules of the chain, or else from the rule or
 * chain that jumps to it.
 */
function inferChainOwners(chains: TableChains, protocols: ProtocolsByName): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>()
  const follow = (from: readonly Rule[], leader: (rule: Rule) => Owner): void => {
    const waiting = [{ from, leader }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const rule of next.from) {
        const chain = servicePortChainAfter(rule)
        const rules = chain === undefined || owners.has(chain) ? undefined : chains.get(chain)
        if (chain === undefined || rules === undefined) continue
        const owner = findChainOwner(rules, next.leader(rule), protocols)
        if (owner === '') continue
        owners.set(chain, owner)
        waiting.push({ from: rules, leader: () => owner })
      }
    }
  }
  for (const [chain, rules] of chains) {
    if (!isServicePortChainOfAnyVersion(chain)) follow(rules, (rule) => findRuleOwner(rule, protocols))
  }
  for (const [chain, rules] of chains) {
    const owner =
      isServicePortChainOfAnyVersion(chain) && !owners.has(chain) ? findChainOwner(rules, '', protocols) : ''
    if (owner === '') continue
    owners.set(chain, owner)
    follow(rules, () => owner)
  }
  return owners
}

function servicePortChainAfter({ target }: Rule): string | undefined {
  if (target?.kind !== 'jump' && target?.kind !== 'goto') return undefined
  return isServicePortChainOfAnyVersion(target.chain) ? target.chain : undefined
}

/** The label of a service port in blocks, such as `default/web:http/TCP`; empty for blocks without owner. */
type Owner = string

/** The protocols of service ports, by service port name. They come from the rules that dispatch to the service ports. */
type ProtocolsByName = ReadonlyMap<string, readonly string[]>

export function indexProtocolsByName({ tables }: IptablesState): ProtocolsByName {
  const protocols = new Map<string, string[]>()
  for (const { blocks } of tables) {
    for (const block of blocks)
      for (const rule of getBlockRules(block)) if (isShared(rule.chain)) addProtocol(protocols, rule)
  }
  return protocols
}

/** Reports whether several service ports may have rules in the chain. */
function isShared(chain: string): boolean {
  return chain.startsWith('KUBE-') && !isServicePortChainOfAnyVersion(chain)
}

function addProtocol(protocols: Map<string, string[]>, rule: Rule): void {
  const comment = commentOf(rule)
  const name = comment === undefined || isHealthCheckComment(comment) ? undefined : parseServicePortName(comment)
  const protocol = name === undefined ? undefined : protocolOf(rule)
  if (name === undefined || protocol === undefined) return
  const existing = protocols.get(name)
  if (existing === undefined) protocols.set(name, [protocol])
  else if (!existing.includes(protocol)) existing.push(protocol)
}

/** Returns the owner of a rule in a shared chain, or an empty string for a rule without a service port. */
export function findRuleOwner(rule: Rule, protocols: ProtocolsByName): Owner {
  if (!isShared(rule.chain)) return ''
  const comment = commentOf(rule)
  const name = comment === undefined ? undefined : parseServicePortName(comment)
  if (comment === undefined || name === undefined) return ''
  const existing = protocols.get(name) ?? []
  const own = protocolOf(rule)
  const isOfAnother = isHealthCheckComment(comment) && own !== undefined && !existing.includes(own)
  return ownerOf(name, (isOfAnother ? existing[0] : own) ?? own ?? existing[0])
}

/**
 * Returns the owner of a chain from its own rules. Returns `leader` (the owner of the jump to the chain) if these rules
 * show no service port, or if they show no protocol and `leader` has the same service port name. Otherwise, a missing
 * protocol comes from `protocols`.
 */
export function findChainOwner(rules: readonly Rule[], leader: Owner, protocols: ProtocolsByName): Owner {
  const name = firstOf(rules, (rule) => parseServicePortName(commentOf(rule) ?? ''))
  if (name === undefined) return leader
  const protocol = firstOf(rules, protocolOf)
  if (protocol !== undefined) return ownerOf(name, protocol)
  return leader.startsWith(formatServicePort({ text: name, protocol: '' }))
    ? leader
    : ownerOf(name, protocols.get(name)?.[0])
}

function ownerOf(name: string, protocol: string | undefined): Owner {
  return protocol === undefined ? '' : formatServicePort({ text: name, protocol })
}

function firstOf<Value>(rules: readonly Rule[], find: (rule: Rule) => Value | undefined): Value | undefined {
  for (const rule of rules) {
    const value = find(rule)
    if (value !== undefined) return value
  }
  return undefined
}

function commentOf({ matches }: Rule): string | undefined {
  return findMatch(matches, 'comment')?.text
}

/** Returns the protocol of a rule, such as `TCP`. */
function protocolOf({ matches }: Rule): string | undefined {
  for (const match of matches) {
    if (match.kind === 'protocol' && !match.negated) return canonicalizeProtocol(match.protocol).toUpperCase()
  }
  return undefined
}

/** Matches `namespace/name` or `namespace/name:port`; old versions also print the colon for ports without a name. */
const NAME = '([^\\s/:]+/[^\\s/:]+(?::[^\\s/:]*)?)'

const FORMS: readonly RegExp[] = [
  `${NAME}(?: (?:cluster IP|external IP|loadbalancer IP|has no (?:local )?endpoints|health check node port|-> \\S+))?`,
  `${NAME} traffic not accepted by \\S+`,
  `(?:pod|masquerade|masquerade LOCAL|route LOCAL) traffic for ${NAME} external destinations`,
  `(?:masquerade|route) LOCAL traffic for ${NAME} LB IP(?: to service chain)?`,
  `other traffic to ${NAME} will be dropped by KUBE-PROXY-FIREWALL`,
  `Balancing rule \\d+ for ${NAME}`,
].map((form) => new RegExp(`^${form}$`))

/**
 * Parses the service port in a comment of kube-proxy (`default/web:http`, without the protocol). Supports the iptables
 * and userspace proxiers of Kubernetes 1.2 to 1.37. Returns undefined for any other text.
 */
export function parseServicePortName(comment: string): string | undefined {
  if (!comment.includes('/')) return undefined
  for (const form of FORMS) {
    const name = form.exec(comment)?.[1]
    if (name !== undefined) return name.endsWith(':') ? name.slice(0, -1) : name
  }
  return undefined
}

/** Reports whether the comment is about a health-check port. This port is TCP for every service port. */
export function isHealthCheckComment(comment: string): boolean {
  return comment.endsWith(' health check node port')
}
