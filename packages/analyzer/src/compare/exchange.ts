import { type IpFamily, joinHostPort } from '@kube-rules/types'
import type { DifferingClass, SideOfClass } from './classes.js'
import type { Distribution } from './distribution.js'
import type { Shape } from './shapes.js'
import { type Sides, waysOf } from './side.js'

/**
 * Derives the classes of a destination from those of another destination with the same template key, by substituting
 * addresses and owners. Outcomes are substituted on demand. For several equivalent classes, the outcome is that of one
 * of them.
 */
export function exchanged(
  all: readonly (readonly DifferingClass[])[],
  from: Shape,
  to: Shape,
  sides: Sides,
): readonly (readonly DifferingClass[])[] {
  const address = exchangeOf(from.addresses, to.addresses)
  const owners = new Map(from.owners.map((text, index) => [text, to.owners[index] as string]))
  return all.map((alike) => alike.map((found) => exchangedClass(found, { address, owners, sides })))
}

interface Exchanges {
  readonly address: Exchange
  readonly owners: ReadonlyMap<string, string>
  readonly sides: Sides
}

function exchangedClass(found: DifferingClass, exchanges: Exchanges): DifferingClass {
  const { address, sides } = exchanges
  const { likeness, sourceIn, isOtherAddress, isOtherPort } = found
  const source = address(found.packet.source)
  const packet = { ...found.packet, source, destination: address(found.packet.destination) }
  return {
    likeness,
    packet,
    sourceIn: sourceIn && withAddress(sourceIn, address),
    isOtherAddress,
    isOtherPort,
    a: () => exchangedSide(found.a(), waysOf(sides.a, packet), exchanges),
    b: () => exchangedSide(found.b(), waysOf(sides.b, packet), exchanges),
  }
}

function exchangedSide(
  { distribution, owners, remembers }: SideOfClass,
  ways: SideOfClass['ways'],
  { address, owners: others, sides }: Exchanges,
): SideOfClass {
  return {
    distribution: () => exchangedDistribution(distribution(), address, sides.family),
    owners: owners.map((owner) => others.get(owner) ?? owner),
    ways,
    remembers,
  }
}

type Exchange = (text: string) => string

/**
 * Returns a function that substitutes the addresses of one template by those at the same positions in the other.
 * Addresses that occur only in the target get the remaining ones of the source, so that the substitution is a
 * bijection.
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

/** Substitutes an address. `10.0.0.1/32` is also an address; networks are the same for both. */
function withAddress(text: string, exchange: Exchange): string {
  const slash = text.indexOf('/')
  return slash < 0 ? exchange(text) : exchange(text.slice(0, slash)) + text.slice(slash)
}

/** Matches `10.244.1.1:80`, `[fd00::1]:80`, and the rest of the text. */
const PLACE = /^(?:\[([^\]]+)\]|([\d.]+)):(\d+)(.*)$/

function exchangedDistribution(distribution: Distribution, exchange: Exchange, family: IpFamily): Distribution {
  const entries = Array.from(distribution, ([text, weight]): readonly [string, string] => {
    const [, bracketed, bare, port, rest] = PLACE.exec(text) ?? []
    const address = family === 'IPv4' ? bare : bracketed
    return [address === undefined ? text : `${joinHostPort(exchange(address), Number(port))}${rest}`, weight]
  })
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
