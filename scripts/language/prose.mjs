import { tokensOf } from './tokens.mjs'

/** A text shorter than this is a label, not prose. */
const FEWEST_WORDS = { paragraph: 8, comment: 4 }

/**
 * Returns the paragraphs and list items of a Markdown text as `{ text, line }`, without front matter, code blocks, tables
 * and headings. Inline code counts as one neutral word.
 */
export function paragraphsOf(markdown) {
  const paragraphs = []
  let lines = []
  let first = 0
  const finish = () => {
    if (lines.length > 0) paragraphs.push({ text: neutral(lines.join(' ')), line: first })
    lines = []
  }
  for (const [index, line] of [...blankCode(markdown).split('\n'), ''].entries()) {
    if (/^\s*$|^\s*(?:#|\||!\[|:::)/.test(line)) {
      finish()
      continue
    }
    if (line.startsWith('    ') && lines.length === 0) continue
    if (/^\s*(?:[*-]|\d+\.) /.test(line)) finish()
    if (lines.length === 0) first = index + 1
    lines.push(line.trim())
  }
  return paragraphs.filter(({ text }) => wordCount(text) >= FEWEST_WORDS.paragraph)
}

/** Returns the comments of a source as `{ text, line }`; line comments on adjacent lines are one comment. */
export function commentsOf(source) {
  const blocks = []
  for (const token of tokensOf(source)) {
    if (token.kind !== 'comment' || /^\/\/ ?(?:biome-ignore|@ts-|\/ <)/.test(token.text)) continue
    const previous = blocks.at(-1)
    const isContinued = previous?.isLine === true && /^\n[ \t]*$/.test(source.slice(previous.end, token.start))
    if (token.text.startsWith('//') && isContinued) {
      previous.parts.push(token.text.slice(2))
      previous.end = token.end
    } else {
      blocks.push({ parts: [inner(token.text)], ...token, isLine: token.text.startsWith('//') })
    }
  }
  return blocks
    .map(({ parts, start }) => ({
      text: neutral(parts.map((part) => part.trim()).join(' ')),
      line: lineAt(source, start),
    }))
    .filter(({ text }) => wordCount(text) >= FEWEST_WORDS.comment)
}

/** Returns the text of a comment without its delimiters, on one line. */
export function inner(comment) {
  if (comment.startsWith('//')) return comment.slice(2).trim()
  return comment
    .replace(/^\/\*+|\*+\/$/g, '')
    .replace(/```[\s\S]*?```/g, '')
    .replace(/\s*\n\s*\*? ?/g, ' ')
    .trim()
}

/** Returns the number, from 1, of the line with the character at `index`. */
export function lineAt(text, index) {
  return text.slice(0, index).split('\n').length
}

export function wordCount(text) {
  return text.split(/\s+/).filter((word) => word !== '').length
}

function neutral(text) {
  return text.replace(/`[^`]*`/g, 'x')
}

/** Empties front matter, code blocks and tags, and keeps the number of lines. */
function blankCode(markdown) {
  const blank = (text) => text.replace(/[^\n]/g, '')
  return markdown
    .replace(/^---\n[\s\S]*?\n---\n/, blank)
    .replace(/^ *```[\s\S]*?^ *```/gm, blank)
    .replace(/<[^>]+>/g, blank)
}
