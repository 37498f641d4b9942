import { withoutHostPrefix } from '@kube-rules/types'
import type { Placed } from '../netfilter/by-address.js'
import type { Block, Rule } from './ast.js'
import { blockRules } from './block-rules.js'
import { findingOfBlock, rulesIn } from './lazy-block.js'

/** What leads to a block, and where it leads: rules in chains of others, and those that change destinations. */
export type BlockFacts = Placed<Block>

/** Remembered: nine of ten rules of a large table are made for it. */
export function factsOf(block: Block): BlockFacts {
  return findingOfBlock(block, findFacts)
}

function findFacts(block: Block): BlockFacts {
  const shared = Array.from(blockRules(block).shared.values()).flat().map(placeOf)
  const places = shared.filter((place) => place !== undefined)
  const endpoints = rulesIn(block).flatMap(({ verdict }) =>
    verdict?.kind === 'dnat' ? addressOf(verdict.destination) : [],
  )
  return {
    thing: block,
    places,
    isAnywhere: block.owner === '' || places.length < shared.length,
    endpoints: [...new Set(endpoints)],
  }
}

/** `10.244.1.1` of `10.244.1.1:80`, `fd00::1` of `[fd00::1]:80`. */
function addressOf(destination: string): string {
  return destination.replace(/^\[?(.*?)\]?(?::\d+)?$/, '$1')
}

function placeOf({ matches }: Rule): string | undefined {
  for (const match of matches) {
    if (match.kind !== 'destination' || match.negated) continue
    const address = withoutHostPrefix(match.address)
    return address.includes('/') ? undefined : address
  }
  return undefined
}
