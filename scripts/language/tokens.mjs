const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|=>|\b(?:return|typeof|case|of|in|do|else|void|await|yield))\s*$/
const REGEX = /\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const QUOTED = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y

/**
 * Returns the comments and string literals of a TypeScript or JavaScript source, in order: `{ kind, text, start, end }`,
 * with `kind` `comment` or `string`. `text` of a string has no quotes, and `…` for each `${}` of a template; strings inside
 * `${}` are tokens of their own, before the template. Works without a parser: it distinguishes a regular expression from a
 * division by the character before it.
 */
export function tokensOf(source) {
  return scan(source, 0, false).tokens
}

/** Scans from `start`, inside `${}` up to its closing brace. */
function scan(source, start, insideTemplate) {
  const tokens = []
  let depth = 0
  let code = ''
  let at = start
  while (at < source.length) {
    const found = literalAt(source, at, code)
    if (found !== undefined) {
      tokens.push(...found.tokens)
      // A literal is a value, so a slash after it is a division. A comment does not count.
      code = found.isValue ? `${code.slice(-16)}0` : code
      at = found.end
      continue
    }
    const character = source[at]
    if (character === '{') depth += 1
    if (character === '}' && depth === 0 && insideTemplate) break
    if (character === '}') depth -= 1
    code = code.length > 64 ? code.slice(-16) + character : code + character
    at += 1
  }
  return { tokens, end: at }
}

function literalAt(source, at, code) {
  const character = source[at]
  if (character === '`') return templateAt(source, at)
  if (character === "'" || character === '"') {
    const text = matchAt(QUOTED, source, at)
    if (text === undefined) return undefined
    const end = at + text.length
    return { tokens: [{ kind: 'string', text: text.slice(1, -1), start: at, end }], isValue: true, end }
  }
  if (character !== '/') return undefined
  const comment = matchAt(COMMENT, source, at)
  if (comment !== undefined) {
    const end = at + comment.length
    return { tokens: [{ kind: 'comment', text: comment, start: at, end }], isValue: false, end }
  }
  const regex = BEFORE_REGEX.test(code) ? matchAt(REGEX, source, at) : undefined
  return regex === undefined ? undefined : { tokens: [], isValue: true, end: at + regex.length }
}

function templateAt(source, start) {
  const tokens = []
  let text = ''
  let at = start + 1
  while (at < source.length && source[at] !== '`') {
    if (source[at] === '\\') {
      text += source.slice(at, at + 2)
      at += 2
    } else if (source.startsWith('${', at)) {
      const inner = scan(source, at + 2, true)
      tokens.push(...inner.tokens)
      text += '…'
      at = inner.end + 1
    } else {
      text += source[at]
      at += 1
    }
  }
  const end = at + 1
  return { tokens: [...tokens, { kind: 'string', text, start, end }], isValue: true, end }
}

function matchAt(pattern, source, at) {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0]
}
