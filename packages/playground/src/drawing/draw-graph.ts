import { svg, withHue } from '../dom/element.js'
import { truncate } from './draw-path.js'
import { formatPercent, type Graph, type GraphEdge, type GraphNode } from './graph.js'

export interface DrawGraphOptions {
  readonly hueOf: (servicePort: string) => number | undefined
  readonly onChoose: (rule: string) => void
}

const WIDTH = 208
const HEIGHT = 38
const ACROSS = WIDTH + 22
const DOWN = HEIGHT + 28
const CHARACTERS = 27

/** Draws a graph of chains, layer by layer. */
export function drawGraph(graph: Graph, options: DrawGraphOptions): SVGSVGElement {
  const widest = Math.max(1, ...layerSizes(graph))
  const width = widest * ACROSS + 40
  const height = graph.layers * DOWN + 20
  const at = (node: GraphNode) => ({ x: width / 2 + node.place * ACROSS, y: 12 + node.layer * DOWN })
  const drawing = svg('svg', {
    class: 'graph',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'group',
    'aria-label': `Chains on the path:  ${graph.nodes.map(({ label }) => label).join(', ')}`,
  })
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]))
  for (const edge of graph.edges) {
    const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)]
    if (from && to) drawing.append(drawEdge(edge, at(from), at(to), options))
  }
  for (const node of graph.nodes) drawing.append(drawNode(node, at(node), options))
  return drawing
}

function layerSizes({ nodes, layers }: Graph): readonly number[] {
  return Array.from({ length: layers }, (_, layer) => nodes.filter((node) => node.layer === layer).length)
}

interface Point {
  readonly x: number
  readonly y: number
}

function drawEdge({ share, text }: GraphEdge, from: Point, to: Point, { onChoose }: DrawGraphOptions): SVGElement {
  const [top, bottom] = [from.y + HEIGHT, to.y]
  const bend = Math.max(14, (bottom - top) / 2)
  const choose = () => onChoose(text)
  const group = svg('g', { class: text === '' ? 'edge' : 'edge rule', onclick: text === '' ? undefined : choose })
  group.append(
    svg('path', { d: `M ${from.x} ${top} C ${from.x} ${top + bend}, ${to.x} ${bottom - bend}, ${to.x} ${bottom - 5}` }),
    svg('path', { class: 'tip', d: `M ${to.x - 4} ${bottom - 6} L ${to.x} ${bottom} L ${to.x + 4} ${bottom - 6} Z` }),
  )
  if (text !== '') group.append(svg('title', {}, text))
  if (share !== '') {
    const label = svg(
      'text',
      { x: (from.x + 2 * to.x) / 3, y: bottom - 10, 'text-anchor': 'middle', class: 'share' },
      share,
    )
    group.append(label)
  }
  return group
}

function drawNode(
  { label, stage, kind, owner, probability }: GraphNode,
  { x, y }: Point,
  { hueOf }: DrawGraphOptions,
): SVGElement {
  const hue = hueOf(owner)
  const group = withHue(svg('g', { class: `node ${kind}` }), hue)
  group.append(
    svg('title', {}, label),
    svg('rect', { x: x - WIDTH / 2, y, width: WIDTH, height: HEIGHT, rx: kind === 'chain' ? 5 : HEIGHT / 2 }),
    ...(hue === undefined ? [] : [svg('rect', { class: 'stripe', x: x - WIDTH / 2, y, width: 5, height: HEIGHT })]),
    svg('text', { x, y: y + (stage === '' ? 17 : 16), 'text-anchor': 'middle' }, truncate(label, CHARACTERS)),
    svg(
      'text',
      { x, y: y + 30, 'text-anchor': 'middle', class: 'station-name' },
      stage === '' ? `${formatPercent(probability)} of the packets` : stage,
    ),
  )
  return group
}
