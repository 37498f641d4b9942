import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import type { RuleWordMeanings } from '../src/editor/find-rule-word.js'
import { readRuleWords } from './read-rule-words.js'

const PAGE = fileURLToPath(new URL('../../../docs/reference/rule-words.md', import.meta.url))

/** Provides the module `virtual:rule-words`: the words of the rules, as the documentation explains them. */
export function ruleWords(): Plugin {
  return {
    name: 'rule-words',
    resolveId: (id) => (id === 'virtual:rule-words' ? '\0rule-words' : undefined),
    load: (id) => (id === '\0rule-words' ? `export const RULE_WORDS = ${JSON.stringify(readPage())}` : undefined),
  }
}

function readPage(): RuleWordMeanings {
  return readRuleWords(readFileSync(PAGE, 'utf8'))
}
