import { withoutHostPrefix } from '@kube-rules/types'
import { compact } from '../../internal/compact.js'
import type { Placed } from '../netfilter/by-address.js'
import type { Block, Match, Rule } from './ast.js'
import { findingOfBlock, rulesIn } from './lazy-block.js'

/** What leads to a block: rules in chains of others. */
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
  const places = compact(shared.filter((place) => place !== undefined))
  return {
    thing: block,
    places,
    isAnywhere: block.owner === '' || places.length < shared.length,
    asksSetForSource: rules.some(({ matches }) => matches.some(isOfSource)),
  }
}

/** Where rules of a block send packets. Remembered, but apart from the facts: only changes are asked for it. */
export function endpointsOf(block: Block): readonly string[] {
  return findingOfBlock(block, findEndpoints)
}

function findEndpoints(block: Block): readonly string[] {
  const verdicts = rulesIn(block).map(({ verdict }) => verdict)
  return [...new Set(verdicts.flatMap((verdict) => (verdict?.kind === 'dnat' ? addressOf(verdict.destination) : [])))]
}

function isOfSource(match: Match): boolean {
  return match.kind === 'set' && match.directions[0] === 'src'
}

/** `10.244.1.1` of `10.244.1.1:80`, `fd00::1` of `[fd00::1]:80` and of itself. */
function addressOf(destination: string): string {
  const [, bracketed, bare] = /^\[([^\]]*)\]|^([^:]*):\d+$/.exec(destination) ?? []
  return bracketed ?? bare ?? destination
}

function placeOf({ matches }: Rule): string | undefined {
  for (const match of matches) {
    if (match.kind !== 'destination' || match.negated) continue
    const address = withoutHostPrefix(match.address)
    return address.includes('/') ? undefined : address
  }
  return undefined
}
