import { withoutHostPrefix } from '@kube-rules/types'
import type { Placed } from '../netfilter/by-address.js'
import type { Block, Match, Rule } from './ast.js'
import { findingOfBlock, rulesIn } from './lazy-block.js'

/** What leads to a block, and where it leads: rules in chains of others, and those that change destinations. */
export interface BlockFacts extends Placed<Block> {
  /** Whether a rule looks into a set for the source of a packet: then that is not told by its destination. */
  readonly asksSetForSource: boolean
}

/** Remembered: nine of ten rules of a large table are made for it. */
export function factsOf(block: Block): BlockFacts {
  return findingOfBlock(block, findFacts)
}

function findFacts(block: Block): BlockFacts {
  const rules = rulesIn(block)
  const own = new Set(block.owner === '' ? [] : block.chains)
  const shared = rules.filter(({ chain }) => !own.has(chain)).map(placeOf)
  const places = shared.filter((place) => place !== undefined)
  const endpoints = rules.flatMap(({ verdict }) => (verdict?.kind === 'dnat' ? addressOf(verdict.destination) : []))
  return {
    thing: block,
    places,
    isAnywhere: block.owner === '' || places.length < shared.length,
    endpoints: [...new Set(endpoints)],
    asksSetForSource: rules.some(({ matches }) => matches.some(isOfSource)),
  }
}

function isOfSource(match: Match): boolean {
  return match.kind === 'set' && match.directions[0] === 'src'
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
