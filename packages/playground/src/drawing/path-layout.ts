import { type AvailableSize, CHARACTER_WIDTH, countTruncatedCharacters } from './fit-width.js'
import type { PathStage, PathStageStep } from './path-stages.js'

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
  /** The height of the addresses above the card. */
  readonly above: number
  /** The steps to draw. */
  readonly steps: readonly PathStageStep[]
}

export interface PathLayout {
  readonly width: number
  readonly height: number
  readonly cardWidth: number
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
  const layouts = [stages, joinUnchanging(stages)].flatMap((each) => layoutsOf(each, room.width, endLines.length))
  const fitting = layouts.filter(({ height }) => height <= room.height)
  const cost = (layout: PathLayout) => lostIn(layout, endLines)
  if (fitting.length > 0) return fitting.reduce((best, each) => (cost(each) < cost(best) ? each : best))
  return layouts.reduce((best, each) => (each.height < best.height ? each : best))
}

function layoutsOf(stages: readonly PathStage[], width: number, endLines: number): readonly PathLayout[] {
  const longest = Math.max(0, ...stages.map(({ steps }) => steps.length))
  const columns = Array.from({ length: stages.length + 1 }, (_, index) => index + 1)
  return columns.flatMap((count) => {
    const cardWidth = Math.min(MOST_WIDTH, (width - 2 * MARGIN - (count - 1) * GAP) / count)
    if (count > 1 && cardWidth < LEAST_WIDTH) return []
    return Array.from({ length: longest + 1 }, (_, hidden) =>
      inRows(stages, { columns: count, cardWidth, mostSteps: longest - hidden, endLines }),
    )
  })
}

interface Rows {
  readonly columns: number
  readonly cardWidth: number
  readonly mostSteps: number
  /** The number of lines of the outgoing packet. */
  readonly endLines: number
}

function inRows(stages: readonly PathStage[], { columns, cardWidth, mostSteps, endLines }: Rows): PathLayout {
  const places: CardPosition[] = []
  let y = MARGIN
  for (let from = 0; from <= stages.length; from += columns) {
    const row = stages.slice(from, from + columns)
    const isLast = from + columns > stages.length
    const lines = row.map((_, index) => countAddresses(stages, from + index))
    const most = Math.max(isLast ? endLines : 0, ...lines)
    const above = most === 0 ? 0 : most * ADDRESS_HEIGHT + BELOW_ADDRESS
    const shown = row.map(({ steps }) => chooseSteps(steps, mostSteps))
    for (const [index, steps] of [...shown, ...(isLast ? [[]] : [])].entries()) {
      places.push({ x: MARGIN + index * (cardWidth + GAP), y, above, steps })
    }
    y += above + Math.max(0, ...shown.map(({ length }) => heightOfSteps(length))) + VERTICAL_GAP
  }
  const width = 2 * MARGIN + columns * (cardWidth + GAP) - GAP
  return { width, height: y - VERTICAL_GAP, cardWidth, columns, stages, places }
}

/** Counts the addresses above a card: both above the first card, only the changed addresses above later cards. */
function countAddresses(stages: readonly PathStage[], index: number): number {
  const previous = stages[index - 1]
  if (previous === undefined) return 2
  return Number(previous.changesSource) + Number(previous.changesDestination)
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

function lostIn({ stages, places, cardWidth, columns }: PathLayout, endLines: readonly string[]): number {
  const room = Math.floor((cardWidth - TEXT_INSET) / CHARACTER_WIDTH)
  const shown = places.flatMap(({ steps }) => steps)
  const hidden = stages.reduce((sum, { steps }) => sum + steps.length, 0) - shown.length
  const rows = columns === 1 ? 1 : Math.ceil(places.length / columns)
  const cut = [...shown.map(textOfStep), ...stages.map(({ name }) => `${name} +9`)].map((text) =>
    countTruncatedCharacters(text, room),
  )
  const addressRoom = Math.floor((cardWidth - ADDRESS_INSET) / CHARACTER_WIDTH)
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
