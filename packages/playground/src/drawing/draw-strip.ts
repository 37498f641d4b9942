import { createSvgElement } from '../dom/create-element.js'
import { truncate } from './fit-width.js'
import type { LessonStep, PacketField } from './lesson-steps.js'

const COLUMNS = 4
const [WIDTH, HEIGHT, GAP] = [264, 152, 12]
/** The number of characters in a line of a sentence, and in a line of monospaced text. */
const [SENTENCE_ROOM, CODE_ROOM] = [38, 34]
const LINE_HEIGHT = 15
const FIELDS: Readonly<Record<PacketField, string>> = { source: 'from', destination: 'to', mark: 'mark' }

/** Draws all steps of a lesson side by side, for articles: a frame for each step, in rows. */
export function drawStrip(steps: readonly LessonStep[]): SVGSVGElement {
  const columns = Math.min(COLUMNS, steps.length)
  const rows = Math.ceil(steps.length / columns)
  const size = { width: columns * (WIDTH + GAP) - GAP, height: rows * (HEIGHT + GAP) - GAP }
  return createSvgElement(
    'svg',
    { class: 'strip', viewBox: `0 0 ${size.width} ${size.height}`, ...size },
    ...steps.map((step, index) => {
      const x = (index % columns) * (WIDTH + GAP)
      const y = Math.floor(index / columns) * (HEIGHT + GAP)
      return drawFrame(step, index, x, y)
    }),
  )
}

function drawFrame(
  { place, sentence, rule, packet, changed }: LessonStep,
  index: number,
  x: number,
  y: number,
): SVGElement {
  const line = (text: string, top: number, kind: string) =>
    createSvgElement('text', { x: x + 12, y: y + top, class: kind }, text)
  const facts = (Object.keys(FIELDS) as PacketField[]).map((field, row) =>
    line(
      truncate(`${FIELDS[field]} ${packet[field]}`, CODE_ROOM),
      HEIGHT - 54 + row * LINE_HEIGHT,
      changed.includes(field) ? 'code changed' : 'code',
    ),
  )
  return createSvgElement(
    'g',
    { class: 'frame' },
    createSvgElement('rect', { x, y, width: WIDTH, height: HEIGHT, rx: 6 }),
    line(`${index + 1}${place === '' ? '' : ` · ${place}`}`, 20, 'hook'),
    ...wrapWords(sentence, SENTENCE_ROOM).map((words, row) => line(words, 40 + row * LINE_HEIGHT, 'words')),
    ...facts,
    line(truncate(rule, CODE_ROOM), HEIGHT - 8, 'code rule'),
  )
}

/** Splits a sentence into lines of at most `room` characters. A longer word has its own line, and is truncated. */
export function wrapWords(sentence: string, room: number): readonly string[] {
  const lines: string[] = []
  for (const word of sentence.split(' ').map((each) => truncate(each, room))) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= room) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
