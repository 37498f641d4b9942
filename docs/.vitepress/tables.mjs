/** Adds the heading of its column to each cell of a table. On a phone, cells are below each other, each with its heading. */
export function labelCells(markdown) {
  markdown.core.ruler.push('labelled-cells', ({ tokens }) => {
    let headings = []
    let column = 0
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'thead_open') headings = []
      if (token.type === 'tr_open') column = 0
      if (token.type === 'th_open') headings.push(textOf(tokens[index + 1]))
      if (token.type === 'td_open') token.attrSet('data-label', headings[column++] ?? '')
    }
  })
}

/** Gives each row of a table of terms an id, which the search leads to. */
export function identifyTerms(markdown) {
  markdown.core.ruler.push('identified-terms', ({ tokens, env }) => {
    if (env.relativePath !== GLOSSARY) return
    for (const [index, token] of tokens.entries()) {
      const isRow = token.type === 'tr_open' && tokens[index + 1].type === 'td_open'
      if (isRow)
        token.attrSet(
          'id',
          `term-${textOf(tokens[index + 2])
            .toLowerCase()
            .replace(/[^a-z0-9]+/g, '-')}`,
        )
    }
  })
}

/** Turns each term into a heading, so that a search finds it like a title. Returns other pages unchanged. */
export function termsToHeadings(html, relativePath) {
  if (relativePath !== GLOSSARY) return html
  return html.replace(/<tr id="([^"]*)">\s*<td[^>]*>(.*?)<\/td>/g, '<h3>$2 <a href="#$1"></a></h3>')
}

const GLOSSARY = 'reference/glossary.md'

function textOf({ children }) {
  return children.map(({ content }) => content).join('')
}
