import type { Origin } from '@kube-rules/types'
import { download } from '../dom/download.js'
import { element, withHue } from '../dom/element.js'
import { createMenu } from '../dom/menu.js'
import { createTabs } from '../dom/tabs.js'
import { callWhenChanged } from '../dom/when-changed.js'
import { drawGraph } from '../drawing/draw-graph.js'
import { animatePath, createPlaceholder, drawPath } from '../drawing/draw-path.js'
import { toPng, toSvgDocument } from '../drawing/export-drawing.js'
import { fitWidth, roomOf } from '../drawing/fit-width.js'
import { formatPercent, graphOf } from '../drawing/graph.js'
import { stagesOf } from '../drawing/stages.js'
import type { FormattedPath, PacketResult, RulesResult } from '../engine/results.js'
import { parsePacketText, withOrigin } from '../question/packet-text.js'
import { findServicePortNumber, hueOf, type PageContext } from './page-context.js'
import { createViewSection } from './view-section.js'

export interface PacketPane {
  readonly pane: HTMLElement
  readonly bar: HTMLElement
  know(answer: RulesResult): void
  show(answer: PacketResult): void
  load(): void
  focus(): void
  /** Animates the packet once its path is drawn. */
  play(): void
}

const ORIGINS: readonly Origin[] = ['pod', 'node', 'outside']

/** Maximum number of paths in the list. */
const MOST_PATHS = 24

/** Creates the pane for the result of a packet: one sentence, weighted paths, a tree and a drawing. */
export function createPacketPane(context: PageContext): PacketPane {
  const { question, attention, ports } = context
  const suggestions = element('datalist', { id: 'packets' })
  const box = element('input', {
    type: 'text',
    id: 'packet',
    list: 'packets',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'from pod → 10.96.0.10:53/udp',
    oninput: () => question.set({ packet: box.value }),
  })
  const origins = ORIGINS.map((origin) =>
    element(
      'button',
      {
        type: 'button',
        class: 'small',
        value: origin,
        'aria-pressed': 'false',
        onclick: () => ask(withOrigin(box.value, origin)),
      },
      `from ${origin}`,
    ),
  )
  const through = element(
    'button',
    {
      type: 'button',
      class: 'small',
      'aria-pressed': 'false',
      onclick: () => question.set({ through: question.get().through === 'dump' ? 'rules' : 'dump' }),
    },
    'through the dump',
  )
  const established = element(
    'button',
    {
      type: 'button',
      class: 'small',
      title: 'A packet of an existing connection',
      onclick: () => question.set({ established: !question.get().established }),
    },
    'of an existing flow',
  )
  const sentence = element('p', { class: 'sentence', role: 'status', 'aria-live': 'polite' })
  const paths = element('ol', { class: 'paths' })
  const explanation = element('div', { class: 'explanation' })
  const pathDrawing = element('div', {
    class: 'drawing',
    tabindex: 0,
    role: 'region',
    'aria-label': 'The packet’s path',
  })
  const graphDrawing = element('div', {
    class: 'drawing',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Chains on the path',
  })
  const play = element('button', { type: 'button', class: 'small', onclick: () => playDrawing() }, '▸ Play')
  /** The outcome of the drawn path, which stays visible while the drawing scrolls. */
  const ending = element('span', { class: 'ending' })
  const saveSvg = element('button', { type: 'button', class: 'small', title: 'Save the drawing' }, 'SVG')
  const savePng = element('button', { type: 'button', class: 'small', title: 'Save the drawing' }, 'PNG')
  saveSvg.addEventListener('click', () => void saveDrawing('svg'))
  savePng.addEventListener('click', () => void saveDrawing('png'))
  const pathPanel = element('div', { class: 'panel' }, pathDrawing)
  const graphPanel = element('div', { class: 'panel' }, graphDrawing)
  const tabs = createTabs(
    'Drawings',
    [
      { id: 'path', label: 'Path', panel: pathPanel },
      { id: 'graph', label: 'Graph', panel: graphPanel },
    ],
    () => draw(),
  )
  const bar = element(
    'form',
    { class: 'bar', onsubmit: (event: Event) => event.preventDefault() },
    element('label', { for: 'packet' }, 'Packet'),
    box,
    suggestions,
    element('span', { class: 'segmented', role: 'group', 'aria-label': 'Where it comes from' }, ...origins),
    established,
    through,
    element('span', { class: 'grow' }),
  )
  const pane = element(
    'section',
    { class: 'pane packet', 'aria-label': 'Packet' },
    bar,
    element(
      'div',
      { class: 'split' },
      element(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Where the packet goes' },
        sentence,
        paths,
        explanation,
      ),
      element(
        'div',
        { class: 'drawings' },
        element(
          'div',
          { class: 'bar sub' },
          tabs.list,
          ending,
          element('span', { class: 'grow' }),
          createMenu('Save the drawing', saveSvg, savePng),
          play,
        ),
        pathPanel,
        graphPanel,
      ),
    ),
  )

  let answer: PacketResult | undefined
  let chosen = 0
  let lastPort = ''
  let shouldPlay = false
  /** The size of the pane that the path is laid out for. */
  let drawnFor = ''
  new ResizeObserver(() => {
    if (pathDrawing.offsetParent !== null && drawnFor !== JSON.stringify(roomOf(pathDrawing))) draw()
  }).observe(pathDrawing)

  function ask(packet: string): void {
    box.value = packet
    question.set({ packet })
  }

  const suggest = callWhenChanged((packets: readonly string[]) =>
    suggestions.replaceChildren(...packets.map((value) => element('option', { value }))),
  )

  function chooseRule(text: string): void {
    attention.set({ rules: [text], looked: [] })
  }

  function draw(): void {
    const packet = answer?.packet
    const path = answer?.paths[chosen]
    const hue = (servicePort: string) => hueOf(servicePort, ports.get())
    const isDrawn = packet !== undefined && path !== undefined
    for (const each of [saveSvg, savePng]) each.hidden = !isDrawn
    // The graph has the outcomes of all paths.
    ending.hidden = !isDrawn || pathPanel.hidden
    ending.className = `ending ${path?.kind ?? ''}`
    ending.textContent = path === undefined ? '' : `→ ${path.outcome}`
    play.hidden = packet === undefined || matchMedia('(prefers-reduced-motion: reduce)').matches
    for (const [index, item] of [...paths.querySelectorAll('button')].entries())
      item.setAttribute('aria-pressed', String(index === chosen))
    if (answer === undefined || packet === undefined || path === undefined) {
      pathDrawing.replaceChildren(createPlaceholder('The path of the packet will be drawn here, hook by hook.'))
      graphDrawing.replaceChildren(createPlaceholder('The chains on the path will be drawn here.'))
      return
    }
    const options = { hueOf: hue, onChoose: chooseRule }
    const { outcome, kind } = path
    const room = roomOf(pathDrawing)
    drawnFor = JSON.stringify(room)
    pathDrawing.replaceChildren(drawPath(stagesOf(packet, path, answer.paths), { ...options, outcome, kind, room }))
    const graph = graphOf(answer.paths)
    const left = graph.left + answer.morePaths
    graphDrawing.replaceChildren(
      fitWidth(drawGraph(graph, options)),
      ...(left === 0 ? [] : [element('p', { class: 'note' }, `${left} more paths are not drawn.`)]),
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
    download(`packet.${type}`, content)
  }

  function pathItem(path: FormattedPath, index: number): HTMLElement {
    const choose = () => {
      chosen = index
      draw()
    }
    const bar = element('span', { class: 'weight-bar', 'aria-hidden': 'true' })
    bar.style.setProperty('--share', String(path.probability))
    return element(
      'li',
      {},
      withHue(
        element(
          'button',
          {
            type: 'button',
            class: `path-item ${path.kind}`,
            'aria-pressed': String(index === chosen),
            onclick: choose,
          },
          element('span', { class: 'share' }, path.weight),
          bar,
          element('span', { class: 'outcome' }, path.outcome),
          element('span', { class: 'percent' }, formatPercent(path.probability)),
          ...(path.conditions.length === 0 ? [] : [element('span', { class: 'given' }, path.conditions.join(', '))]),
        ),
        hueOf(answer?.servicePort, ports.get()),
      ),
    )
  }

  function show(next: PacketResult): void {
    answer = next
    chosen = 0
    const { problem, sentence: words, paths: all, morePaths, diagnoses, view } = next
    const asked = question.get()
    sentence.className = problem === '' ? 'sentence' : 'sentence problem'
    sentence.textContent =
      problem !== ''
        ? problem
        : words !== ''
          ? words
          : 'Where does a packet go? Write one above, or choose a suggestion.'
    const listed = all.slice(0, MOST_PATHS)
    const more = all.length - listed.length + morePaths
    paths.replaceChildren(
      ...listed.map(pathItem),
      ...(more === 0 ? [] : [element('li', { class: 'note' }, `… and ${more} more`)]),
    )
    explanation.replaceChildren(
      ...createViewSection('Diagnoses', diagnoses, context),
      ...createViewSection('Rule by rule', view, context, { text: next.text }),
    )
    // Shows the rules of the requested service port.
    const port = findServicePortNumber(next.servicePort, ports.get())
    if (port !== undefined && next.servicePort !== lastPort) attention.set({ chosen: [port], looked: [], rules: [] })
    lastPort = next.servicePort
    const read = parsePacketText(asked.packet, asked.namespace || undefined)
    established.setAttribute('aria-pressed', String(asked.established))
    for (const button of origins)
      button.setAttribute('aria-pressed', String(read.ok && read.value.from === button.value))
    through.hidden = asked.dump.trim() === ''
    through.setAttribute('aria-pressed', String(asked.through === 'dump'))
    draw()
    if (shouldPlay && next.packet !== undefined) {
      shouldPlay = false
      playDrawing()
    }
  }

  return {
    pane,
    bar,
    know: ({ packets }) => suggest(packets),
    show,
    load: () => {
      const { packet } = question.get()
      if (box.value !== packet) box.value = packet
    },
    focus: () => box.select(),
    play: () => {
      shouldPlay = true
      // If a new request is being computed, its path is animated instead, once it is known.
      if (answer !== undefined && document.body.dataset.state === 'answered') show(answer)
    },
  }
}
