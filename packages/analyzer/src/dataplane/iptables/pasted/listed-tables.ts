import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { BUILT_IN_CHAINS, TABLE_NAMES } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { HOOKS } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { PastedBlock } from './pasted-block.js'

const HOOK_NAMES: readonly string[] = HOOKS

/**
 * Adds the table to each listing without a command if its built-in chains identify the table. `iptables -L` prints the
 * built-in chains of one table first, in the order of the hooks, and then all other chains of this table. The tables
 * filter and security have the same built-in chains; the result is filter, the default table of `iptables -L`. The two
 * built-in chains of raw identify no table, because an excerpt of nat may contain only these two.
 */
export function nameListedTables(blocks: readonly PastedBlock[]): readonly PastedBlock[] {
  return findListings(blocks).flatMap((listing) => {
    const table = tableOfListing(listing)
    return table === undefined ? listing : listing.map((block) => ({ ...block, table }))
  })
}

/** Splits blocks into the listings of one table each. Each other block is alone. */
function findListings(blocks: readonly PastedBlock[]): readonly (readonly PastedBlock[])[] {
  const listings: PastedBlock[][] = []
  for (const block of blocks) {
    const listing = listings.at(-1)
    const before = listing?.at(-1)
    if (listing !== undefined && before !== undefined && isNextOfListing(before, block)) listing.push(block)
    else listings.push([block])
  }
  return listings
}

function isNextOfListing(before: PastedBlock, block: PastedBlock): boolean {
  if (!isListingOfUnknownTable(before) || !isListingOfUnknownTable(block)) return false
  if (before.hasGap || before.at.text !== block.at.text) return false
  const hook = hookOf(block)
  return hook < 0 || (hookOf(before) >= 0 && hookOf(before) < hook)
}

function isListingOfUnknownTable({ kind, table, command }: PastedBlock): boolean {
  return kind === 'listing' && table === undefined && command === undefined
}

/** Returns the position of the hook of a built-in chain; -1 for another chain. */
function hookOf({ chains }: PastedBlock): number {
  return HOOK_NAMES.indexOf(chains[0]?.name ?? '')
}

function tableOfListing(listing: readonly PastedBlock[]): TableName | undefined {
  const names = listing.flatMap((block) => (hookOf(block) < 0 ? [] : block.chains.map(({ name }) => name)))
  return TABLE_NAMES.find((table) => table !== 'raw' && BUILT_IN_CHAINS[table].join() === names.join())
}
