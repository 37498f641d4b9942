/** The smallest scale at which the text of a drawing is readable. */
const LEAST_SCALE = 0.7

/** Scales a drawing down to the width of its pane, but not so far that its text is unreadable. */
export function fitWidth(drawing: SVGSVGElement): SVGSVGElement {
  const { width } = drawing.viewBox.baseVal
  drawing.style.setProperty('width', '100%')
  drawing.style.setProperty('height', 'auto')
  drawing.style.setProperty('max-width', `${width}px`)
  drawing.style.setProperty('min-width', `${width * LEAST_SCALE}px`)
  return drawing
}
