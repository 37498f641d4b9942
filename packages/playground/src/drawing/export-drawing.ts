import { createSvgElement } from '../dom/create-element.js'

/** The CSS properties that an exported drawing must contain itself, because it has no style sheet. */
const PROPERTIES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-linecap',
  'stroke-linejoin',
  'paint-order',
  'font',
  'text-anchor',
] as const

/** The resolution of an exported picture, in pixels for each unit of the drawing. */
const SCALE = 2

/** The space around an exported drawing, and the height of its title. */
const [MARGIN, TITLE_HEIGHT] = [16, 28]

/** A document with its size. */
export interface ExportedDrawing {
  readonly text: string
  readonly width: number
  readonly height: number
}

/** Returns a drawing below its title as an SVG document that looks the same without the style sheet of the page. */
export function toSvgDocument(drawing: SVGSVGElement, title: string): ExportedDrawing {
  const copy = drawing.cloneNode(true) as SVGSVGElement
  const originals = [drawing, ...drawing.querySelectorAll('*')]
  for (const [index, made] of [copy, ...copy.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(originals[index] as Element)
    const own = PROPERTIES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';')
    for (const name of ['class', 'tabindex', 'role', 'aria-label']) made.removeAttribute(name)
    if (made !== copy) made.setAttribute('style', own)
  }
  const { backgroundColor, color, fontFamily } = getComputedStyle(drawing.closest('.pane') ?? document.body)
  const { viewBox } = drawing
  const [width, height] = [viewBox.baseVal.width + 2 * MARGIN, viewBox.baseVal.height + 2 * MARGIN + TITLE_HEIGHT]
  const heading = { x: 0, y: -12, style: `fill:${color};font:600 14px ${fontFamily}` }
  copy.append(createSvgElement('text', heading, title))
  copy.setAttribute('style', `background:${backgroundColor}`)
  copy.setAttribute('viewBox', `${-MARGIN} ${-MARGIN - TITLE_HEIGHT} ${width} ${height}`)
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  return { text: new XMLSerializer().serializeToString(copy), width, height }
}

/** Converts an exported drawing to a PNG picture. */
export async function toPng({ text, width, height }: ExportedDrawing): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * SCALE
  canvas.height = height * SCALE
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the picture is too large')) : resolve(blob)))
  })
}
