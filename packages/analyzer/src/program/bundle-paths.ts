import { addFractions } from '@kube-rules/compiler/internal/internal/fraction'
import { hasNewDestination, type KernelPacket } from './kernel-packet.js'
import { type Destination, type PathState, pathsOfDestinations, startPath, withDestinations } from './path-state.js'
import { appendSection } from './steps.js'

/**
 * Combines paths if their packets differ only in their destination. After a choice between endpoints, rules treat most
 * endpoints alike, so one path with several destinations takes the place of many. Returns undefined if there is nothing
 * to bundle.
 */
export function bundlePaths(paths: readonly PathState[]): readonly PathState[] | undefined {
  const groups: PathState[][] = []
  for (const path of paths) {
    const group = groups.length > MAX_GROUPS ? undefined : groups.find(([first]) => first && areBundled(first, path))
    if (group === undefined) groups.push([path])
    else group.push(path)
  }
  return groups.length === paths.length ? undefined : groups.map(bundle)
}

/** The maximum number of groups. Each path is compared with all of them. */
const MAX_GROUPS = 8

function areBundled(a: PathState, b: PathState): boolean {
  return a.assumptions === b.assumptions && a.sources === b.sources && areEqualExceptDestination(a.packet, b.packet)
}

/** Reports whether packets are the same, except for their current destination. */
function areEqualExceptDestination(a: KernelPacket, b: KernelPacket): boolean {
  return (
    a.family === b.family &&
    a.protocol === b.protocol &&
    a.source === b.source &&
    a.sourcePort === b.sourcePort &&
    a.inInterface === b.inInterface &&
    a.sentByNode === b.sentByNode &&
    a.bridged === b.bridged &&
    a.mark === b.mark &&
    a.connectionMark === b.connectionMark &&
    a.unknownMark === b.unknownMark &&
    a.unknownConnectionMark === b.unknownConnectionMark &&
    a.untracked === b.untracked &&
    a.translatedBy === b.translatedBy &&
    a.virtualServer === b.virtualServer &&
    a.masqueraded === b.masqueraded &&
    a.destinationDecided === b.destinationDecided &&
    a.sourceDecided === b.sourceDecided &&
    // Then packets of a bundle have the same state.
    hasNewDestination(a) === hasNewDestination(b)
  )
}

function bundle(paths: readonly PathState[]): PathState {
  const [first] = paths as [PathState, ...PathState[]]
  if (paths.length === 1) return first
  const destinations = new Map<string, Destination>()
  for (const path of paths) {
    for (const destination of destinationsOf(path)) {
      const key = `${destination.address} ${destination.port}`
      const same = destinations.get(key)
      destinations.set(key, same === undefined ? destination : addWeight(same, destination))
    }
  }
  return withDestinations(startPath(first), [...destinations.values()])
}

function addWeight(destination: Destination, { weight }: Destination): Destination {
  return { ...destination, weight: addFractions(destination.weight, weight) }
}

function destinationsOf(path: PathState): readonly Destination[] {
  return pathsOfDestinations(path).map(({ packet, weight, leading, last, order = 0 }) => ({
    address: packet.destination,
    port: packet.destinationPort,
    weight,
    last: appendSection(leading, last),
    order,
  }))
}
