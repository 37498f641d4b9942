import { createSvgElement, setHue } from '../dom/create-element.js'
import {
  type AvailableSize,
  availableSizeOf,
  CHARACTER_WIDTH,
  fitWidth,
  setDrawingSize,
  truncate,
} from './fit-width.js'
import {
  BOX_HEIGHT,
  BRANCH_HEIGHT,
  type CardRow,
  findForkColumn,
  type GraphLayout,
  heightOfBranches,
  heightOfCard,
  heightOfCards,
  labelOfBranch,
  layOutGraph,
  type PlacedColumn,
  ROW_HEIGHT,
  TEXT_INSET,
} from './graph-layout.js'
import type { GraphBranch, PathGraph } from './path-graph.js'

export interface DrawGraphOptions {
  readonly hueOf: (servicePort: string) => number | undefined
  readonly onChoose: (rule: string) => void
}

/** The size of a drawing before its pane is known. */
const FIRST_ROOM: AvailableSize = { width: 800, height: 400 }

/** A drawing of graphs, which shows one after the other. */
export interface GraphDrawing {
  readonly drawing: SVGSVGElement
  show(graph: PathGraph): void
}

/** Draws the chains of all paths from left to right, with the outcomes at the right. */
export function createGraphDrawing(options: DrawGraphOptions): GraphDrawing {
  const drawing = createSvgElement('svg', { class: 'graph', role: 'group' })
  let shown: PathGraph | undefined
  const layOut = (room: AvailableSize) => {
    if (shown === undefined) return
    const layout = layOutGraph(shown, room)
    setDrawingSize(drawing, layout, room)
    drawing.replaceChildren(...drawLayout(layout, options))
  }
  fitWidth(Object.assign(drawing, { layOut }))
  return {
    drawing,
    show: (graph) => {
      shown = graph
      const chains = [...graph.before, ...graph.branches.flatMap(({ chains: own }) => own), ...graph.after]
      drawing.setAttribute('aria-label', `Chains on the path: ${chains.map(({ label }) => label).join(', ')}`)
      const pane = drawing.parentElement
      layOut(pane !== null && pane.clientWidth > 0 ? availableSizeOf(pane) : FIRST_ROOM)
    },
  }
}

function drawLayout(layout: GraphLayout, options: DrawGraphOptions): readonly SVGElement[] {
  const { columns, branches, height } = layout
  const fork = findForkColumn(columns)
  const middle = height / 2
  const ys = branches.map(
    (_, index) => middle - heightOfBranches(branches) / 2 + BOX_HEIGHT / 2 + index * BRANCH_HEIGHT,
  )
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
        const height = index < fork ? 0 : heightOfBranches(branches)
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
  return createSvgElement(
    'g',
    { class: 'edge' },
    createSvgElement('path', {
      d: `M ${x1} ${y1} C ${x1 + bend} ${y1}, ${turn - bend} ${y2}, ${turn} ${y2} H ${x2 - 5}`,
    }),
    createSvgElement('path', { class: 'tip', d: `M ${x2 - 6} ${y2 - 4} L ${x2} ${y2} L ${x2 - 6} ${y2 + 4} Z` }),
    ...(share === ''
      ? []
      : [createSvgElement('text', { x: x2 - 8, y: y2 - 3, 'text-anchor': 'end', class: 'share' }, share)]),
  )
}

/**
 * Draws the cards of a column one below the other. A single card is at least `least` pixels tall, like the branches
 * that pass through it.
 */
function drawCards(
  cards: readonly (readonly CardRow[])[],
  { x, width }: PlacedColumn,
  middle: number,
  least: number,
  options: DrawGraphOptions,
): readonly SVGElement[] {
  const total = heightOfCards(cards)
  let top = middle - total / 2
  return cards.map((rows) => {
    const height = heightOfCard(rows.length)
    const extra = cards.length === 1 ? Math.max(0, least - height) / 2 : 0
    const y = top
    top += height + 8
    return createSvgElement(
      'g',
      { class: 'card' },
      createSvgElement('rect', { x, y: y - extra, width, height: height + 2 * extra, rx: 6 }),
      ...rows.map((row, index) => drawRow(row, x, y + 4 + index * ROW_HEIGHT, width, options)),
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
  return setHue(
    createSvgElement(
      'g',
      { class: chain === undefined ? 'heading' : 'node chain', onclick: choose },
      createSvgElement('title', {}, title),
      createSvgElement('rect', { x: x + 4, y, width: width - 8, height: ROW_HEIGHT - 1, rx: 3 }),
      ...(hue === undefined
        ? []
        : [createSvgElement('rect', { class: 'stripe', x: x + 4, y, width: 4, height: ROW_HEIGHT - 1 })]),
      createSvgElement(
        'text',
        { x: x + 13, y: y + 13 },
        truncate(text, Math.floor((width - TEXT_INSET) / (chain === undefined ? SMALL_CHARACTER : CHARACTER_WIDTH))),
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
  const text = isEnd ? branch.end : labelOfBranch(branch)
  if (text === '')
    return createSvgElement('g', { class: 'edge' }, createSvgElement('path', { d: `M ${x} ${y} H ${x + width}` }))
  const hue = isEnd || chain === undefined ? undefined : hueOf(chain.owner)
  const titles = isEnd ? [branch.end] : branch.chains.map(({ label }) => label)
  const choose = isEnd || chain === undefined ? undefined : () => onChoose(chain.text)
  return setHue(
    createSvgElement(
      'g',
      { class: `node branch ${isEnd ? branch.kind : 'chain'}`, onclick: choose },
      createSvgElement('title', {}, titles.join('\n')),
      createSvgElement('rect', { x, y: y - BOX_HEIGHT / 2, width, height: BOX_HEIGHT, rx: isEnd ? BOX_HEIGHT / 2 : 4 }),
      ...(hue === undefined
        ? []
        : [createSvgElement('rect', { class: 'stripe', x, y: y - BOX_HEIGHT / 2, width: 4, height: BOX_HEIGHT })]),
      createSvgElement(
        'text',
        { x: x + width / 2, y: y + 4, 'text-anchor': 'middle' },
        truncate(text, Math.floor((width - TEXT_INSET / 2) / CHARACTER_WIDTH)),
      ),
    ),
    hue,
  )
}
