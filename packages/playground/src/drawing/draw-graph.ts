import { svg, withHue } from '../dom/element.js'
import { CHARACTER, type FittingDrawing, type Room, setSize, truncate } from './fit-width.js'
import type { Graph, GraphBranch } from './graph.js'
import {
  BOX,
  BRANCH,
  branchesHeight,
  type CardRow,
  forkOf,
  type GraphLayout,
  heightOf,
  heightOfCard,
  INSET,
  labelOf,
  layOutGraph,
  type PlacedColumn,
  ROW,
} from './graph-layout.js'

export interface DrawGraphOptions {
  readonly hueOf: (servicePort: string) => number | undefined
  readonly onChoose: (rule: string) => void
}

/** The size of a drawing before its pane is known. */
const FIRST_ROOM: Room = { width: 800, height: 400 }

/** Draws the chains of all paths from left to right, with the outcomes at the right. */
export function drawGraph(graph: Graph, options: DrawGraphOptions): FittingDrawing {
  const labels = [...graph.before, ...graph.branches.flatMap(({ chains }) => chains), ...graph.after].map(
    ({ label }) => label,
  )
  const drawing = svg('svg', {
    class: 'graph',
    role: 'group',
    'aria-label': `Chains on the path: ${labels.join(', ')}`,
  })
  const layOut = (room: Room) => {
    const layout = layOutGraph(graph, room)
    setSize(drawing, layout, room)
    drawing.replaceChildren(...drawLayout(layout, options))
  }
  layOut(FIRST_ROOM)
  return Object.assign(drawing, { layOut })
}

function drawLayout(layout: GraphLayout, options: DrawGraphOptions): readonly SVGElement[] {
  const { columns, branches, height } = layout
  const fork = forkOf(columns)
  const middle = height / 2
  const ys = branches.map((_, index) => middle - branchesHeight(branches) / 2 + BOX / 2 + index * BRANCH)
  return [
    ...columns.slice(1).flatMap((column, index) => {
      const from = columns[index] as PlacedColumn
      const start = from.x + from.width
      if (index + 1 < fork) return [drawEdge(start, middle, column.x, middle)]
      const isFork = index + 1 === fork
      return ys.map((y, branch) =>
        drawEdge(start, isFork ? middle : y, column.x, y, isFork ? branches[branch] : undefined),
      )
    }),
    ...columns.flatMap((column, index) => {
      if (column.cards !== undefined) {
        const height = index < fork ? 0 : branchesHeight(branches)
        return drawCards(column.cards, column, middle, height, options)
      }
      return branches.map((branch, at) => drawBranch(branch, column, ys[at] ?? 0, options))
    }),
  ]
}

/** The width of the curve from a fork to a branch. */
const CURVE = 22

function drawEdge(x1: number, y1: number, x2: number, y2: number, branch?: GraphBranch): SVGElement {
  // The curve ends before the share label, so that the label is above a straight line.
  const turn = x1 + Math.min(CURVE, x2 - x1 - 6)
  const bend = (turn - x1) / 2
  const share = branch?.share ?? ''
  return svg(
    'g',
    { class: 'edge' },
    svg('path', { d: `M ${x1} ${y1} C ${x1 + bend} ${y1}, ${turn - bend} ${y2}, ${turn} ${y2} H ${x2 - 5}` }),
    svg('path', { class: 'tip', d: `M ${x2 - 6} ${y2 - 4} L ${x2} ${y2} L ${x2 - 6} ${y2 + 4} Z` }),
    ...(share === '' ? [] : [svg('text', { x: x2 - 8, y: y2 - 3, 'text-anchor': 'end', class: 'share' }, share)]),
  )
}

/** Draws the cards of a column one below the other; a single card is at least as tall as the branches through it. */
function drawCards(
  cards: readonly (readonly CardRow[])[],
  { x, width }: PlacedColumn,
  middle: number,
  least: number,
  options: DrawGraphOptions,
): readonly SVGElement[] {
  const total = heightOf(cards)
  let top = middle - total / 2
  return cards.map((rows) => {
    const height = heightOfCard(rows.length)
    const extra = cards.length === 1 ? Math.max(0, least - height) / 2 : 0
    const y = top
    top += height + 8
    return svg(
      'g',
      { class: 'card' },
      svg('rect', { x, y: y - extra, width, height: height + 2 * extra, rx: 6 }),
      ...rows.map((row, index) => drawRow(row, x, y + 4 + index * ROW, width, options)),
    )
  })
}

/** The width of a character of a heading. */
const SMALL_CHARACTER = 6.6

function drawRow(
  { text, title, chain }: CardRow,
  x: number,
  y: number,
  width: number,
  { hueOf, onChoose }: DrawGraphOptions,
): SVGElement {
  const hue = chain && hueOf(chain.owner)
  const choose = chain && (() => onChoose(chain.text))
  return withHue(
    svg(
      'g',
      { class: chain === undefined ? 'heading' : 'node chain', onclick: choose },
      svg('title', {}, title),
      svg('rect', { x: x + 4, y, width: width - 8, height: ROW - 1, rx: 3 }),
      ...(hue === undefined ? [] : [svg('rect', { class: 'stripe', x: x + 4, y, width: 4, height: ROW - 1 })]),
      svg(
        'text',
        { x: x + 13, y: y + 13 },
        truncate(text, Math.floor((width - INSET) / (chain === undefined ? SMALL_CHARACTER : CHARACTER))),
      ),
    ),
    hue,
  )
}

/** Draws the last chain of a branch, or its outcome. A branch without chains is a line. */
function drawBranch(
  branch: GraphBranch,
  { kind, x, width }: PlacedColumn,
  y: number,
  { hueOf, onChoose }: DrawGraphOptions,
): SVGElement {
  const isEnd = kind === 'ends'
  const chain = branch.chains.at(-1)
  const text = isEnd ? branch.end : labelOf(branch)
  if (text === '') return svg('g', { class: 'edge' }, svg('path', { d: `M ${x} ${y} H ${x + width}` }))
  const hue = isEnd || chain === undefined ? undefined : hueOf(chain.owner)
  const titles = isEnd ? [branch.end] : branch.chains.map(({ label }) => label)
  const choose = isEnd || chain === undefined ? undefined : () => onChoose(chain.text)
  return withHue(
    svg(
      'g',
      { class: `node branch ${isEnd ? branch.kind : 'chain'}`, onclick: choose },
      svg('title', {}, titles.join('\n')),
      svg('rect', { x, y: y - BOX / 2, width, height: BOX, rx: isEnd ? BOX / 2 : 4 }),
      ...(hue === undefined ? [] : [svg('rect', { class: 'stripe', x, y: y - BOX / 2, width: 4, height: BOX })]),
      svg(
        'text',
        { x: x + width / 2, y: y + 4, 'text-anchor': 'middle' },
        truncate(text, Math.floor((width - INSET / 2) / CHARACTER)),
      ),
    ),
    hue,
  )
}
