import { element, svg, withHue } from '../dom/element.js'
import {
  ABOVE,
  CARD,
  GAP,
  HEADER_HEIGHT,
  heightOf,
  layOutPath,
  type Place,
  ROW,
  type Room,
  scaleOf,
} from './path-layout.js'
import { MASQUERADED_SOURCE, type Stage, type StageStep } from './stages.js'

export interface DrawPathOptions {
  readonly hueOf: (servicePort: string) => number | undefined
  readonly onChoose: (rule: string) => void
  /** The outcome of the path, as text. */
  readonly outcome: string
  readonly kind: string
  /** The size of the pane. */
  readonly room: Room
}

/** The number of characters that fit into a row, at 7 units per character. */
const CHARACTERS = 35

/** Draws a path as a sequence of hook handlers, with the addresses of the packet above each. */
export function drawPath(stages: readonly Stage[], options: DrawPathOptions): SVGSVGElement {
  const layout = layOutPath(stages, options.room)
  const { width, height, places } = layout
  const scale = scaleOf(layout, options.room)
  const [start = { x: 0, y: 0 }] = places
  const drawing = svg('svg', {
    class: 'path-drawing',
    viewBox: `0 0 ${width} ${height}`,
    width: width * scale,
    height: height * scale,
    role: 'group',
    'aria-label': `The packet’s path: ${stages.map(({ name }) => name).join(', ')}, then ${options.outcome}`,
  })
  const rows = [...new Set(places.map(({ y }) => y))]
  drawing.append(
    ...rows.map((y) => svg('path', { class: 'track', d: `M ${start.x} ${y + TRACK} H ${width - start.x}` })),
    ...stages.flatMap((stage, index) => {
      const place = places[index] ?? start
      return [addresses(place, stage, stages[index - 1]), card(stage, place.x, place.y + ABOVE, options)]
    }),
    ...stages.slice(-1).map((last) => end(places.at(-1) ?? start, last, options)),
    ...places.map(({ x, y }) => svg('circle', { class: 'stop', cx: x + 7, cy: y + TRACK, r: 2 })),
    svg('circle', { class: 'token', cx: start.x + 7, cy: start.y + TRACK, r: 7 }),
  )
  return drawing
}

/** The distance of the track from the top of its row. */
const TRACK = 22

/** Animates the packet from hook handler to hook handler, unless the user prefers reduced motion. */
export function animatePath(drawing: SVGSVGElement): void {
  const token = drawing.querySelector<SVGCircleElement>('.token')
  if (token === null || matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const [x, y] = [token.cx.baseVal.value, token.cy.baseVal.value]
  const frames = [...drawing.querySelectorAll<SVGCircleElement>('.stop')].map(({ cx, cy }) => ({
    transform: `translate(${cx.baseVal.value - x}px, ${cy.baseVal.value - y}px)`,
    easing: 'ease-in-out',
  }))
  token.animate(frames, { duration: 900 * frames.length, fill: 'none' })
  drawing.closest('.drawing')?.scrollTo({ left: 0, top: 0 })
}

/** Writes the addresses of the packet above a card; those that the previous one changes are marked. */
function addresses({ x, y }: Place, { source, destination }: Stage, previous: Stage | undefined): SVGElement {
  const group = svg('g', { class: 'addresses' })
  group.append(
    addressText(x, y + 12, `from ${formatSource(source)}`, previous?.changesSource),
    addressText(x, y + 38, `to ${destination}`, previous?.changesDestination),
  )
  return group
}

function addressText(x: number, y: number, text: string, isChanged = false): SVGElement {
  return svg('text', { x: x + GAP, y, class: isChanged ? 'changed' : '' }, text)
}

function formatSource(source: string): string {
  return source === MASQUERADED_SOURCE ? 'the node’s address' : source
}

function end(
  { x, y }: Place,
  { source, destination, changesSource, changesDestination }: Stage,
  { outcome, kind }: DrawPathOptions,
): SVGElement {
  const isDelivered = kind === 'delivered' || kind === 'unmatched'
  const [endpoint = ''] = outcome.split(',')
  const group = svg('g', { class: `end ${kind}` })
  const from = formatSource(changesSource ? MASQUERADED_SOURCE : source)
  const to = `to ${kind === 'delivered' ? endpoint : destination}`
  group.append(
    addressText(x, y + 12, isDelivered ? `from ${from}` : outcome, changesSource),
    addressText(x, y + 38, isDelivered ? to : '', changesDestination),
  )
  return group
}

function card(stage: Stage, x: number, y: number, options: DrawPathOptions): SVGElement {
  const { name, steps } = stage
  const group = svg('g', { class: 'station' })
  group.append(
    svg('rect', { x, y, width: CARD, height: heightOf(stage), rx: 6 }),
    svg('text', { x: x + 12, y: y + 25, class: 'hook' }, name),
    ...steps.map((step, index) => row(step, x, y + HEADER_HEIGHT + index * ROW, options)),
  )
  return group
}

function row(step: StageStep, x: number, y: number, { hueOf, onChoose }: DrawPathOptions): SVGElement {
  const words = step.verdict === '' ? step.text : step.verdict
  const choose = () => onChoose(step.text)
  const room = step.share === '' ? CHARACTERS : CHARACTERS - step.share.length - 2
  const hue = hueOf(step.owner)
  // The accessible name starts with the visible text.
  const name = [truncate(words, room), step.share].filter((word) => word !== '').join(' ')
  const group = withHue(
    svg('g', {
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
    svg('title', {}, step.text),
    svg('rect', { x: x + 6, y, width: CARD - 12, height: ROW - 3, rx: 4 }),
    ...(hue === undefined ? [] : [svg('rect', { class: 'stripe', x: x + 6, y, width: 4, height: ROW - 3 })]),
    svg('text', { x: x + 16, y: y + 15 }, truncate(words, room)),
    ...(step.share === ''
      ? []
      : [svg('text', { x: x + CARD - 12, y: y + 15, class: 'share', 'text-anchor': 'end' }, ` ${step.share}`)]),
  )
  return group
}

/** Truncates text to fit; the title has the complete text. */
export function truncate(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`
}

/** Creates a placeholder for an empty drawing. */
export function createPlaceholder(text: string): HTMLElement {
  return element('p', { class: 'empty' }, text)
}
