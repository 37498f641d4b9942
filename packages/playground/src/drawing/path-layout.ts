import { type AvailableSize, CHARACTER_WIDTH, countTruncatedCharacters } from './fit-width.js'
import { MASQUERADED_SOURCE, type PathStage, type PathStageStep } from './path-stages.js'

export const ROW_HEIGHT = 18
export const HEADER_HEIGHT = 24
/** The height of a line with an address above a card. */
export const ADDRESS_HEIGHT = 14
/** The space between the track and an address. */
export const ADDRESS_INSET = 18
/** The distance of addresses from the card below. */
const BELOW_ADDRESS = 4
/** The space between the border of a card and its text, at both sides together. */
export const TEXT_INSET = 26
/** The horizontal and vertical distance of cards. */
export const GAP = 18
const VERTICAL_GAP = 6
const MARGIN = 4
const [LEAST_WIDTH, MOST_WIDTH] = [140, 300]
/** The cost of a hidden step when layouts are compared, in truncated characters. */
const HIDDEN_STEP = 30
/** The cost of an address of the outgoing packet that is cut. */
const CUT_ADDRESS = 60
/**
 * The cost of each row of cards when layouts are compared, in truncated characters. A single column counts as one row,
 * because it is easy to follow.
 */
const NEXT_ROW = 45

/** The position of a card and its addresses, or of the outgoing packet after the last card. */
export interface CardPosition {
  readonly x: number
  readonly y: number
  readonly width: number
  /** The height of the addresses above the card. */
  readonly above: number
  /** The steps to draw. */
  readonly steps: readonly PathStageStep[]
}

export interface PathLayout {
  readonly width: number
  readonly height: number
  readonly columns: number
  /** The hook handlers; those that change no address are joined if there is no room for them. */
  readonly stages: readonly PathStage[]
  /** One place for each stage, and one for the outgoing packet. */
  readonly places: readonly CardPosition[]
}

/**
 * Lays out a path in rows of cards, without scaling. Of the layouts that fit the room, chooses the layout that shows
 * the most text; if no layout fits, the layout with the smallest height. `endLines` are the lines of the outgoing packet.
 */
export function layOutPath(
  stages: readonly PathStage[],
  room: AvailableSize,
  endLines: readonly string[] = ['', ''],
): PathLayout {
  const layouts = [stages, joinUnchanging(stages)].flatMap((each) => layoutsOf(each, room.width, endLines))
  const fitting = layouts.filter(({ height }) => height <= room.height)
  const cost = (layout: PathLayout) => lostIn(layout, endLines)
  if (fitting.length > 0) return fitting.reduce((best, each) => (cost(each) < cost(best) ? each : best))
  return layouts.reduce((best, each) => (each.height < best.height ? each : best))
}

function layoutsOf(stages: readonly PathStage[], width: number, endLines: readonly string[]): readonly PathLayout[] {
  const longest = Math.max(0, ...stages.map(({ steps }) => steps.length))
  const columns = Array.from({ length: stages.length + 1 }, (_, index) => index + 1)
  return columns.flatMap((count) => {
    const room = width - 2 * MARGIN - (count - 1) * GAP
    if (count > 1 && room / count < LEAST_WIDTH) return []
    return Array.from({ length: longest + 1 }, (_, hidden) =>
      inRows(stages, { columns: count, room, mostSteps: longest - hidden, endLines }),
    )
  })
}

interface Rows {
  readonly columns: number
  /** The width of all cards of a row together. */
  readonly room: number
  readonly mostSteps: number
  /** The lines of the outgoing packet. */
  readonly endLines: readonly string[]
}

function inRows(stages: readonly PathStage[], { columns, room, mostSteps, endLines }: Rows): PathLayout {
  const steps = stages.map((stage) => chooseSteps(stage.steps, mostSteps))
  const needs = [
    ...stages.map((stage, index) => widthOfStage(stage, stages[index - 1], steps[index])),
    widthOfLines(endLines),
  ]
  const widths = shareWidth(
    Array.from({ length: columns }, (_, column) => Math.max(...needs.filter((_, index) => index % columns === column))),
    room,
  )
  const xs = widths.map((_, column) => widths.slice(0, column).reduce((sum, each) => sum + each + GAP, MARGIN))
  const places: CardPosition[] = []
  let y = MARGIN
  for (let from = 0; from <= stages.length; from += columns) {
    const row = stages.slice(from, from + columns)
    const isLast = from + columns > stages.length
    const lines = row.map((stage, index) => listAddresses(stage, stages[from + index - 1]).length)
    const most = Math.max(isLast ? endLines.length : 0, ...lines)
    const above = most === 0 ? 0 : most * ADDRESS_HEIGHT + BELOW_ADDRESS
    const shown = steps.slice(from, from + columns)
    for (const [column, each] of [...shown, ...(isLast ? [[]] : [])].entries()) {
      places.push({ x: xs[column] ?? MARGIN, y, width: widths[column] ?? 0, above, steps: each })
    }
    y += above + Math.max(0, ...shown.map(({ length }) => heightOfSteps(length))) + VERTICAL_GAP
  }
  const width = 2 * MARGIN + widths.reduce((sum, each) => sum + each + GAP, -GAP)
  return { width, height: y - VERTICAL_GAP, columns, stages, places }
}

/** Returns the width of a card that shows all of its texts. */
function widthOfStage(stage: PathStage, previous: PathStage | undefined, steps: readonly PathStageStep[] = []): number {
  const texts = [`${stage.name} +9`, ...steps.map((step) => `${textOfStep(step)}${step.share && ` ${step.share}`}`)]
  const longest = Math.max(...texts.map(({ length }) => length))
  return Math.max(longest * CHARACTER_WIDTH + TEXT_INSET, widthOfLines(listAddresses(stage, previous)))
}

function widthOfLines(lines: readonly string[]): number {
  return Math.max(0, ...lines.map(({ length }) => length)) * CHARACTER_WIDTH + ADDRESS_INSET
}

/** Divides a width: columns that need less than an equal share leave the rest to wider ones. */
function shareWidth(needs: readonly number[], room: number): readonly number[] {
  const widths = needs.map(() => 0)
  let left = room
  const order = [...needs.keys()].sort((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0))
  for (const [index, column] of order.entries()) {
    widths[column] = Math.min(MOST_WIDTH, needs[column] ?? 0, left / (order.length - index))
    left -= widths[column] ?? 0
  }
  return widths.map((width) => Math.max(width, Math.min(MOST_WIDTH, width + left / needs.length)))
}

/**
 * Returns the addresses above a card: both above the first card, and above each later card only the addresses that the
 * previous hook handler changed.
 */
export function listAddresses({ source, destination }: PathStage, previous: PathStage | undefined): readonly string[] {
  return [
    ...(previous?.changesSource !== false ? [`from ${formatSource(source)}`] : []),
    ...(previous?.changesDestination !== false ? [`to ${destination}`] : []),
  ]
}

export function formatSource(source: string): string {
  return source === MASQUERADED_SOURCE ? 'the node’s address' : source
}

/**
 * Chooses the steps that a card shows: first the random decisions, then the last step, the first step, and the steps
 * before the last step.
 */
function chooseSteps(steps: readonly PathStageStep[], most: number): readonly PathStageStep[] {
  if (steps.length <= most) return steps
  const [first, ...rest] = steps
  const last = rest.pop()
  const order = [...steps.filter(({ share }) => share !== ''), last, first, ...rest.reverse()]
  const chosen = new Set([...new Set(order)].slice(0, most))
  return steps.filter((step) => chosen.has(step))
}

/** Joins neighboring hook handlers that change no address. The last hook handler has the outcome and is never joined. */
function joinUnchanging(stages: readonly PathStage[]): readonly PathStage[] {
  const joined: PathStage[] = []
  for (const [index, stage] of stages.entries()) {
    const last = joined.at(-1)
    const canJoin = [last, stage].every((each) => each && !each.changesSource && !each.changesDestination)
    if (last === undefined || !canJoin || index === stages.length - 1) joined.push(stage)
    else
      joined[joined.length - 1] = {
        ...last,
        name: `${last.name}, ${stage.name}`,
        steps: [...last.steps, ...stage.steps],
      }
  }
  return joined
}

function lostIn({ stages, places, columns }: PathLayout, endLines: readonly string[]): number {
  const shown = places.flatMap(({ steps }) => steps)
  const hidden = stages.reduce((sum, { steps }) => sum + steps.length, 0) - shown.length
  const rows = columns === 1 ? 1 : Math.ceil(places.length / columns)
  const cut = places.flatMap(({ steps, width }, index) => {
    const room = Math.floor((width - TEXT_INSET) / CHARACTER_WIDTH)
    const name = stages[index]?.name
    const texts = [...steps.map(textOfStep), ...(name === undefined ? [] : [`${name} +9`])]
    return texts.map((text) => countTruncatedCharacters(text, room))
  })
  const addressRoom = Math.floor(((places.at(-1)?.width ?? 0) - ADDRESS_INSET) / CHARACTER_WIDTH)
  const cutAddresses = endLines.filter((text) => text.length > addressRoom).length
  return cut.reduce((sum, each) => sum + each, hidden * HIDDEN_STEP + rows * NEXT_ROW + cutAddresses * CUT_ADDRESS)
}

/** Returns the text of a step: its verdict, or the rule. */
export function textOfStep({ verdict, text }: PathStageStep): string {
  return verdict === '' ? text : verdict
}

/** Returns the height of a card. */
export function heightOfSteps(steps: number): number {
  return HEADER_HEIGHT + (steps === 0 ? 0 : steps * ROW_HEIGHT + 4)
}
