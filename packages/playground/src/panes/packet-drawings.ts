import { createElement } from '../dom/create-element.js'
import { downloadBlob } from '../dom/download-blob.js'
import { createMenu } from '../dom/menu.js'
import { createTabs } from '../dom/tabs.js'
import { createGraphDrawing } from '../drawing/draw-graph.js'
import { createPathDrawing, createPlaceholder, drawPath, showPathStep } from '../drawing/draw-path.js'
import { drawStrip } from '../drawing/draw-strip.js'
import { type ExportedDrawing, toPng, toSvgDocument } from '../drawing/export-drawing.js'
import { availableSizeOf } from '../drawing/fit-width.js'
import { createPathGraph } from '../drawing/path-graph.js'
import { createPathStages, listOtherBranches } from '../drawing/path-stages.js'
import type { PacketResult } from '../engine/results.js'
import { createPacketLesson } from './packet-lesson.js'
import { hueOf, type PageContext } from './page-context.js'

export interface PacketDrawings {
  readonly panel: HTMLElement
  /** Draws one of the paths, and the graph of all paths. */
  show(next: PacketResult, path: number): void
  play(): void
}

/** Creates the drawings of a packet: one path hook by hook, and the chains of all paths as a graph. */
export function createPacketDrawings(context: PageContext): PacketDrawings {
  const { attention, ports, question } = context
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
  const play = createElement('button', { type: 'button', class: 'small', onclick: () => playLesson() }, '▸ Follow')
  /** The outcome of the drawn path, which stays visible while the drawing scrolls. */
  const ending = createElement('span', { class: 'ending' })
  const saveSvg = createElement('button', { type: 'button', class: 'small', title: 'Save the drawing' }, 'SVG')
  const savePng = createElement('button', { type: 'button', class: 'small', title: 'Save the drawing' }, 'PNG')
  const saveStrip = createElement('button', { type: 'button', class: 'small', title: 'Save all steps as SVG' }, 'Steps')
  saveSvg.addEventListener('click', () => void saveDrawing('svg'))
  savePng.addEventListener('click', () => void saveDrawing('png'))
  saveStrip.addEventListener('click', () => saveSteps())
  const pathPicture = createPathDrawing()
  const lesson = createPacketLesson(context, (step) => {
    showPathStep(pathPicture, step)
    play.hidden = answer?.packet === undefined || !lesson.panel.hidden
  })
  const pathPanel = createElement('div', { class: 'panel' }, pathDrawing, lesson.panel)
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
      createMenu('Save the drawing', saveSvg, savePng, saveStrip),
      play,
    ),
    pathPanel,
    graphPanel,
  )
  const options = { hueOf: (servicePort: string) => hueOf(servicePort, ports.get()), onChoose: chooseRule }
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
    for (const each of [saveSvg, savePng, saveStrip]) each.hidden = !isDrawn
    // Hidden for the graph, which shows the outcomes of all paths.
    ending.hidden = !isDrawn || pathPanel.hidden
    ending.className = `ending ${path?.kind ?? ''}`
    ending.textContent = path === undefined ? '' : `→ ${path.outcome}`
    if (answer === undefined || packet === undefined || path === undefined) {
      pathDrawing.replaceChildren(createPlaceholder('The path of the packet will be drawn here, hook by hook.'))
      graphDrawing.replaceChildren(createPlaceholder('The chains on the path will be drawn here.'))
      play.hidden = true
      if (answer !== undefined) lesson.prepare(answer, chosen)
      return
    }
    const { outcome, kind } = path
    const room = availableSizeOf(pathDrawing)
    drawnFor = JSON.stringify(room)
    const otherBranches = listOtherBranches(path, answer.paths)
    const stages = createPathStages(packet, path, answer.paths)
    drawPath(pathPicture, stages, { ...options, outcome, kind, otherBranches, room })
    pathDrawing.replaceChildren(pathPicture)
    lesson.prepare(answer, chosen)
    play.hidden = !lesson.panel.hidden
    const graph = createPathGraph(answer.paths)
    const left = graph.left + answer.morePaths
    graphPicture.show(graph)
    graphDrawing.replaceChildren(
      graphPicture.drawing,
      ...(left === 0 ? [] : [createElement('p', { class: 'note' }, `${left} more paths are not drawn.`)]),
    )
  }

  function playLesson(): void {
    tabs.show('path')
    lesson.start()
    lesson.panel.focus({ preventScroll: true })
  }

  async function saveDrawing(type: 'svg' | 'png'): Promise<void> {
    const drawing = [pathDrawing, graphDrawing]
      .find((each) => each.offsetParent !== null)
      ?.querySelector<SVGSVGElement>('svg')
    if (!drawing) return
    const exported = toSvgDocument(drawing, titleOfDrawing())
    downloadBlob(`packet.${type}`, type === 'svg' ? svgBlob(exported) : await toPng(exported))
  }

  /** Saves the steps of the lesson as one picture. The style sheet applies only to elements of the page. */
  function saveSteps(): void {
    const strip = drawStrip(lesson.steps())
    panel.append(strip)
    const exported = toSvgDocument(strip, titleOfDrawing())
    strip.remove()
    downloadBlob('steps.svg', svgBlob(exported))
  }

  /** The packet and its outcome. */
  function titleOfDrawing(): string {
    const outcome = answer?.paths[chosen]?.outcome ?? ''
    return `${question.get().packet} → ${outcome}`
  }

  function show(next: PacketResult, path: number): void {
    answer = next
    chosen = path
    draw()
  }

  return { panel, show, play: playLesson }
}

function svgBlob({ text }: ExportedDrawing): Blob {
  return new Blob([text], { type: 'image/svg+xml' })
}
