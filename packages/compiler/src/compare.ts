import { rememberedRanges } from './compare/address-range.js'
import { type Comparison, compareSides } from './compare/compare.js'
import type { Side, Sides } from './compare/side.js'
import { languagesIn } from './dataplane/language-of.js'
import type { NodeState } from './dataplane/languages.js'
import { liveLanguageOf } from './dataplane/live-language-of.js'
import { type Surroundings, tracerOf } from './trace.js'

export interface CompareOptions extends Pick<Surroundings, 'addresses'> {
  /** Only packets to these addresses are looked at. Default: all. */
  readonly destinations?: Iterable<string> | undefined
}

/**
 * Whether two states of one family do the same with every packet, with the same probabilities, and if not, with which they
 * do what. Exact: packets are told apart by what the rules of both ask of them, and one of each class is traced through
 * both. Of the clients that rules remember, it tells for how long they do, and traces packets of others.
 *
 * Throws where the states are of different families.
 */
export function compare(a: NodeState, b: NodeState, options: CompareOptions = {}): Comparison {
  if (a.family !== b.family) throw new TypeError(`a state of ${a.family} cannot be compared with one of ${b.family}`)
  const { addresses, destinations } = options
  const sides: Sides = {
    family: a.family,
    a: sideOf(a, options),
    b: sideOf(b, options),
    addresses,
    rangeOf: rememberedRanges(a.family),
  }
  const wanted = destinations && new Set(destinations)
  return compareSides(sides, ({ address }) => wanted === undefined || wanted.has(address))
}

function sideOf(state: NodeState, { addresses }: CompareOptions): Side {
  const { trace, traceShared, knowledge } = tracerOf(state, { addresses })
  const places = languagesIn(state).flatMap((name) => [...liveLanguageOf(name).places(state[name])])
  return { trace, traceShared, isLocal: knowledge.isLocal, places }
}
