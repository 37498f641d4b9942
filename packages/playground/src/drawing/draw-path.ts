import { element, svg, withHue } from '../dom/element.js'
import { MASQUERADED_SOURCE, type Stage, type StageStep } from './stages.js'

export interface DrawPathOptions {
  readonly hueOf: (servicePort: string) => number | undefined
  readonly onChoose: (rule: string) => void
  /** The outcome of the path, as text. */
  readonly outcome: string
  readonly kind: string
}

const CARD = 276
const GAP = 168
const ROW = 24
const HEAD = 40
const TOP = 24
/** The number of characters that fit into a row, at 7 units per character. */
const CHARACTERS = 35

/** Draws a path as a row of hook handlers, with the packet addresses between them. */
export function drawPath(stages: readonly Stage[], options: DrawPathOptions): SVGSVGElement {
  const tallest = Math.max(1, ...stages.map(({ steps }) => steps.length))
  const height = TOP + HEAD + tallest * ROW + 24
  const width = GAP + stages.length * (CARD + GAP) + 20
  const y = TOP + 20
  const first = stages[0]
  const last = stages.at(-1)
  const drawing = svg('svg', {
    class: 'path-drawing',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'group',
    'aria-label': `The packet’s path: ${stages.map(({ name }) => name).join(', ')}, then ${options.outcome}`,
  })
  drawing.append(
    svg('path', { class: 'track', d: `M 8 ${y} H ${width - 8}` }),
    ...(first === undefined ? [] : [addresses(0, first.source, first.destination, false, false)]),
    ...stages.map((stage, index) => card(stage, GAP + index * (CARD + GAP), options)),
    ...stages.flatMap((stage, index) => {
      const next = stages[index + 1]
      const x = GAP + index * (CARD + GAP) + CARD
      if (next === undefined) return []
      return [addresses(x, next.source, next.destination, stage.changesSource, stage.changesDestination)]
    }),
    ...(last === undefined ? [] : [end(width - GAP - 20, last, options)]),
    svg('circle', { class: 'token', cx: 14, cy: y, r: 7 }),
  )
  return drawing
}

/** Animates the packet from hook handler to hook handler, unless the user prefers reduced motion. */
export function animatePath(drawing: SVGSVGElement): void {
  const token = drawing.querySelector<SVGElement>('.token')
  if (token === null || matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const { width } = drawing.viewBox.baseVal
  const stops = drawing.querySelectorAll('.station').length
  const frames = Array.from({ length: stops + 2 }, (_, stop) => {
    const x = stop === 0 ? 0 : stop > stops ? width - 40 : GAP + (stop - 1) * (CARD + GAP) + CARD / 2
    return { transform: `translateX(${x}px)`, easing: 'ease-in-out' }
  })
  token.animate(frames, { duration: 900 * (stops + 1), fill: 'none' })
  drawing.closest('.drawing')?.scrollTo({ left: 0 })
}

function addresses(
  x: number,
  source: string,
  destination: string,
  newSource: boolean,
  newDestination: boolean,
): SVGElement {
  const middle = x + GAP / 2
  const group = svg('g', { class: 'addresses', 'text-anchor': 'middle' })
  group.append(
    svg(
      'text',
      { x: middle, y: TOP + 8, class: newSource ? 'changed' : '' },
      `from ${source === MASQUERADED_SOURCE ? 'the node’s address' : source}`,
    ),
    svg('text', { x: middle, y: TOP + 42, class: newDestination ? 'changed' : '' }, `to ${destination}`),
  )
  return group
}

function end(
  x: number,
  { source, destination, changesSource, changesDestination }: Stage,
  { outcome, kind }: DrawPathOptions,
): SVGElement {
  const isDelivered = kind === 'delivered' || kind === 'unmatched'
  const [endpoint = ''] = outcome.split(',')
  const group = svg('g', { class: `end ${kind}`, 'text-anchor': 'middle' })
  const from = changesSource || source === MASQUERADED_SOURCE ? 'the node’s address' : source
  group.append(
    svg(
      'text',
      { x: x + GAP / 2 + 12, y: TOP + 8, class: changesSource ? 'changed' : '' },
      isDelivered ? `from ${from}` : outcome,
    ),
    svg(
      'text',
      { x: x + GAP / 2 + 12, y: TOP + 42, class: changesDestination ? 'changed' : '' },
      isDelivered && kind === 'delivered' ? `to ${endpoint}` : isDelivered ? `to ${destination}` : '',
    ),
  )
  return group
}

function card({ name, steps }: Stage, x: number, options: DrawPathOptions): SVGElement {
  const group = svg('g', { class: 'station' })
  group.append(
    svg('rect', { x, y: TOP, width: CARD, height: HEAD + steps.length * ROW + 8, rx: 6 }),
    svg('text', { x: x + 12, y: TOP + 25, class: 'hook' }, name),
    ...steps.map((step, index) => row(step, x, TOP + HEAD + index * ROW, options)),
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
