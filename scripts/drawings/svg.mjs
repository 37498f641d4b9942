// Prints the drawings of docs as SVG. A drawing has its own background and reads well in light and dark, on the site
// and on the forge: an image uses the colour scheme of the page around it.

const STYLE = `
  .page { fill: #f6f7fa; }
  text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 15px; fill: #1d2330; }
  .code { font-family: ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 13px; }
  .soft { font-size: 13px; fill: #454d5e; }
  .strong { font-weight: 600; }
  .box { fill: #ffffff; stroke: #8b95ab; stroke-width: 1.5; }
  .change { fill: #e4ebff; stroke: #3a5ccc; }
  .end { fill: #e0f3e6; stroke: #2a7a47; }
  .stop { fill: #fde8e6; stroke: #b3372c; }
  .frame { fill: none; stroke: #8b95ab; stroke-width: 1.5; stroke-dasharray: 5 5; }
  .arrow { fill: none; stroke: #5a6479; stroke-width: 2; }
  .broken { stroke: #b3372c; stroke-dasharray: 6 5; }
  .head { fill: #5a6479; }
  .broken-head { fill: #b3372c; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #20232b; }
    text { fill: #e6e9f0; }
    .soft { fill: #bcc4d3; }
    .box { fill: #2b2f3a; stroke: #7d879c; }
    .change { fill: #27345e; stroke: #8ea6ff; }
    .end { fill: #1d3b2a; stroke: #6cc48c; }
    .stop { fill: #4a2422; stroke: #ff9d94; }
    .frame { stroke: #7d879c; }
    .arrow { stroke: #aab3c5; }
    .broken { stroke: #ff9d94; }
    .head { fill: #aab3c5; }
    .broken-head { fill: #ff9d94; }
  }`

const LINE_HEIGHT = 19

/** Prints a drawing with a size and a title. `parts` are the results of the functions below. */
export function printDrawing({ width, height, title, parts }) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `  <title>${escaped(title)}</title>`,
    `  <style>${STYLE}\n  </style>`,
    `  <defs>`,
    ...['head', 'broken-head'].map(
      (id) =>
        `    <marker id="${id}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="${id}" d="M0 0 10 5 0 10z"/></marker>`,
    ),
    `  </defs>`,
    `  <rect class="page" width="${width}" height="${height}" rx="10"/>`,
    ...parts.flat(Number.POSITIVE_INFINITY).map((part) => `  ${part}`),
    '</svg>\n',
  ].join('\n')
}

/**
 * A box with centred lines. A line is a text, or `[class, text]` with the classes of the style above. `kind` is `change`
 * for what rules change, `end` for the end of a path, `stop` for a rejection.
 */
export function box([x, y, width, height], lines, kind = '') {
  const first = y + height / 2 - ((lines.length - 1) * LINE_HEIGHT) / 2
  return [
    `<rect class="${`box ${kind}`.trim()}" x="${x}" y="${y}" width="${width}" height="${height}" rx="7"/>`,
    ...lines.map((line, index) => label([x + width / 2, first + index * LINE_HEIGHT], line)),
  ]
}

/** A dashed frame around parts of a drawing, with a caption at its top left corner, or at another height. */
export function frame([x, y, width, height], caption, captionY = y + 17) {
  return [
    `<rect class="frame" x="${x}" y="${y}" width="${width}" height="${height}" rx="10"/>`,
    label([x + 14, captionY], ['soft', caption], 'start'),
  ]
}

/** One line of text whose middle is at a point. */
export function label([x, y], line, anchor = 'middle') {
  const [className, text] = typeof line === 'string' ? ['', line] : line
  const attributes = `x="${x}" y="${y}" text-anchor="${anchor}" dominant-baseline="central"`
  return `<text${className === '' ? '' : ` class="${className}"`} ${attributes}>${escaped(text)}</text>`
}

/** A line with a head at its end; `path` is the data of an SVG path, such as `M10 20H50`. */
export function arrow(path, kind = '') {
  const head = kind === 'broken' ? 'broken-head' : 'head'
  return `<path class="${`arrow ${kind}`.trim()}" d="${path}" marker-end="url(#${head})"/>`
}

/** A line without a head. */
export function line(path) {
  return `<path class="arrow" d="${path}"/>`
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
