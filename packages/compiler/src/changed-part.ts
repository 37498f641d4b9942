import { languagesIn } from './dataplane/language-of.js'
import type { NodeState } from './dataplane/languages.js'
import { liveLanguageOf } from './dataplane/live-language-of.js'
import type { Place } from './dataplane/netfilter/asked.js'
import {
  addReach,
  LOCAL,
  NOWHERE,
  type Ports,
  type Reach,
  reachOfAddresses,
  remembered,
  unitePorts,
  uniteReaches,
} from './dataplane/netfilter/reach.js'
import { localityOf, type Surroundings } from './trace.js'

/** The addresses of the node. */
type Known = Pick<Surroundings, 'addresses'>

export interface ChangedPart {
  /** Which packets may meet what has changed. */
  readonly reach: Reach
  readonly a: NodeState
  readonly b: NodeState
}

/** What packets meet that may meet what has changed; undefined where that cannot be told. */
export function changedPart(a: NodeState, b: NodeState, known: Known): ChangedPart | undefined {
  const names = [...new Set([...languagesIn(a), ...languagesIn(b)])]
  const all = names.map((name) => ({
    name,
    byAddress: liveLanguageOf(name).byAddress,
    before: a[name],
    after: b[name],
  }))
  const languages = all.flatMap(({ byAddress, before, after, name }) =>
    byAddress === undefined || before === undefined || after === undefined ? [] : { name, byAddress, before, after },
  )
  if (languages.length < all.length) return undefined
  const asking = languages.flatMap(({ byAddress, before, after }) =>
    [before, after].flatMap((state) => byAddress.askingSets?.(state) ?? []),
  )
  const sets = remembered((name) => uniteReaches(asking.map((reachOf) => reachOf(name))))
  const isLocal = localityOfEither(a, b, known)
  const changed = uniteReaches(languages.map(({ byAddress, before, after }) => byAddress.changed(before, after, sets)))
  const own = changed && withOwn(changed, a, b, known)
  if (own === undefined) return undefined
  const asLocal = withLocal(own, isLocal)
  const senders = uniteReaches(
    languages.flatMap(({ byAddress, before, after }) => [
      byAddress.sendingTo(before, asLocal, sets),
      byAddress.sendingTo(after, asLocal, sets),
    ]),
  )
  const reach = senders && withOwn(uniteReaches([own, senders]) ?? NOWHERE, a, b, known)
  if (reach === undefined) return undefined
  const here = withLocal(reach, isLocal)
  const part = (which: 'before' | 'after', state: NodeState): NodeState => {
    // What they are sent on to they may meet, too.
    const sent = languages.flatMap(({ byAddress, [which]: own }) => byAddress.sentFrom(own, here, sets))
    const met = withLocal(uniteReaches([here, reachOfAddresses(sent)]) ?? NOWHERE, isLocal)
    const parts = languages.map(({ name, byAddress, [which]: own }) => [name, byAddress.partAt(own, met, sets)])
    return { ...state, ...Object.fromEntries(parts) }
  }
  return { reach, a: part('before', a), b: part('after', b) }
}

/** Which ports of an address packets are for; undefined for none. */
export function portsIn(reach: Reach, isLocal: (address: string) => boolean): (address: string) => Ports | undefined {
  return (address) => {
    const [ports, ofNode] = [reach.get(address), isLocal(address) ? reach.get(LOCAL) : undefined]
    return ports === undefined || ofNode === undefined ? (ports ?? ofNode) : unitePorts(ports, ofNode)
  }
}

/** Whether an address may be one of the node's on one of the sides. */
export function localityOfEither(a: NodeState, b: NodeState, known: Known): (address: string) => boolean {
  const all = [a, b].map((state) => localityOf(state, known))
  return (address) => all.some((isLocal) => isLocal(address) !== 'no')
}

/**
 * With all addresses of the node where these are meant. Undefined where nobody knows them, and where a language has bound some of
 * them: these may be as many as Services, so that looking at everything is no more.
 */
function withOwn(reach: Reach, a: NodeState, b: NodeState, { addresses }: Known): Reach | undefined {
  const ports = reach.get(LOCAL)
  if (ports === undefined) return reach
  if (addresses === undefined || [a, b].some((state) => boundPlaces(state).length > 0)) return undefined
  return uniteReaches([reach, new Map(addresses.map((address) => [address, ports]))])
}

/** With what may be met at one of the addresses because it is the node's. */
function withLocal(reach: Reach, isLocal: (address: string) => boolean): Reach {
  const found = new Map(reach)
  for (const [address, ports] of reach) if (isLocal(address)) addReach(found, LOCAL, ports)
  return found
}

/** What languages say that are asked whose an address is. */
export function boundPlaces(state: NodeState): readonly Place[] {
  return placesOf(state, true)
}

/** What the others say: it is met by packets. */
export function metPlaces(state: NodeState): readonly Place[] {
  return placesOf(state, false)
}

function placesOf(state: NodeState, tellsLocal: boolean): readonly Place[] {
  return languagesIn(state).flatMap((name) => {
    const { knows, places } = liveLanguageOf(name)
    return (knows(state[name]).isLocal !== undefined) === tellsLocal ? [...places(state[name])] : []
  })
}
