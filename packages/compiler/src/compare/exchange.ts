import { type IpFamily, joinHostPort } from '@kube-rules/types'
import { nothingAsked } from '../dataplane/netfilter/asked.js'
import { lazily } from '../internal/lazily.js'
import type { DifferingClass, SideOfClass } from './classes.js'
import type { Distribution } from './distribution.js'
import type { Shape } from './shapes.js'
import type { Side, Sides } from './side.js'

/**
 * The classes of packets that come of others when the addresses and owners of two shapes of one key are exchanged. What becomes of
 * them is put into other words once for all classes of which it is the same.
 */
export function exchanged(
  all: readonly DifferingClass[],
  from: Shape,
  to: Shape,
  sides: Sides,
): readonly DifferingClass[] {
  const address = exchangeOf(from.addresses, to.addresses)
  const owner = exchangeOf(from.owners, to.owners)
  const distributions = remembered((old: Distribution) => exchangedDistribution(old, address, sides.family))
  const owners = remembered((old: readonly string[]) => old.map(owner))
  return all.map((found) => {
    const { packet, sourceIn } = found
    const renamed = { ...packet, source: address(packet.source), destination: address(packet.destination) }
    const sideOf = (old: SideOfClass, side: Side): SideOfClass => ({
      distribution: distributions(old.distribution),
      owners: owners(old.owners),
      ways: lazily(() => side.trace(renamed, nothingAsked())),
      remembers: old.remembers,
    })
    return {
      ...found,
      packet: renamed,
      sourceIn: sourceIn && withAddress(sourceIn, address),
      a: sideOf(found.a, sides.a),
      b: sideOf(found.b, sides.b),
    }
  })
}

function remembered<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    const value = known.get(key) ?? compute(key)
    known.set(key, value)
    return value
  }
}

type Exchange = (text: string) => string

/** Both ways: what has the place of the one gets that of the other. */
function exchangeOf(from: readonly string[], to: readonly string[]): Exchange {
  const others = new Map<string, string>()
  from.forEach((text, index) => {
    others.set(text, to[index] as string)
  })
  to.forEach((text, index) => {
    if (!others.has(text)) others.set(text, from[index] as string)
  })
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
