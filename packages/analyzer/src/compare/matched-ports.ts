import type { ReadSet } from '../program/read-set.js'

/** Ports, port ranges and port sets that rules match on. */
export interface MatchedPorts {
  /** Ports that a rule compares individually. */
  readonly single: ReadonlySet<number>
  readonly ranges: readonly PortRange[]
  readonly sets: ReadonlySet<ReadonlySet<number>>
}

interface PortRange {
  readonly first: number
  readonly last: number
}

/** A growing collection of matched ports. */
export interface CollectedPorts extends MatchedPorts {
  readonly add: (readSet: Pick<ReadSet, 'ports' | 'portLookups'>) => void
}

/** Parses ports and port ranges such as `80` and `30000-32767`. The result also collects the ports of read sets. */
export function parseMatchedPorts(ports: Iterable<string>): CollectedPorts {
  const texts = new Set<string>()
  const single = new Set<number>()
  const ranges: PortRange[] = []
  const sets = new Set<ReadonlySet<number>>()
  const add: CollectedPorts['add'] = (readSet) => {
    for (const text of readSet.ports) {
      if (texts.has(text)) continue
      texts.add(text)
      const [first = 0, last = first] = text.split('-').map(Number)
      if (first === last) single.add(first)
      else ranges.push({ first, last })
    }
    for (const set of readSet.portLookups?.sets ?? []) sets.add(set)
  }
  add({ ports: new Set(ports) })
  return { single, ranges, sets, add }
}

const LAST_PORT = 65535

/**
 * Returns the first port of every interval. The matched ports and port ranges divide all ports into these intervals.
 * The ports are in ascending order and do not depend on the order of the rules.
 */
export function listCandidatePorts({ single, ranges, sets }: MatchedPorts): readonly number[] {
  const cuts = new Set([1])
  for (const ports of [single, ...sets]) for (const port of ports) cuts.add(port).add(port + 1)
  for (const { first, last } of ranges) cuts.add(first).add(last + 1)
  return Array.from(cuts)
    .filter((cut) => cut >= 1 && cut <= LAST_PORT)
    .sort((a, b) => a - b)
}

/** Returns a function from a port to the key of its interval. */
export function createPortClassifier(ports: MatchedPorts): (port: number) => string {
  return (port) => `${isSingle(ports, port) || isInSet(ports, port) ? port : 'other'} ${rangesOf(ports, port)}`
}

/**
 * Returns a key of a port in a port set. Rules do not distinguish ports with the same key. Undefined for all other
 * ports, and for ports that a rule compares individually.
 */
export function findSymmetryKey(ports: MatchedPorts, port: number): string | undefined {
  if (isSingle(ports, port) || !isInSet(ports, port)) return undefined
  return `${Array.from(ports.sets, (set) => set.has(port))} ${rangesOf(ports, port)}`
}

export function isMatchedPort(ports: MatchedPorts, port: number): boolean {
  return isSingle(ports, port) || isInSet(ports, port) || ports.ranges.some((range) => isIn(range, port))
}

function isSingle({ single }: MatchedPorts, port: number): boolean {
  return single.has(port)
}

function isInSet({ sets }: MatchedPorts, port: number): boolean {
  for (const set of sets) if (set.has(port)) return true
  return false
}

/** Returns the indexes of the ranges that contain a port. */
function rangesOf({ ranges }: MatchedPorts, port: number): readonly number[] {
  return ranges.flatMap((range, index) => (isIn(range, port) ? index : []))
}

function isIn({ first, last }: PortRange, port: number): boolean {
  return first <= port && port <= last
}
