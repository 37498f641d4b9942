import { isLoopback, isMulticast, isUnspecified } from '@kube-rules/types'
import type { Part } from '../dataplane/netfilter/parts.js'
import { holds, type NumberRange, numberOf } from './address-range.js'
import { type ShapeText, shapeText } from './shape-text.js'
import type { Sides } from './side.js'

/**
 * What packets for an address may meet on both sides, with numbers in place of the addresses in it. Of two destinations of one
 * shape, the rules and packets of one become those of the other when their addresses are exchanged: so do the classes.
 */
export interface Shape {
  readonly key: string
  /** Those that are exchanged with those of another shape of that key, one by one. */
  readonly addresses: readonly string[]
  /** Whose the rules are, one by one. */
  readonly owners: readonly string[]
}

/** Undefined for a destination of which it cannot be told: its classes have to be looked at by themselves. */
export type ShapeAt = (address: string) => Shape | undefined

/** A part, and its number among those of both sides. */
interface Numbered {
  readonly part: Part
  readonly number: number
  readonly side: 'a' | 'b'
}

/** What is met by more than so many owners together is looked at by itself. */
const MOST_MEMBERS = 16

export function shapesOf(sides: Sides): ShapeAt {
  const { a, b } = sides
  const isAsked = a.alsoAsked !== undefined || b.alsoAsked !== undefined
  if (isAsked || a.parts === undefined || b.parts === undefined) return () => undefined
  const all = [
    ...a.parts.parts.map((part, number): Numbered => ({ part, number, side: 'a' })),
    ...b.parts.parts.map((part, number): Numbered => ({ part, number: number + MANY, side: 'b' })),
  ]
  const shared = shapeText([a.parts.shared, b.parts.shared], sides.family)
  const terrain = { sides, at: byPlace(all), textOf: rememberedTexts(sides), shared, isShared: setOf(shared.addresses) }
  const shapes = new Map<Numbered, Shape | undefined>()
  const shapeFrom = (start: Numbered): Shape | undefined => {
    if (!shapes.has(start)) shapes.set(start, findShape(start, terrain))
    return shapes.get(start)
  }
  return (address) => {
    const [first] = terrain.at.get(address) ?? []
    const shape = first && shapeFrom(first)
    return shape && { ...shape, key: `${shape.addresses.indexOf(address)} ${shape.key}` }
  }
}

/** More parts than a side has. */
const MANY = 2 ** 32

interface Terrain {
  readonly sides: Sides
  readonly at: ReadonlyMap<string, readonly Numbered[]>
  /** With a number as its text. */
  readonly textOf: (each: Numbered) => ShapeText
  readonly shared: ShapeText
  readonly isShared: ReadonlySet<string>
}

function setOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts)
}

function byPlace(all: readonly Numbered[]): ReadonlyMap<string, readonly Numbered[]> {
  const found = new Map<string, Numbered[]>()
  for (const each of all) {
    for (const place of each.part.places) {
      const known = found.get(place)
      if (known === undefined) found.set(place, [each])
      else if (known.at(-1) !== each) known.push(each)
    }
  }
  return found
}

/** Each made once, of what both sides have as well, and a number for it: texts are long, and mostly the same. */
function rememberedTexts({ family }: Sides): Terrain['textOf'] {
  const known = new Map<object, ShapeText>()
  const numbers = new Map<string, number>()
  return ({ part }) => {
    const remembered = known.get(part.madeOf)
    if (remembered !== undefined) return remembered
    const told = shapeText(part.value(), family, part.names)
    const number = numbers.get(told.text) ?? numbers.size
    numbers.set(told.text, number)
    const text = { ...told, text: String(number) }
    known.set(part.madeOf, text)
    return text
  }
}

/**
 * Of a part, those that have a place at an address in it, and so on: packets that are sent on to an address may meet there what
 * packets for it may. A part names its own places, so that all that have one of them are there.
 */
function findShape(start: Numbered, terrain: Terrain): Shape | undefined {
  const members = new Set([start])
  const addresses = new Map<string, number>()
  for (const member of members) {
    for (const address of terrain.textOf(member).addresses) {
      if (addresses.has(address)) continue
      addresses.set(address, addresses.size)
      for (const other of terrain.at.get(address) ?? []) members.add(other)
    }
    if (members.size > MOST_MEMBERS) return undefined
  }
  const all = [...addresses.keys()]
  if (!all.every((address) => isExchangeable(address, terrain))) return undefined
  return shapeOf([...members], addresses, terrain)
}

/** Whether nothing but its parts and the facts about it tell an address from others. */
function isExchangeable(address: string, { sides: { addresses = [] }, isShared }: Terrain): boolean {
  const isSpecial = isLoopback(address) || isMulticast(address) || isUnspecified(address)
  return !isSpecial && !isShared.has(address) && !addresses.includes(address)
}

function shapeOf(members: readonly Numbered[], addresses: ReadonlyMap<string, number>, terrain: Terrain): Shape {
  const { sides, textOf, shared } = terrain
  const texts = members.map((member) => ({ member, ...textOf(member) }))
  const networks = new Set([...shared.networks, ...texts.flatMap((each) => each.networks)])
  const ranges = Array.from(networks).flatMap((text) => sides.rangeOf(text) ?? [])
  const facts = Array.from(addresses.keys(), (address) => factsOf(address, ranges, sides))
  const inOrder = texts.map((each, index) => ({ ...each, index })).sort((x, y) => x.member.number - y.member.number)
  const told = inOrder.map(({ member: { side, part }, index, text, addresses: own }) => {
    const numbers = own.map((address) => addresses.get(address)).join()
    return `${index} ${side} ${part.behind} ${numbers} ${text}`
  })
  return {
    key: [facts.join(';'), ...told].join('\n'),
    addresses: [...addresses.keys()],
    owners: members.map(({ part: { owner } }) => owner),
  }
}

/** What else than equality tells an address from others: the networks that hold it, and whether it is the node's. */
function factsOf(address: string, ranges: readonly NumberRange[], { a, b, family }: Sides): string {
  const number = numberOf(address, family)
  const held = ranges.flatMap((range, index) => (number !== undefined && holds(range, number) ? index : []))
  return `${held} ${a.isLocal(address)} ${b.isLocal(address)}`
}
