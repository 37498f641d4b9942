import { createElement, createSvgElement, setHue } from '../dom/create-element.js'
import { type AvailableSize, CHARACTER_WIDTH, setDrawingSize, truncate } from './fit-width.js'
import {
  ADDRESS_HEIGHT,
  ADDRESS_INSET,
  type CardPosition,
  formatSource,
  GAP,
  HEADER_HEIGHT,
  heightOfSteps,
  layOutPath,
  listAddresses,
  type PathLayout,
  ROW_HEIGHT,
  TEXT_INSET,
  textOfStep,
} from './path-layout.js'
import { MASQUERADED_SOURCE, type PathStage, type PathStageStep } from './path-stages.js'

export interface DrawPathOptions {
  readonly hueOf: (servicePort: string) => number | undefined
  readonly onChoose: (rule: string) => void
  /** The outcome of the path, as text. */
  readonly outcome: string
  readonly kind: string
  /** The other branches of a random choice, as text. */
  readonly otherBranches: readonly string[]
  /** The size of the pane. */
  readonly room: AvailableSize
}

/** Creates an empty drawing for `drawPath`. */
export function createPathDrawing(): SVGSVGElement {
  return createSvgElement('svg', { class: 'path-drawing', role: 'group' })
}

/**
 * Draws a path as a sequence of hook handlers, with the addresses of the packet where they change. Replaces the content
 * of the drawing, because browsers keep each removed SVG root in memory.
 */
export function drawPath(drawing: SVGSVGElement, stages: readonly PathStage[], options: DrawPathOptions): void {
  const last = stages.at(-1)
  const endLines = last === undefined ? [] : listEndLines(last, options)
  const layout = layOutPath(
    stages,
    options.room,
    endLines.map(({ text }) => text),
  )
  const { places } = layout
  const stops = places.map((place) => stopOf(place, layout))
  const [start = { x: 0, y: 0 }] = stops
  const names = stages.map(({ name }) => name).join(', ')
  drawing.setAttribute('aria-label', `The packet’s path: ${names}, then ${options.outcome}`)
  setDrawingSize(drawing, layout, options.room)
  drawing.replaceChildren(
    createSvgElement('path', { class: 'track', d: trackOf(stops, layout) }),
    ...layout.stages.flatMap((stage, index) => {
      const place = places[index] as CardPosition
      const first = layout.stages.slice(0, index).reduce((sum, { steps }) => sum + steps.length, 0)
      return [
        drawAddresses(place, stage, layout.stages[index - 1], layout),
        drawCard(stage, { ...place, first }, options),
      ]
    }),
    ...places.slice(-1).map((place) => drawLines(place, endLines, `end ${options.kind}`, layout)),
    ...stops.map(({ x, y }) => createSvgElement('circle', { class: 'stop', cx: x, cy: y, r: 2 })),
    createSvgElement('circle', { class: 'token', cx: start.x, cy: start.y, r: 6 }),
  )
}

interface Point {
  readonly x: number
  readonly y: number
}

/**
 * Returns the point of a hook handler on the track (the line of the packet): beside its addresses, or in the gap above
 * its card.
 */
function stopOf({ x, y, above }: CardPosition, { columns }: PathLayout): Point {
  const gap = columns === 1 ? -3 : HEADER_HEIGHT / 2
  return { x: x + 7, y: above === 0 ? y + gap : y + above / 2 - 2 }
}

/** Returns the track as SVG path: a line through each row of cards, or down one column. */
function trackOf(stops: readonly Point[], { columns, width }: PathLayout): string {
  const [first = { x: 0, y: 0 }] = stops
  if (columns === 1) return `M ${first.x} ${first.y} V ${stops.at(-1)?.y}`
  return [...new Set(stops.map(({ y }) => y))].map((y) => `M ${first.x} ${y} H ${width - first.x}`).join(' ')
}

/**
 * Moves the packet to the rule with an index on the path: -1 is before the first rule, and an index after the last rule is
 * the end. Highlights the rule, or its card if the card hides the rule. Without an index, resets the drawing.
 */
export function showPathStep(drawing: SVGSVGElement, index: number | undefined): void {
  for (const lit of drawing.querySelectorAll('.now')) lit.classList.remove('now')
  const row = drawing.querySelector(`[data-step="${index}"]`)
  const card = [...drawing.querySelectorAll<SVGElement>('.station')].find(
    ({ dataset }) => index !== undefined && Number(dataset.from) <= index && index <= Number(dataset.to),
  )
  const now = row ?? card
  now?.classList.add('now')
  const token = drawing.querySelector<SVGCircleElement>('.token')
  const stops = drawing.querySelectorAll<SVGCircleElement>('.stop')
  const stop = stops[index === undefined || index < 0 ? 0 : stops.length - 1]
  if (token === null || stop === undefined) return
  const box = now?.querySelector('rect')
  const [x, y] = box
    ? [Math.max(7, box.x.baseVal.value - 1), box.y.baseVal.value + 8]
    : [stop.cx.baseVal.value, stop.cy.baseVal.value]
  token.style.transform = `translate(${x - token.cx.baseVal.value}px, ${y - token.cy.baseVal.value}px)`
}

/** Writes the addresses above a card. */
function drawAddresses(
  place: CardPosition,
  stage: PathStage,
  previous: PathStage | undefined,
  layout: PathLayout,
): SVGElement {
  const kind = previous === undefined ? '' : 'changed'
  const lines = listAddresses(stage, previous).map((text) => ({ text, kind }))
  return drawLines(place, lines, 'addresses', layout)
}

interface DrawnLine {
  readonly text: string
  readonly kind: string
}

function drawLines(
  { x, y, width: cardWidth, above }: CardPosition,
  lines: readonly DrawnLine[],
  kind: string,
  { width }: PathLayout,
): SVGElement {
  const top = y + (above - lines.length * ADDRESS_HEIGHT) / 2 - 2
  // A line ends before the addresses of the next card, or at the border of the drawing.
  const room = Math.floor((Math.min(cardWidth + GAP - 4, width - x) - ADDRESS_INSET) / CHARACTER_WIDTH)
  return createSvgElement(
    'g',
    { class: kind },
    ...lines.map(({ text, kind: changed }, index) =>
      createSvgElement(
        'text',
        { x: x + ADDRESS_INSET, y: top + index * ADDRESS_HEIGHT + 11, class: changed },
        truncate(text, room),
        createSvgElement('title', {}, text),
      ),
    ),
  )
}

/** Returns the lines of the outgoing packet: its addresses or its outcome, then the other branches. */
function listEndLines(
  { source, destination, changesSource, changesDestination }: PathStage,
  { outcome, kind, otherBranches }: DrawPathOptions,
): readonly DrawnLine[] {
  const isDelivered = kind === 'delivered' || kind === 'unmatched'
  const [endpoint = ''] = outcome.split(',')
  const from = formatSource(changesSource ? MASQUERADED_SOURCE : source)
  const to = `to ${kind === 'delivered' ? endpoint : destination}`
  const lines = isDelivered
    ? [
        { text: `from ${from}`, kind: changesSource ? 'changed' : '' },
        { text: to, kind: changesDestination ? 'changed' : '' },
      ]
    : [{ text: outcome, kind: '' }]
  return [...lines, ...otherBranches.map((text) => ({ text, kind: 'other' }))]
}

/** The width of a character of a heading, which is bold, and of the number beside it. */
const [HEADING_CHARACTER_WIDTH, COUNT_CHARACTER_WIDTH] = [8.2, 6.5]

function drawCard(
  stage: PathStage,
  place: CardPosition & { readonly first: number },
  options: DrawPathOptions,
): SVGElement {
  const { name, steps } = stage
  const cardWidth = place.width
  const hidden = steps.filter((step) => !place.steps.includes(step))
  const roomBeside = (count: string) =>
    count === ''
      ? Math.floor((cardWidth - TEXT_INSET) / CHARACTER_WIDTH)
      : Math.floor((cardWidth - TEXT_INSET - count.length * COUNT_CHARACTER_WIDTH) / HEADING_CHARACTER_WIDTH)
  const count = hidden.length === 0 ? '' : `+${hidden.length}`
  const inWords = `${count}${hidden.length === 1 ? ' rule' : ' rules'}`
  const more = count !== '' && name.length <= roomBeside(inWords) ? inWords : count
  const [x, y] = [place.x, place.y + place.above]
  return createSvgElement(
    'g',
    { class: 'station', 'data-from': place.first, 'data-to': place.first + steps.length - 1 },
    createSvgElement('rect', { x, y, width: cardWidth, height: heightOfSteps(place.steps.length), rx: 6 }),
    createSvgElement('text', { x: x + 12, y: y + 16, class: 'hook' }, shortenHeading(name, roomBeside(more))),
    ...(more === ''
      ? []
      : [
          createSvgElement(
            'text',
            { x: x + cardWidth - 10, y: y + 16, class: 'more', 'text-anchor': 'end' },
            more,
            createSvgElement('title', {}, hidden.map(({ text }) => text).join('\n')),
          ),
        ]),
    ...place.steps.map((step, index) => {
      const drawn = drawStep(step, x, y + HEADER_HEIGHT + index * ROW_HEIGHT, cardWidth, options)
      drawn.dataset.step = String(place.first + steps.indexOf(step))
      return drawn
    }),
  )
}

/** Omits the tables of a heading that is too long: `PREROUTING, INPUT`. */
function shortenHeading(name: string, room: number): string {
  if (name.length <= room) return name
  const hooks = name.split(', ').map((part) => part.split(' ')[0])
  return truncate(hooks.join(', '), room)
}

function drawStep(
  step: PathStageStep,
  x: number,
  y: number,
  width: number,
  { hueOf, onChoose }: DrawPathOptions,
): SVGElement {
  const choose = () => onChoose(step.text)
  const room = Math.floor((width - TEXT_INSET) / CHARACTER_WIDTH) - (step.share === '' ? 0 : step.share.length + 1)
  const words = truncate(textOfStep(step), room)
  const hue = hueOf(step.owner)
  // The accessible name starts with the visible text.
  const name = [words, step.share].filter((word) => word !== '').join(' ')
  const group = setHue(
    createSvgElement('g', {
      class: 'step',
      role: 'button',
      tabindex: 0,
      'aria-label': `${name}${step.chain === '' ? '' : `, in ${step.chain}`}. Show the rule`,
      onclick: choose,
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault()
          choose()
        }
      },
    }),
    hue,
  )
  group.append(
    createSvgElement('title', {}, step.text),
    createSvgElement('rect', { x: x + 5, y, width: width - 10, height: ROW_HEIGHT - 2, rx: 3 }),
    ...(hue === undefined
      ? []
      : [createSvgElement('rect', { class: 'stripe', x: x + 5, y, width: 4, height: ROW_HEIGHT - 2 })]),
    createSvgElement('text', { x: x + 14, y: y + 12 }, words),
    ...(step.share === ''
      ? []
      : [
          createSvgElement(
            'text',
            { x: x + width - 10, y: y + 12, class: 'share', 'text-anchor': 'end' },
            ` ${step.share}`,
          ),
        ]),
  )
  return group
}

/** Creates a placeholder for an empty drawing. */
export function createPlaceholder(text: string): HTMLElement {
  return createElement('p', { class: 'empty' }, text)
}
