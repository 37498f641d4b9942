import { createElement } from '../dom/create-element.js'
import { downloadBlob } from '../dom/download-blob.js'
import { createMenu } from '../dom/menu.js'
import { createTabs } from '../dom/tabs.js'
import { createGraphDrawing } from '../drawing/draw-graph.js'
import { animatePath, createPathDrawing, createPlaceholder, drawPath } from '../drawing/draw-path.js'
import { toPng, toSvgDocument } from '../drawing/export-drawing.js'
import { availableSizeOf } from '../drawing/fit-width.js'
import { createPathGraph } from '../drawing/path-graph.js'
import { createPathStages } from '../drawing/path-stages.js'
import type { PacketResult } from '../engine/results.js'
import { hueOf, type PageContext } from './page-context.js'

export interface PacketDrawings {
  readonly panel: HTMLElement
  /** Draws one of the paths, and the graph of all paths. */
  show(next: PacketResult, path: number): void
  play(): void
}

/** Creates the drawings of a packet: one path hook by hook, and the chains of all paths as a graph. */
export function createPacketDrawings({ attention, ports }: PageContext): PacketDrawings {
  const pathDrawing = createElement('div', {
    class: 'drawing',
    tabindex: 0,
    role: 'region',
    'aria-label': 'The packet’s path',
  })
  const graphDrawing = createElement('div', {
    class: 'drawing',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Chains on the path',
  })
  const play = createElement('button', { type: 'button', class: 'small', onclick: () => playDrawing() }, '▸ Play')
  /** The outcome of the drawn path, which stays visible while the drawing scrolls. */
  const ending = createElement('span', { class: 'ending' })
  const saveSvg = createElement('button', { type: 'button', class: 'small', title: 'Save the drawing' }, 'SVG')
  const savePng = createElement('button', { type: 'button', class: 'small', title: 'Save the drawing' }, 'PNG')
  saveSvg.addEventListener('click', () => void saveDrawing('svg'))
  savePng.addEventListener('click', () => void saveDrawing('png'))
  const pathPanel = createElement('div', { class: 'panel' }, pathDrawing)
  const graphPanel = createElement('div', { class: 'panel' }, graphDrawing)
  const tabs = createTabs(
    'Drawings',
    [
      { id: 'path', label: 'Path', panel: pathPanel },
      { id: 'graph', label: 'Graph', panel: graphPanel },
    ],
    () => draw(),
  )
  const panel = createElement(
    'div',
    { class: 'drawings' },
    createElement(
      'div',
      { class: 'bar sub' },
      tabs.list,
      ending,
      createElement('span', { class: 'grow' }),
      createMenu('Save the drawing', saveSvg, savePng),
      play,
    ),
    pathPanel,
    graphPanel,
  )
  const options = { hueOf: (servicePort: string) => hueOf(servicePort, ports.get()), onChoose: chooseRule }
  const pathPicture = createPathDrawing()
  const graphPicture = createGraphDrawing(options)
  let answer: PacketResult | undefined
  let chosen = 0
  /** The size of the pane that the path is laid out for. */
  let drawnFor = ''
  new ResizeObserver(() => {
    if (pathDrawing.offsetParent !== null && drawnFor !== JSON.stringify(availableSizeOf(pathDrawing))) draw()
  }).observe(pathDrawing)

  function chooseRule(text: string): void {
    attention.set({ rules: [text], looked: [] })
  }

  function draw(): void {
    const packet = answer?.packet
    const path = answer?.paths[chosen]
    const isDrawn = packet !== undefined && path !== undefined
    for (const each of [saveSvg, savePng]) each.hidden = !isDrawn
    // Hidden for the graph, which shows the outcomes of all paths.
    ending.hidden = !isDrawn || pathPanel.hidden
    ending.className = `ending ${path?.kind ?? ''}`
    ending.textContent = path === undefined ? '' : `→ ${path.outcome}`
    play.hidden = packet === undefined || matchMedia('(prefers-reduced-motion: reduce)').matches
    if (answer === undefined || packet === undefined || path === undefined) {
      pathDrawing.replaceChildren(createPlaceholder('The path of the packet will be drawn here, hook by hook.'))
      graphDrawing.replaceChildren(createPlaceholder('The chains on the path will be drawn here.'))
      return
    }
    const { outcome, kind } = path
    const room = availableSizeOf(pathDrawing)
    drawnFor = JSON.stringify(room)
    drawPath(pathPicture, createPathStages(packet, path, answer.paths), { ...options, outcome, kind, room })
    pathDrawing.replaceChildren(pathPicture)
    const graph = createPathGraph(answer.paths)
    const left = graph.left + answer.morePaths
    graphPicture.show(graph)
    graphDrawing.replaceChildren(
      graphPicture.drawing,
      ...(left === 0 ? [] : [createElement('p', { class: 'note' }, `${left} more paths are not drawn.`)]),
    )
  }

  function playDrawing(): void {
    tabs.show('path')
    const drawing = pathDrawing.querySelector('svg')
    if (drawing) animatePath(drawing)
  }

  async function saveDrawing(type: 'svg' | 'png'): Promise<void> {
    const drawing = [pathDrawing, graphDrawing]
      .find((each) => each.offsetParent !== null)
      ?.querySelector<SVGSVGElement>('svg')
    if (!drawing) return
    const text = toSvgDocument(drawing)
    const content =
      type === 'svg' ? new Blob([text], { type: 'image/svg+xml' }) : await toPng(text, drawing.viewBox.baseVal)
    downloadBlob(`packet.${type}`, content)
  }

  function show(next: PacketResult, path: number): void {
    answer = next
    chosen = path
    draw()
  }

  return { panel, show, play: playDrawing }
}
