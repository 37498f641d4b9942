import type { FormattedPath } from '../engine/results.js'

/** A chain, a table without chains, or an outcome. */
export interface GraphNode {
  readonly id: string
  readonly label: string
  /** The hook and table, such as `PREROUTING nat`; empty for outcomes. */
  readonly stage: string
  readonly kind: 'chain' | FormattedPath['kind']
  readonly owner: string
  /** The share of all packets that reach this node. */
  readonly probability: number
  /** The layer, from 0 at the top. */
  readonly layer: number
  /** The position within the layer, from 0 at the left. */
  readonly place: number
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  /** The share of packets on this edge, such as `1/3`; empty if all packets take it. */
  readonly share: string
  /** The rule with the jump; empty for an edge without a rule. */
  readonly text: string
}

export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly layers: number
  /** The number of omitted paths beyond the limit. */
  readonly left: number
}

/** Maximum number of paths in a readable graph. */
const MOST_PATHS = 12

/** Builds the graph of one packet: only the chains on its paths, from the first hook to the outcomes. */
export function graphOf(paths: readonly FormattedPath[]): Graph {
  const shown = paths.slice(0, MOST_PATHS)
  const nodes = new Map<string, Draft>()
  const edges = new Map<string, DraftEdge>()
  for (const path of shown) addPath(path, nodes, edges)
  const layers = layersOf(nodes, edges)
  return { ...placed(nodes, edges, layers), left: paths.length - shown.length }
}

type Draft = Omit<GraphNode, 'layer' | 'place' | 'probability'> & { probability: number }

interface DraftEdge {
  readonly from: string
  readonly to: string
  readonly text: string
  probability: number
}

function addPath(path: FormattedPath, nodes: Map<string, Draft>, edges: Map<string, DraftEdge>): void {
  const seen = new Set<string>()
  const addNode = (node: Omit<Draft, 'probability'>) => {
    const existing = nodes.get(node.id) ?? { ...node, probability: 0 }
    if (!seen.has(node.id)) existing.probability += path.probability
    seen.add(node.id)
    nodes.set(node.id, existing.owner === node.owner ? existing : { ...existing, owner: '' })
  }
  const addEdge = (from: string, to: string, text: string) => {
    const key = JSON.stringify([from, to])
    if (from === to || seen.has(key)) return
    seen.add(key)
    const existing = edges.get(key) ?? { from, to, text, probability: 0 }
    existing.probability += path.probability
    edges.set(key, existing)
  }
  let last: string | undefined
  for (const step of path.steps) {
    const stage = `${step.hook} ${step.table.replace('iptables ', '')}`
    const idOf = (chain: string) => `${stage} ${chain}`
    const id = idOf(step.chain)
    const isNew = !seen.has(id)
    addNode({ id, label: step.chain === '' ? step.table : step.chain, stage, kind: 'chain', owner: step.servicePort })
    if (last !== undefined && isNew && nodes.get(last)?.stage !== stage) addEdge(last, id, '')
    last = id
    if (step.jumpsTo !== '' && step.jumpsTo !== step.chain) {
      const next = idOf(step.jumpsTo)
      addNode({ id: next, label: step.jumpsTo, stage, kind: 'chain', owner: step.servicePort })
      addEdge(id, next, step.text)
      last = next
    }
  }
  const end = `end ${path.outcome}`
  addNode({
    id: end,
    label: path.endpoint === '' ? path.outcome : path.endpoint,
    stage: '',
    kind: path.kind,
    owner: '',
  })
  if (last !== undefined) addEdge(last, end, '')
}

/** Assigns layers, so that each node is below all of its predecessors. */
function layersOf(
  nodes: ReadonlyMap<string, Draft>,
  edges: ReadonlyMap<string, DraftEdge>,
): ReadonlyMap<string, number> {
  const layers = new Map(Array.from(nodes.keys(), (id) => [id, 0]))
  // Limited to the number of nodes, because cycles of chains would never end.
  for (let round = 0, moved = true; moved && round < nodes.size; round++) {
    moved = false
    for (const { from, to } of edges.values()) {
      const least = (layers.get(from) ?? 0) + 1
      if ((layers.get(to) ?? 0) >= least || least >= nodes.size) continue
      layers.set(to, least)
      moved = true
    }
  }
  return layers
}

/** Positions the nodes of a layer by their predecessors, so that few edges cross. */
function placed(
  nodes: ReadonlyMap<string, Draft>,
  edges: ReadonlyMap<string, DraftEdge>,
  layers: ReadonlyMap<string, number>,
): Omit<Graph, 'left'> {
  const count = Math.max(0, ...layers.values()) + (nodes.size > 0 ? 1 : 0)
  const places = new Map<string, number>()
  const result: GraphNode[] = []
  for (let layer = 0; layer < count; layer++) {
    const inLayer = [...nodes.values()].filter(({ id }) => layers.get(id) === layer)
    const above = (id: string) => {
      const from = [...edges.values()].filter(({ to }) => to === id).map((edge) => places.get(edge.from) ?? 0)
      return from.length === 0 ? 0 : from.reduce((sum, place) => sum + place, 0) / from.length
    }
    const sorted = inLayer.map((node, index) => ({ node, index, above: above(node.id) }))
    sorted.sort((a, b) => a.above - b.above || a.index - b.index)
    for (const [place, { node }] of sorted.entries()) {
      places.set(node.id, place - (sorted.length - 1) / 2)
      result.push({ ...node, layer, place })
    }
  }
  return { nodes: result, edges: Array.from(edges.values(), (edge) => edgeOf(edge, nodes)), layers: count }
}

function edgeOf({ from, to, text, probability }: DraftEdge, nodes: ReadonlyMap<string, Draft>): GraphEdge {
  const all = nodes.get(from)?.probability ?? probability
  return { from, to, text, share: probability < all - 1e-9 ? formatPercent(probability / all) : '' }
}

/** Formats a percentage: `33 %`. */
export function formatPercent(probability: number): string {
  const hundredths = probability * 100
  return `${hundredths >= 10 || Number.isInteger(hundredths) ? Math.round(hundredths) : hundredths.toFixed(1)} %`
}
