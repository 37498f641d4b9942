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

function textOf({ children }) {
  return children.map(({ content }) => content).join('')
}
