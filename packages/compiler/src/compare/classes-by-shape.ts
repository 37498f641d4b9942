import { numberOf } from './address-range.js'
import { classesTo, type DifferingClass, isDiffering, type SideOfClass } from './classes.js'
import type { Destination } from './destinations.js'
import type { Distribution } from './distribution.js'
import { exchanged } from './exchange.js'
import { type Shape, shapesOf } from './shapes.js'
import type { Sides } from './side.js'
import type { BoundAddresses } from './sources.js'

/** The classes of packets to a destination. */
export interface ClassesAt {
  /** How many there are. */
  readonly count: number
  /** Those that are not surely treated alike by both sides. */
  readonly notAlike: readonly DifferingClass[]
}

interface Model extends ClassesAt {
  readonly shape: Shape
}

/** The classes to destinations, one after another: of several destinations of one shape those of the first are looked for. */
export function classesByShape(sides: Sides): (destination: Destination) => ClassesAt {
  const bound = boundAddresses(sides)
  const shapeAt = shapesOf(sides)
  const models = new Map<string, Model>()
  return (destination) => {
    const shape = shapeAt(destination.address)
    const model = shape && models.get(shape.key)
    if (shape !== undefined && model !== undefined) {
      const { count, notAlike } = model
      return { count, notAlike: exchanged(notAlike, model.shape, shape, sides) }
    }
    const found = classesAt(sides, destination, bound)
    if (shape === undefined) return found
    const fresh = { shape, count: found.count, notAlike: withSharedTexts(found.notAlike) }
    models.set(shape.key, fresh)
    return fresh
  }
}

function classesAt(sides: Sides, destination: Destination, bound: BoundAddresses): ClassesAt {
  const notAlike: DifferingClass[] = []
  let count = 0
  classesTo(sides, destination, bound, (found) => {
    count++
    if (found !== undefined && isDiffering(found)) notAlike.push(found)
  })
  return { count, notAlike }
}

/** The same classes: what is equal in several of them is one object, so that it is exchanged once. */
function withSharedTexts(all: readonly DifferingClass[]): readonly DifferingClass[] {
  const distributions = sharing<Distribution>((distribution) => JSON.stringify([...distribution]))
  const owners = sharing<readonly string[]>((names) => names.join('\n'))
  const sharedBy = (side: SideOfClass): SideOfClass => ({
    ...side,
    distribution: distributions(side.distribution),
    owners: owners(side.owners),
  })
  return all.map((found) => ({ ...found, a: sharedBy(found.a), b: sharedBy(found.b) }))
}

function sharing<T>(textOf: (value: T) => string): (value: T) => T {
  const known = new Map<string, T>()
  return (value) => {
    const text = textOf(value)
    const same = known.get(text)
    if (same === undefined) known.set(text, value)
    return same ?? value
  }
}

/** Addresses that only one of the languages says are the node's. */
function boundAddresses({ a, b, family, addresses = [] }: Sides): BoundAddresses {
  const named = new Set([...a.places, ...b.places].map(({ address }) => address))
  const isBound = (address: string) => [a, b].some(({ isLocal }) => isLocal(address) === 'yes')
  const sorted = Array.from(named)
    .filter((address) => !addresses.includes(address) && isBound(address))
    .flatMap((address) => numberOf(address, family) ?? [])
    .sort((x, y) => (x < y ? -1 : 1))
  return { sorted, numbers: new Set(sorted) }
}
