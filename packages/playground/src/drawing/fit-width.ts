import type { Room } from './path-layout.js'

/** The smallest scale at which the text of a drawing is readable. */
const LEAST_SCALE = 0.7

/** Scales a drawing down to the width of its pane, but not below `LEAST_SCALE`. */
export function fitWidth(drawing: SVGSVGElement): SVGSVGElement {
  const { width } = drawing.viewBox.baseVal
  drawing.style.setProperty('width', '100%')
  drawing.style.setProperty('height', 'auto')
  drawing.style.setProperty('max-width', `${width}px`)
  drawing.style.setProperty('min-width', `${width * LEAST_SCALE}px`)
  return drawing
}

/** Returns the size of a pane without its padding. On a narrow page, the pane is as tall as its drawing. */
export function roomOf(pane: HTMLElement): Room {
  const padding = 2 * 8
  const isNarrow = matchMedia('(max-width: 900px)').matches
  return {
    width: Math.max(1, pane.clientWidth - padding),
    height: isNarrow ? Number.MAX_SAFE_INTEGER : Math.max(1, pane.clientHeight - padding),
  }
}
