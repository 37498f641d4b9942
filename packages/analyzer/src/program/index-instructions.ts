import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import { addToGroup } from '@kube-rules/compiler/internal/internal/group-items'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import type { KernelPacket } from './kernel-packet.js'
import type { Chain, Instruction, Literal } from './program.js'

/** Chains with fewer items are not indexed. */
const SMALL = 16

/** The individual destination that an item of a chain requires. */
export interface RequiredDestination {
  readonly address: string | undefined
  readonly port: number | undefined
}

/** The instructions of a chain, indexed by destination. */
export interface InstructionIndex {
  readonly instructionsFor: Chain['instructionsFor']
  readonly ignoresDestination: boolean
}

/** Indexes instructions by the individual destination that they require. */
export function indexInstructions(instructions: readonly Instruction[]): InstructionIndex {
  return indexItems(instructions, requiredDestination, (instruction) => [instruction])
}

/**
 * Indexes the items of a chain by the individual destination address and port that they require. Items without such a
 * destination are returned for every packet. A dispatch chain has one item for each frontend of a cluster, and a Service
 * may have thousands of ports at the same address. Destinations that no item requires share one list. An item is
 * lowered to instructions when a packet reaches it for the first time.
 */
export function indexItems<Item>(
  items: readonly Item[],
  destinationOf: (item: Item) => RequiredDestination,
  lower: (item: Item) => readonly Instruction[],
): InstructionIndex {
  const lowered = new Array<readonly Instruction[] | undefined>(items.length)
  const collect = (indexes: Iterable<number>): readonly Instruction[] => {
    const instructions: Instruction[] = []
    for (const index of indexes) {
      const known = lowered[index] ?? lower(elementAt(items, index))
      lowered[index] = known
      for (const instruction of known) instructions.push(instruction)
    }
    return compactList(instructions)
  }
  const all = createLazyGetter(() => collect(items.keys()))
  const find = items.length < SMALL ? undefined : createIndex(items.map(destinationOf))
  if (find === undefined) return { instructionsFor: all, ignoresDestination: true }
  const unplaced = createLazyGetter(() => collect(find.anywhere))
  const instructionsFor: Chain['instructionsFor'] = (packet, allPorts) => {
    // All instructions are returned, because a redirect may change the destination to any address of the node.
    if (packet.translatedBy === 'redirectToInterface') return all()
    const indexes = find.indexesFor(packet, allPorts)
    return indexes === find.anywhere ? unplaced() : collect(indexes)
  }
  return { instructionsFor, ignoresDestination: false }
}

interface DestinationIndex {
  /** The indexes of items that do not require an individual destination. */
  readonly anywhere: readonly number[]
  /** Returns the sorted indexes of items that a packet may match: `anywhere` itself if there are no others. */
  readonly indexesFor: (packet: KernelPacket, allPorts: boolean) => readonly number[]
}

/** Creates an index of destinations. Undefined if there is no individual destination. */
function createIndex(destinations: readonly RequiredDestination[]): DestinationIndex | undefined {
  const anywhere: number[] = []
  const atAddresses = new Map<string, number[]>()
  const atPorts = new Map<number, number[]>()
  const ports = destinations.map(({ port }) => port)
  destinations.forEach(({ address, port }, index) => {
    if (address !== undefined) addToGroup(atAddresses, address, index)
    else if (port !== undefined) addToGroup(atPorts, port, index)
    else anywhere.push(index)
  })
  if (anywhere.length === destinations.length) return undefined
  const atAnyPort = createLazyGetter(() => [...atPorts.values()].flat())
  const indexesFor = ({ destination, destinationPort }: KernelPacket, allPorts: boolean): readonly number[] => {
    const here = atAddresses.get(destination) ?? NOWHERE
    const placed = allPorts
      ? [here, atAnyPort()]
      : [
          here.filter((index) => ports[index] === undefined || ports[index] === destinationPort),
          atPorts.get(destinationPort) ?? NOWHERE,
        ]
    const given = placed.filter((indexes) => indexes.length > 0)
    return given.length === 0 ? anywhere : [anywhere, ...given].reduce(mergeSorted)
  }
  return { anywhere, indexesFor }
}

/** Merges two sorted lists that have no number in common. */
function mergeSorted(a: readonly number[], b: readonly number[]): readonly number[] {
  const merged: number[] = []
  let next = 0
  for (const number of a) {
    for (; next < b.length && elementAt(b, next) < number; next++) merged.push(elementAt(b, next))
    merged.push(number)
  }
  for (; next < b.length; next++) merged.push(elementAt(b, next))
  return merged
}

const NOWHERE: readonly number[] = []

function requiredDestination({ literals }: Instruction): RequiredDestination {
  return { address: requiredAddress(literals), port: requiredPort(literals) }
}

function requiredAddress(literals: readonly Literal[]): string | undefined {
  for (const literal of literals) {
    if (literal.kind !== 'address' || literal.negated || literal.side !== 'destination') continue
    const [only] = literal.operands
    if (only !== undefined && literal.operands.length === 1 && only.range === undefined) return only.text
  }
  return undefined
}

function requiredPort(literals: readonly Literal[]): number | undefined {
  for (const literal of literals) {
    if (literal.kind !== 'port' || literal.negated || literal.side !== 'destination') continue
    const [only] = literal.ranges
    if (only !== undefined && literal.ranges.length === 1 && only.first === only.last) return only.first
  }
  return undefined
}
