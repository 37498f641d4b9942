import { diffContributed } from '../../diff/claims.js'
import type { Resources } from '../../diff/resource.js'
import type { Language } from '../language.js'
import { checkNftables } from './check.js'
import { tableClaims } from './claims.js'
import { asListed } from './listed.js'
import { printTable } from './print/print-commands.js'
import { printListings } from './print/print-listing.js'
import { assembleNftables, isNftablesId, resourcesOf, resourcesOfTable } from './resources.js'
import type { NftablesState } from './state.js'

/** Tables of nftables, each with chains, sets and maps of its own. */
export const nftablesLanguage: Language<NftablesState> = {
  spellings: ['restore', 'save'],
  print: (state, { spelling }) => (spelling === 'save' ? printSave(state) : state.tables.map(printTable).join('')),
  check: ({ tables }) => tables.flatMap(checkNftables),
  owns: isNftablesId,
  resources: resourcesOf,
  assemble: assembleNftables,
  diff: (before, after) => diffContributed(before, after, { claims: tableClaims, fixed: fixedOf, all: resourcesOf }),
}

/** As `nft list ruleset` of nft 1.1 prints it. */
function printSave({ tables }: NftablesState): string {
  return printListings(
    tables.map((table) => asListed(table, '1.1')),
    { version: '1.1' },
  )
}

/** What is there whoever asks, without `tables`: a lazy state would put these together. */
function fixedOf({ fixed }: NftablesState): Resources {
  const resources = fixed === undefined ? [] : resourcesOfTable(fixed)
  return new Map(resources.map((resource) => [resource.id, resource]))
}
