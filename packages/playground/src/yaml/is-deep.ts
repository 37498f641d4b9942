/** More levels than anybody writes, and fewer than a parser that calls itself has room for. */
const MOST_LEVELS = 400

/** Whether something is nested so deep in a text that looking at its tree would take all the stack there is. */
export function isDeep(text: string): boolean {
  if (new RegExp(`(?:[-?][ \\t]+){${MOST_LEVELS}}`).test(text)) return true
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === OPEN_BRACKET || sign === OPEN_BRACE) depth++
    else if (sign === CLOSE_BRACKET || sign === CLOSE_BRACE) depth = Math.max(0, depth - 1)
    if (depth > MOST_LEVELS) return true
  }
  return false
}

const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
