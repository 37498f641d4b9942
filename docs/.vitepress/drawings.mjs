import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Shows each drawing with its size, so that the page does not move when the drawing is loaded. On a phone, a drawing
 * scrolls, so it can have the focus.
 */
export function showDrawings({ renderer: { rules } }) {
  const render = rules.image
  rules.image = (tokens, index, options, env, self) => {
    const token = tokens[index]
    const source = token.attrGet('src') ?? ''
    if (!source.endsWith('.svg')) return render(tokens, index, options, env, self)
    const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(readFileSync(join(dirname(env.path), source), 'utf8'))
    token.attrSet('width', width)
    token.attrSet('height', height)
    const image = render(tokens, index, options, env, self).replace(' loading="lazy"', '')
    return `<span class="drawing" tabindex="0">${image}</span>`
  }
}
