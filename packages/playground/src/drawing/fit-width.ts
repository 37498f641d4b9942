/** The size of a drawing's pane in pixels. */
export interface AvailableSize {
  readonly width: number
  readonly height: number
}

/** A drawing that can be laid out again for another size of its pane. */
export type FittingDrawing = SVGSVGElement & { readonly layOut: (room: AvailableSize) => void }

/** The maximum share of the screen height for a drawing on a narrow page, where the pane is as tall as the drawing. */
const MOST_OF_SCREEN = 0.8
const PADDING = 8
/** The minimum width, used for a hidden pane. */
const LEAST_WIDTH = 200

/** Lays out a drawing again whenever the size of its pane changes. */
export function fitWidth(drawing: FittingDrawing): void {
  const observer = new ResizeObserver(() => {
    const pane = drawing.parentElement
    if (pane === null) return
    observer.observe(pane)
    if (pane.clientWidth > 0) drawing.layOut(availableSizeOf(pane))
  })
  observer.observe(drawing)
}

/**
 * Returns the size of a pane without its padding and without a note below the drawing. On a narrow page, the pane is as
 * tall as its drawing.
 */
export function availableSizeOf(pane: HTMLElement): AvailableSize {
  const isNarrow = matchMedia('(max-width: 900px)').matches && document.body.dataset.view !== 'path'
  const note = pane.querySelector<HTMLElement>('.note')?.offsetHeight ?? 0
  const height = isNarrow ? innerHeight * MOST_OF_SCREEN : pane.clientHeight - note
  return { width: Math.max(LEAST_WIDTH, pane.clientWidth - 2 * PADDING), height: Math.max(1, height - 2 * PADDING) }
}

/** The minimum and maximum scale of a drawing: its text has at least 11 pixels, and at most 15 if there is room. */
const [LEAST_SCALE, MOST_SCALE] = [0.96, 1.3]

/** Sets the size of a drawing, as large as the room and the readable text allow. */
export function setDrawingSize(drawing: SVGSVGElement, { width, height }: AvailableSize, room: AvailableSize): void {
  const scale = Math.max(LEAST_SCALE, Math.min(MOST_SCALE, room.width / width, room.height / height))
  drawing.setAttribute('viewBox', `0 0 ${width} ${height}`)
  drawing.setAttribute('width', String(width * scale))
  drawing.setAttribute('height', String(height * scale))
}

/** The width of a character of the drawings, in pixels. */
export const CHARACTER_WIDTH = 7

/** Truncates a text in its middle, because chains and addresses differ at both ends. The title has the complete text. */
export function truncate(text: string, characters: number): string {
  if (text.length <= characters) return text
  const kept = Math.max(1, characters - 1)
  return `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`
}

/** Returns the number of characters of a text that are cut off. */
export function countTruncatedCharacters(text: string, characters: number): number {
  return Math.max(0, text.length - characters)
}
