import type { Stage } from './stages.js'

export const CARD = 276
export const ROW = 24
export const HEADER_HEIGHT = 40
/** The distance between cards. */
export const GAP = 24
/** The height of the addresses above a card. */
export const ABOVE = 46
/** The width of the addresses of the outgoing packet. */
const END = 190
const MARGIN = 8

/** The position of a card, or of the outgoing packet after the last one. */
export interface Place {
  readonly x: number
  readonly y: number
}

export interface PathLayout {
  readonly width: number
  readonly height: number
  /** One place for each stage, and one for the outgoing packet. */
  readonly places: readonly Place[]
}

export interface Room {
  readonly width: number
  readonly height: number
}

/** The smallest scale at which the text of a path in several rows is readable. */
const LEAST_SCALE = 0.65

/** Lays out a path in rows. The number of cards per row is the one that allows the largest scale. */
export function layOutPath(stages: readonly Stage[], room: Room): PathLayout {
  const layouts = Array.from({ length: stages.length + 1 }, (_, index) => inRows(stages, index + 1))
  // With equal scales, fewer rows are easier to read.
  return layouts.reduce((best, each) => (scaleOf(each, room) >= scaleOf(best, room) ? each : best))
}

/**
 * Returns the largest scale of a layout that fits the room. A layout that is too tall keeps the smallest readable
 * scale, and scrolls.
 */
export function scaleOf({ width, height }: PathLayout, room: Room): number {
  return Math.min(1, room.width / width, Math.max(LEAST_SCALE, room.height / height))
}

function inRows(stages: readonly Stage[], columns: number): PathLayout {
  const places: Place[] = []
  let y = MARGIN
  for (let from = 0; from <= stages.length; from += columns) {
    const row = stages.slice(from, from + columns)
    const count = Math.min(columns, stages.length + 1 - from)
    for (let index = 0; index < count; index++) places.push({ x: MARGIN + index * (CARD + GAP), y })
    y += ABOVE + Math.max(0, ...row.map(heightOf)) + GAP / 2
  }
  const right = places.map(({ x }, index) => x + (index === stages.length ? END : CARD))
  return { width: Math.max(...right) + MARGIN, height: y, places }
}

/** Returns the height of a card. */
export function heightOf({ steps }: Stage): number {
  return HEADER_HEIGHT + steps.length * ROW + 8
}
