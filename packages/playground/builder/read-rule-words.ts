import type { RuleWordMeanings } from '../src/editor/find-rule-word.js'

/** Reads the tables of the page of words, by the heading above each. */
export function readRuleWords(markdown: string): RuleWordMeanings {
  const [, ...sections] = markdown.split(/^## /m)
  return Object.fromEntries(
    sections.map((section) => {
      const rows = Array.from(
        section.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm),
        ([, word = '', meaning = '']) => [word, meaning.replaceAll('`', '')] as const,
      )
      return [section.slice(0, section.indexOf('\n')), rows]
    }),
  )
}
