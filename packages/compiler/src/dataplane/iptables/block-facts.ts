import { withoutHostPrefix } from '@kube-rules/types'
import { compact } from '../../internal/compact.js'
import type { Placed, Within } from '../netfilter/by-address.js'
import { LOCAL, type Reach, reachOfAddresses, TO_LOCAL } from '../netfilter/reach.js'
import type { Block, Match, Rule, Verdict } from './ast.js'
import { findingOfBlock, rulesIn } from './lazy-block.js'

/** What leads to a block, and from it: rules in chains of others. */
export interface BlockFacts extends Placed<Block> {
  /** Chains of others to which its rules lead. */
  readonly leadsTo: readonly string[]
  /** Whether a rule looks into a set for the source of a packet: then that is not told by its destination. */
  readonly asksSetForSource: boolean
}

/** Remembered: nine of ten rules of a large table are made for it. */
export function factsOf(block: Block): BlockFacts {
  return findingOfBlock(block, findFacts)
}

function findFacts(block: Block): BlockFacts {
  const rules = rulesIn(block)
  const isOfAll = block.owner === ''
  const own = new Set(isOfAll ? [] : block.chains)
  const shared = rules.filter(({ chain }) => !own.has(chain))
  const targets = rules.flatMap(({ verdict }) => targetOf(verdict) ?? [])
  return {
    thing: block,
    places: compact(shared.flatMap((rule) => addressTaken(rule) ?? [])),
    within: isOfAll ? [] : compact(shared.flatMap((rule) => (addressTaken(rule) === undefined ? withinOf(rule) : []))),
    isAnywhere: isOfAll,
    leadsTo: compact([...new Set(targets.filter((chain) => !own.has(chain)))]),
    asksSetForSource: rules.some(({ matches }) => matches.some(isOfSource)),
  }
}

function withinOf({ chain, matches }: Rule): Within {
  const name = matches.some(isForLocal) ? LOCAL : chain
  const port = portTaken(matches)
  return port === undefined ? { name } : { name, port }
}

/** The chain to which a verdict leads. */
export function targetOf(verdict: Verdict | undefined): string | undefined {
  return verdict?.kind === 'jump' || verdict?.kind === 'goto' ? verdict.chain : undefined
}

/** The packets that a rule takes; undefined where it asks for no single address, nor for those of the node. */
export function reachTaken(rule: Rule): Reach | undefined {
  const address = addressTaken(rule)
  if (address !== undefined) return reachOfAddresses([address])
  return rule.matches.some(isForLocal) ? TO_LOCAL : undefined
}

/** Where rules of a block send packets. Remembered, but apart from the facts: only changes are asked for it. */
export function endpointsOf(block: Block): readonly string[] {
  return findingOfBlock(block, findEndpoints)
}

function findEndpoints(block: Block): readonly string[] {
  const verdicts = rulesIn(block).map(({ verdict }) => verdict)
  return [...new Set(verdicts.flatMap((verdict) => endpointOf(verdict) ?? []))]
}

function endpointOf(verdict: Verdict | undefined): string | undefined {
  if (verdict?.kind === 'redirect') return LOCAL
  return verdict?.kind === 'dnat' ? addressOf(verdict.destination) : undefined
}

function isOfSource(match: Match): boolean {
  return match.kind === 'set' && match.directions[0] === 'src'
}

/** `10.244.1.1` of `10.244.1.1:80`, `fd00::1` of `[fd00::1]:80` and of itself. */
function addressOf(destination: string): string {
  const [, bracketed, bare] = /^\[([^\]]*)\]|^([^:]*):\d+$/.exec(destination) ?? []
  return bracketed ?? bare ?? destination
}

function addressTaken({ matches }: Rule): string | undefined {
  for (const match of matches) {
    // Packets are for the address of their virtual server.
    if (match.kind === 'ipvs') return match.address
    if (match.kind !== 'destination' || match.negated) continue
    const address = withoutHostPrefix(match.address)
    return address.includes('/') ? undefined : address
  }
  return undefined
}

function isForLocal(match: Match): boolean {
  return match.kind === 'addrtype' && match.side === 'destination' && match.type === 'LOCAL' && !match.negated
}

function portTaken(matches: readonly Match[]): string | undefined {
  for (const match of matches) {
    if (match.kind !== 'destinationPort' || match.negated || match.first !== match.last) continue
    return String(match.first)
  }
  return undefined
}
