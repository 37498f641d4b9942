import { type IpFamily, joinHostPort, type Packet } from '@kube-rules/types'
import { nothingAsked } from '../dataplane/netfilter/asked.js'
import { lazily } from '../internal/lazily.js'
import type { Way } from '../trace/trace.js'
import type { DifferingClass, SideOfClass } from './classes.js'
import type { Distribution } from './distribution.js'
import type { Shape } from './shapes.js'
import type { Side, Sides } from './side.js'

/**
 * The classes of packets that come of others when the addresses and owners of two shapes of one key are exchanged. What becomes of
 * them is put into other words when it is asked for: of several that are alike it is of one.
 */
export function exchanged(
  all: readonly (readonly DifferingClass[])[],
  from: Shape,
  to: Shape,
  sides: Sides,
): readonly (readonly DifferingClass[])[] {
  const owners = new Map(from.owners.map((text, index) => [text, to.owners[index] as string]))
  const owner = (text: string) => owners.get(text) ?? text
  const change = { address: exchangeOf(from.addresses, to.addresses), owner, sides }
  return all.map((alike) => alike.map((found) => exchangedClass(found, change)))
}

interface Change {
  readonly address: Exchange
  readonly owner: Exchange
  readonly sides: Sides
}

function exchangedClass(found: DifferingClass, change: Change): DifferingClass {
  const { address, sides } = change
  const { likeness, sourceIn, isOtherAddress, isOtherPort } = found
  const source = address(found.packet.source)
  const packet = { ...found.packet, source, destination: address(found.packet.destination) }
  return {
    likeness,
    packet,
    sourceIn: sourceIn && withAddress(sourceIn, address),
    isOtherAddress,
    isOtherPort,
    a: () => exchangedSide(found.a(), waysOf(sides.a, packet), change),
    b: () => exchangedSide(found.b(), waysOf(sides.b, packet), change),
  }
}

function exchangedSide(
  { distribution, owners, remembers }: SideOfClass,
  ways: SideOfClass['ways'],
  { address, owner, sides }: Change,
): SideOfClass {
  return {
    distribution: () => exchangedDistribution(distribution(), address, sides.family),
    owners: owners.map(owner),
    ways,
    remembers,
  }
}

/** Apart from all else, of which nothing has to be kept for it. */
function waysOf({ trace }: Side, packet: Packet): () => readonly Way[] {
  return lazily(() => trace(packet, nothingAsked()))
}

type Exchange = (text: string) => string

/**
 * What has a place in the one gets that of the other. Texts that are in the other alone get what is left in the one, so that no two get
 * the same.
 */
function exchangeOf(from: readonly string[], to: readonly string[]): Exchange {
  const others = new Map(from.map((text, index) => [text, to[index] as string]))
  const back = new Map(to.map((text, index) => [text, from[index] as string]))
  for (const text of to) {
    if (others.has(text)) continue
    let left = text
    for (let before = back.get(left); before !== undefined; before = back.get(left)) left = before
    others.set(text, left)
  }
  return (text) => others.get(text) ?? text
}

/** `10.0.0.1/32` names an address, too; networks are the same for both. */
function withAddress(text: string, exchange: Exchange): string {
  const slash = text.indexOf('/')
  return slash < 0 ? exchange(text) : exchange(text.slice(0, slash)) + text.slice(slash)
}

/** `10.244.1.1:80`, `[fd00::1]:80`, and what follows. */
const PLACE = /^(?:\[([^\]]+)\]|([\d.]+)):(\d+)(.*)$/

function exchangedDistribution(distribution: Distribution, exchange: Exchange, family: IpFamily): Distribution {
  const entries = Array.from(distribution, ([text, weight]): readonly [string, string] => {
    const [, bracketed, bare, port, rest] = PLACE.exec(text) ?? []
    const address = family === 'IPv4' ? bare : bracketed
    return [address === undefined ? text : `${joinHostPort(exchange(address), Number(port))}${rest}`, weight]
  })
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
