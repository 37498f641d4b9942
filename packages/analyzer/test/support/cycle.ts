import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
/**
 * Finds a cycle in a graph, given the source and target of each edge. Returns the nodes of the cycle in order, with the
 * first node repeated at the end; undefined if the graph has no cycle. Linear in nodes and edges, without recursion.
 */
export function findCycle(from: readonly number[], to: readonly number[]): readonly number[] | undefined {
  const targets = targetsOf(from, to)
  const deadEnds = new Set<number>()
  for (const node of targets.keys()) {
    const cycle = deadEnds.has(node) ? undefined : walk(node, targets, deadEnds)
    if (cycle !== undefined) return cycle
  }
  return undefined
}

type Targets = ReadonlyMap<number, readonly number[]>

function targetsOf(from: readonly number[], to: readonly number[]): Targets {
  const targets = new Map<number, number[]>()
  for (const [edge, target] of to.entries()) {
    const node = elementAt(from, edge)
    const known = targets.get(node)
    if (known === undefined) targets.set(node, [target])
    else known.push(target)
  }
  return targets
}

/** A node on the path, with its untried targets. */
interface Step {
  readonly node: number
  readonly untried: Iterator<number, undefined>
}

/** Follows edges until a node repeats, or until all reachable nodes are dead ends. */
function walk(start: number, targets: Targets, deadEnds: Set<number>): readonly number[] | undefined {
  const path: Step[] = [stepTo(start, targets)]
  const onPath = new Set([start])
  for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
    const node = last.untried.next().value
    if (node === undefined) {
      path.pop()
      onPath.delete(last.node)
      deadEnds.add(last.node)
    } else if (onPath.has(node)) {
      const nodes = [...onPath, node]
      return nodes.slice(nodes.indexOf(node))
    } else if (!deadEnds.has(node)) {
      path.push(stepTo(node, targets))
      onPath.add(node)
    }
  }
  return undefined
}

function stepTo(node: number, targets: Targets): Step {
  return { node, untried: (targets.get(node) ?? []).values() }
}
