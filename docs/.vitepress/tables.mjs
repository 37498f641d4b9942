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

/** Gives each row of a term an id, which the search leads to. */
export function identifyTerms(markdown) {
  markdown.core.ruler.push('identified-terms', ({ tokens, env }) => {
    const pattern = TERMS[env.relativePath]
    if (pattern === undefined) return
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'tr_open' || tokens[index + 1].type !== 'td_open') continue
      const term = textOf(tokens[index + 2])
      if (pattern.test(term)) token.attrSet('id', `term-${term.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`)
    }
  })
}

/** Turns each term into a heading, so that a search finds it like a title. Returns other pages unchanged. */
export function termsToHeadings(html, relativePath) {
  if (TERMS[relativePath] === undefined) return html
  return html.replace(/<tr id="([^"]*)">\s*<td[^>]*>(.*?)<\/td>/g, '<h3>$2 <a href="#$1"></a></h3>')
}

/** The terms of pages with tables of terms: those for which readers search. Options of tools would be found too often. */
const TERMS = { 'reference/glossary.md': /^/, 'reference/rule-words.md': /^KUBE-\w/ }

function textOf({ children }) {
  return children.map(({ content }) => content).join('')
}
