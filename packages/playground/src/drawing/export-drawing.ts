/** The CSS properties that an exported drawing must contain itself, because it has no style sheet. */
const PROPERTIES = ['fill', 'stroke', 'stroke-width', 'stroke-linecap', 'paint-order', 'font', 'text-anchor'] as const

/** The resolution of an exported picture, in pixels for each unit of the drawing. */
const SCALE = 2

/** Returns a drawing as an SVG document that looks the same without the style sheet of the page. */
export function toSvgDocument(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement
  const originals = [drawing, ...drawing.querySelectorAll('*')]
  for (const [index, made] of [copy, ...copy.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(originals[index] as Element)
    const own = PROPERTIES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';')
    for (const name of ['class', 'tabindex', 'role', 'aria-label']) made.removeAttribute(name)
    if (made !== copy) made.setAttribute('style', own)
  }
  const { width, height } = drawing.viewBox.baseVal
  const background = getComputedStyle(drawing.closest('.pane') ?? document.body).backgroundColor
  copy.setAttribute('style', `background:${background}`)
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  return new XMLSerializer().serializeToString(copy)
}

/** Converts an SVG document of the given size to a PNG picture. */
export async function toPng(text: string, { width, height }: { width: number; height: number }): Promise<Blob> {
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
