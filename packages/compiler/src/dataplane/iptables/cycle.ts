/**
 * A way round, given the numbers of nodes that edges lead from and to: nodes each of which leads to the next, the first
 * one repeated at the end. Undefined where there is none. Linear in nodes and edges, without recursion.
 */
export function findCycle(
  nodes: number,
  from: readonly number[],
  to: readonly number[],
): readonly number[] | undefined {
  const left = withoutDeadEnds(nodes, from, to)
  const next = new Map<number, number>()
  for (const [edge, node] of from.entries()) if (left[node] && left[to[edge] ?? 0]) next.set(node, to[edge] ?? 0)
  const [first] = next
  if (first === undefined) return undefined
  const path: number[] = []
  for (let node = first[0]; ; node = next.get(node) ?? 0) {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    path.push(node)
  }
}

/** For each node, how many of its edges are left once all nodes that lead nowhere are taken away again and again. */
function withoutDeadEnds(nodes: number, from: readonly number[], to: readonly number[]): Int32Array {
  const left = new Int32Array(nodes)
  for (const node of from) left[node] = (left[node] ?? 0) + 1
  const { starts, sources } = edgesByTarget(nodes, from, to)
  const deadEnds: number[] = []
  for (let node = 0; node < nodes; node++) if (left[node] === 0) deadEnds.push(node)
  for (let node = deadEnds.pop(); node !== undefined; node = deadEnds.pop()) {
    for (let at = starts[node] ?? 0; at < (starts[node + 1] ?? 0); at++) {
      const source = sources[at] ?? 0
      const edges = (left[source] ?? 0) - 1
      left[source] = edges
      if (edges === 0) deadEnds.push(source)
    }
  }
  return left
}

/** The sources of the edges to node `n`: `sources` from `starts[n]` to before `starts[n + 1]`. */
function edgesByTarget(nodes: number, from: readonly number[], to: readonly number[]): Grouped {
  const starts = new Int32Array(nodes + 2)
  for (const node of to) starts[node + 2] = (starts[node + 2] ?? 0) + 1
  for (let node = 2; node < starts.length; node++) starts[node] = (starts[node] ?? 0) + (starts[node - 1] ?? 0)
  const sources = new Int32Array(to.length)
  for (let edge = 0; edge < to.length; edge++) {
    const slot = (to[edge] ?? 0) + 1
    const at = starts[slot] ?? 0
    sources[at] = from[edge] ?? 0
    starts[slot] = at + 1
  }
  return { starts, sources }
}

interface Grouped {
  readonly starts: Int32Array
  readonly sources: Int32Array
}
