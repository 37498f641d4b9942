import { createElement, setHue } from '../dom/create-element.js'
import { highlightTreeRules } from '../dom/tree.js'
import { formatPercent } from '../drawing/path-graph.js'
import type { FormattedPath, PacketResult } from '../engine/results.js'
import { createNodeChoice } from './node-choice.js'
import { createFacts, createSides } from './packet-answer.js'
import { createPacketBox } from './packet-box.js'
import { createPacketDrawings } from './packet-drawings.js'
import { findServicePortNumber, hueOf, type NumberedServicePorts, type PageContext } from './page-context.js'
import type { EditablePane, PaneWithBar } from './pane.js'
import { createTraceButton } from './trace-button.js'
import { createViewSection } from './view-section.js'

export interface PacketPane extends EditablePane, PaneWithBar {
  /** Animates the packet once its path is drawn. */
  play(): void
}

/** Maximum number of paths in the list. */
const MOST_PATHS = 24
/** Maximum number of suggested packets below the packet box, which suggests all of them. */
const MOST_SUGGESTIONS = 8

/** Creates the pane for the result of a packet: one sentence, weighted paths, a tree and a drawing. */
export function createPacketPane(context: PageContext): PacketPane {
  const { attention, ports } = context
  const box = createPacketBox(context)
  const node = createNodeChoice(context)
  const drawings = createPacketDrawings(context)
  const sentence = createElement('p', { class: 'sentence', role: 'status', 'aria-live': 'polite' })
  const suggestions = createElement('ul', { class: 'packets' })
  /** The diagnoses and the unknown facts, above the paths. */
  const headline = createElement('div', { class: 'headline' })
  const paths = createElement('ol', { class: 'paths' })
  const explanation = createElement('div', { class: 'explanation' })
  const panel = createElement(
    'section',
    { class: 'pane packet', 'aria-label': 'Packet' },
    box.panel,
    node.panel,
    createElement(
      'div',
      { class: 'split' },
      createElement(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Where the packet goes' },
        sentence,
        suggestions,
        headline,
        paths,
        explanation,
      ),
      drawings.panel,
    ),
  )

  attention.subscribe(({ rules }, before) => {
    if (rules !== before.rules) highlightTreeRules(explanation, rules)
  })

  let answer: PacketResult | undefined
  let chosen = 0
  let suggested: readonly string[] = []
  let services = 0
  let lastPort = ''
  let shouldPlay = false
  let isInvalid = false
  let shownPorts: NumberedServicePorts | undefined
  function draw(): void {
    for (const [index, item] of [...paths.querySelectorAll('button')].entries())
      item.setAttribute('aria-pressed', String(index === chosen))
    if (answer !== undefined) drawings.show(answer, chosen)
  }

  function pathItem(path: FormattedPath, index: number): HTMLElement {
    const button = createPathButton(path, () => {
      chosen = index
      draw()
    })
    return createElement('li', {}, setHue(button, hueOf(answer?.servicePort, ports.get())))
  }

  function show(next: PacketResult): void {
    // While the objects are invalid, the last result remains visible in grey. The error is at its line of the objects.
    const isStale = isInvalid && next.problem !== '' && answer !== undefined && answer.sentence !== ''
    panel.classList.toggle('stale', isStale)
    if (isStale) return
    if (!isShown(next)) fill(next)
    box.show()
    if (shouldPlay && next.packet !== undefined) {
      shouldPlay = false
      drawings.play()
    }
  }

  /** Reports whether a result differs at most in line numbers from the shown result, so that nothing has to be drawn. */
  function isShown(next: PacketResult): boolean {
    const { lines, ...shown } = next
    const names = Object.keys(shown) as (keyof typeof shown)[]
    return shownPorts === ports.get() && names.every((name) => next[name] === answer?.[name])
  }

  /** Shows packets to trace while the packet box is empty. */
  function showSuggestions(): void {
    const isEmpty = answer?.problem === '' && answer.sentence === ''
    const listed = isEmpty ? suggested.slice(0, MOST_SUGGESTIONS) : []
    const items = listed.map((packet) => createElement('li', {}, createTraceButton(packet, packet, context)))
    const hint = `For any of the ${services} Services, write a part of its name above`
    suggestions.replaceChildren(
      ...items,
      ...(suggested.length > items.length && items.length > 0 ? [createElement('li', { class: 'hint' }, hint)] : []),
    )
  }

  function fill(next: PacketResult): void {
    answer = next
    shownPorts = ports.get()
    chosen = 0
    const { problem, sentence: words, paths: all, morePaths, diagnoses, view } = next
    sentence.className = problem === '' ? 'sentence' : 'sentence problem'
    sentence.textContent = problem || words || 'Where does a packet go? Write one above, or choose a suggestion.'
    showSuggestions()
    const listed = all.slice(0, MOST_PATHS)
    const more = all.length - listed.length + morePaths
    paths.replaceChildren(
      ...listed.map(pathItem),
      ...(more === 0 ? [] : [createElement('li', { class: 'note' }, `… and ${more} more`)]),
    )
    headline.replaceChildren(
      ...createSides(next.sides, context),
      ...createViewSection('Diagnoses', diagnoses, context),
      ...createFacts(next.facts, context),
    )
    explanation.replaceChildren(...createViewSection('Rule by rule', view, context, { text: next.text }))
    // Selects the service port of the packet, which shows its rules.
    const port = findServicePortNumber(next.servicePort, ports.get())
    if (port !== undefined && next.servicePort !== lastPort) attention.set({ chosen: [port], looked: [], rules: [] })
    lastPort = next.servicePort
    draw()
  }

  return {
    panel,
    bar: box.panel,
    update: {
      rules: (rules) => {
        isInvalid = rules.failure !== '' && context.question.get().objects.trim() !== ''
        node.update(rules)
        suggested = rules.packets
        services = rules.services
        box.suggest(rules)
        showSuggestions()
      },
      packet: show,
    },
    load: box.load,
    focus: box.focus,
    play: () => {
      shouldPlay = true
      // If a new request is being computed, the path of the new request is animated instead, as soon as it is
      // available.
      if (answer !== undefined && document.body.dataset.state === 'answered') show(answer)
    },
  }
}

function createPathButton(path: FormattedPath, onclick: () => void): HTMLElement {
  const { kind, weight, outcome, probability, conditions } = path
  // Paths with conditions are alternatives: their shares are not probabilities of the packet.
  const isUncertain = conditions.length > 0
  const bar = createElement('span', { class: 'weight-bar', 'aria-hidden': 'true' })
  bar.style.setProperty('--share', String(probability))
  const part = (name: string, text: string) => createElement('span', { class: name }, text)
  return createElement(
    'button',
    { type: 'button', class: `path-item ${kind}${isUncertain ? ' uncertain' : ''}`, onclick },
    ...(isUncertain
      ? [part('outcome', weight === '1' ? outcome : `${weight} ${outcome}`), part('given', conditions.join(', '))]
      : [part('share', weight), bar, part('outcome', outcome), part('percent', formatPercent(probability))]),
  )
}
