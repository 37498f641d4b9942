/** Ports and port ranges that rules match on. */
export interface MatchedPorts {
  readonly single: ReadonlySet<number>
  readonly ranges: readonly PortRange[]
}

interface PortRange {
  readonly first: number
  readonly last: number
}

/** Parses port ranges such as `80` and `30000-32767`. */
export function parseMatchedPorts(texts: Iterable<string>): MatchedPorts {
  const single = new Set<number>()
  const ranges: PortRange[] = []
  for (const text of texts) {
    const [first = 0, last = first] = text.split('-').map(Number)
    if (first === last) single.add(first)
    else ranges.push({ first, last })
  }
  return { single, ranges }
}

const LAST_PORT = 65535

/**
 * Returns the first port of every interval. The matched ports and port ranges divide all ports into these intervals.
 * The ports are in ascending order and do not depend on the order of the rules.
 */
export function listCandidatePorts({ single, ranges }: MatchedPorts): readonly number[] {
  const cuts = new Set([1])
  for (const port of single) cuts.add(port).add(port + 1)
  for (const { first, last } of ranges) cuts.add(first).add(last + 1)
  return Array.from(cuts)
    .filter((cut) => cut >= 1 && cut <= LAST_PORT)
    .sort((a, b) => a - b)
}

/** Returns a function from a port to the key of its interval. */
export function createPortClassifier({ single, ranges }: MatchedPorts): (port: number) => string {
  return (port) => {
    const holding = ranges.flatMap((range, index) => (isIn(range, port) ? index : []))
    return `${single.has(port) ? port : 'other'} ${holding}`
  }
}

export function isMatchedPort({ single, ranges }: MatchedPorts, port: number): boolean {
  return single.has(port) || ranges.some((range) => isIn(range, port))
}

function isIn({ first, last }: PortRange, port: number): boolean {
  return first <= port && port <= last
}
