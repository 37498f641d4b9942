import type { Block, IptablesState, Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { appendAll } from '@kube-rules/compiler/internal/internal/append-all'
import { isServicePortChainOfAnyVersion } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { findChainOwner, findRuleOwner, indexProtocolsByName, type Owner, type ProtocolsByName } from './rule-owner.js'

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

interface OpenBlock extends Block {
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
 * chains of the owner if it is not used yet, or else a new block. Appends a block that is not the last one.
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
    for (const rule of getBlockRules(block)) {
      const existing = chains.get(rule.chain)
      if (existing === undefined) chains.set(rule.chain, [rule])
      else existing.push(rule)
    }
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
