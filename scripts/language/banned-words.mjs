import { findAll } from './markers.mjs'
import { lineAt } from './prose.mjs'
import { tokensOf } from './tokens.mjs'

const BANNED = [
  ...['ways?', 'tells?', 'told', 'asks?', 'asked', 'says?', 'said', 'whose', 'otherwise', 'behind', 'beside', 'anew'],
  ...['wanted', 'nobody', 'somebody', 'whoever', 'comes? to', 'came to', 'meets?', 'met', 'leads?', 'led', 'alike'],
  ...['holds?', 'held', 'stands?', 'stood', 'lacks?', 'doubts?', 'nowhere'],
]
const BANNED_IN_MESSAGES = wordPattern(BANNED)
// In tests also the words for property tests, mutants, cases and sandboxes.
const BANNED_IN_TITLES = wordPattern([...BANNED, 'laws?', 'faults?', 'story', 'stories', 'worlds?'])

/** The end of code before a title: `it(`, `describe.skipIf(…)(`, `it.each([…])(`. */
const BEFORE_TITLE = /(?:\b(?:describe|it|test)(?:\.\w+)*|\))\(\s*$/

/** Returns the banned words in the messages of a source: its string literals of more than one word. */
export function findInMessages(path, source) {
  return stringsOf(source).flatMap(({ text, start }) =>
    findAll(BANNED_IN_MESSAGES, { path, line: lineAt(source, start), text }),
  )
}

/** Returns the banned words in the titles of a test file, including the titles of `describe`. */
export function findInTitles(path, source) {
  return stringsOf(source)
    .filter(({ start }) => BEFORE_TITLE.test(source.slice(Math.max(0, start - 200), start)))
    .flatMap(({ text, start }) => findAll(BANNED_IN_TITLES, { path, line: lineAt(source, start), text }))
}

function stringsOf(source) {
  return tokensOf(source)
    .filter(({ kind }) => kind === 'string')
    .map(({ text, start }) => ({ text: text.replace(/\\[nt]/g, ' '), start }))
    .filter(({ text }) => /\S\s+\S/.test(text))
}

/** Matches words in lower case or with a capital; all capitals (`LED`) are a name. */
function wordPattern(words) {
  const alternatives = words.map((word) => `[${word[0]}${word[0].toUpperCase()}]${word.slice(1)}`)
  return new RegExp(String.raw`(?<![\w-])(?:${alternatives.join('|')})(?![\w-])`, 'g')
}
