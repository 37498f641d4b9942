import type { Diagnostic } from '@kube-rules/types'
import type { RuleBlock, Table } from '../../dataplane/iptables/ast.js'
import { getBlockRules } from '../../dataplane/iptables/lazy-block.js'
import { type ItemsByKey, NO_ITEMS, replaceKeyedItems } from '../../internal/items-by-key.js'
import { backingListOf, withLazyArray } from '../../internal/lazy-array.js'
import { type ListReplacement, replaceItems } from '../../internal/list-changes.js'
import { collect } from '../../internal/map-list.js'
import { createLazyGetter } from '../../internal/memo.js'
import type { PreviousAssembly, ServiceContributions } from '../mode-lowering.js'
import type { ServiceBlocks } from './service-blocks.js'

/** The contributions with nat chains, by the hash in the names of these chains. */
export type ContributionsByHash = ItemsByKey<ServiceBlocks>

/** Updates the contributions by hash after some contributions were replaced. */
export function updateContributionsByHash(
  previous: ContributionsByHash | undefined,
  { list }: ServiceContributions<ServiceBlocks>,
  earlier: PreviousAssembly<ServiceBlocks> | undefined,
): ContributionsByHash {
  if (previous === undefined || earlier === undefined) return replaceKeyedItems(NO_ITEMS, [], withChains(list()))
  const { parts, replacements } = earlier
  const removed = collect(replacements, ({ at, removed }) => parts.slice(at, at + removed))
  const added = collect(replacements, ({ added }) => added)
  return replaceKeyedItems(previous, withChains(removed), withChains(added))
}

function withChains(parts: readonly ServiceBlocks[]): readonly ServiceBlocks[] {
  return parts.filter(({ nat }) => nat !== undefined)
}

/**
 * Returns the nat table with one chain for each name that several service ports use. Such a chain has the rules of all
 * these service ports, in their order: `iptables-restore --noflush` flushes the chain first and then appends all rules.
 * The chain belongs to no service port, so it is deleted with its last rule.
 */
export function mergeCollidingChains(table: Table, { several }: ContributionsByHash): Table {
  if (several.size === 0) return table
  const { name, jumps } = table
  return withLazyArray(
    { name, jumps },
    'blocks',
    createLazyGetter(() => {
      const blocks = backingListOf(table, 'blocks')
      return replaceItems(blocks, separateSharedChains(blocks, findSharedChains(several)))
    }),
  )
}

/** Returns the shared chains of each block that has shared chains. */
function findSharedChains(several: ContributionsByHash['several']): ReadonlyMap<string, ReadonlySet<string>> {
  const chainsByOwner = new Map<string, ReadonlySet<string>>()
  for (const parts of several.values()) {
    const blocks = blocksOf(parts)
    const shared = sharedChainsOf(blocks)
    if (shared.size > 0) for (const { owner } of blocks) chainsByOwner.set(owner, shared)
  }
  return chainsByOwner
}

function blocksOf(parts: readonly ServiceBlocks[]): readonly RuleBlock[] {
  return parts.flatMap(({ nat }) => nat ?? [])
}

function sharedChainsOf(blocks: readonly RuleBlock[]): ReadonlySet<string> {
  const [seen, shared] = [new Set<string>(), new Set<string>()]
  for (const { chains } of blocks) {
    for (const chain of chains) (seen.has(chain) ? shared : seen).add(chain)
  }
  return shared
}

/** Moves the shared chains to a block without owner, which precedes the first block that uses these chains. */
function separateSharedChains(
  blocks: readonly RuleBlock[],
  chainsByOwner: ReadonlyMap<string, ReadonlySet<string>>,
): readonly ListReplacement<RuleBlock>[] {
  const created = new Set<ReadonlySet<string>>()
  const replacements: ListReplacement<RuleBlock>[] = []
  for (const [at, block] of blocks.entries()) {
    const shared = chainsByOwner.get(block.owner)
    if (shared === undefined) continue
    const chains = created.has(shared) ? [] : [{ owner: '', chains: [...shared], rules: [] }]
    created.add(shared)
    replacements.push({ at, removed: 1, added: [...chains, withoutChains(block, shared)] })
  }
  return replacements
}

function withoutChains(block: RuleBlock, shared: ReadonlySet<string>): RuleBlock {
  const chains = block.chains.filter((chain) => !shared.has(chain))
  return { owner: block.owner, chains, rules: getBlockRules(block) }
}

/** Returns the number of chains that the table has less than its contributions. */
export function countMergedChains({ several }: ContributionsByHash): number {
  const lists = Array.from(several.values(), (parts) => blocksOf(parts).flatMap(({ chains }) => chains))
  return lists.reduce((sum, chains) => sum + chains.length - new Set(chains).size, 0)
}

/** Returns a warning for each service port that shares chains with an earlier service port. */
export function findCollisions({ several }: ContributionsByHash): readonly Diagnostic[] {
  return Array.from(several.values()).flatMap((parts) => {
    const blocks = [...blocksOf(parts)].sort((a, b) => (a.owner < b.owner ? -1 : 1))
    const chains = [...sharedChainsOf(blocks)]
    const [first, ...others] = blocks
    return first === undefined || chains.length === 0 ? [] : others.map((each) => collision(each, first, chains))
  })
}

function collision({ owner }: RuleBlock, first: RuleBlock, chains: readonly string[]): Diagnostic {
  const [namespace = '', servicePort = ''] = owner.split('/')
  const [name = ''] = servicePort.split(':')
  return {
    severity: 'warning',
    code: 'structure',
    object: { kind: 'Service', namespace, name },
    path: 'metadata.name',
    message: `the hash of ${owner} is that of ${first.owner}, so both use ${chains.join(', ')}, and packets to either may reach the endpoints of the other`,
  }
}
