import { RULE_WORDS } from 'virtual:rule-words'
import type { Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import { createElement } from '../dom/create-element.js'
import { findRuleWord } from './find-rule-word.js'

/** Longer lines are not searched, because they are not for human readers. */
const MOST_CHARACTERS = 5_000

/** Shows the meaning of the word on which the pointer rests. */
export function createHoverTooltips(language: 'yaml' | 'rules'): Extension {
  return hoverTooltip(({ state }, position) => {
    const line = state.doc.lineAt(position)
    if (line.length > MOST_CHARACTERS) return null
    const ruleWord = findRuleWord(line.text, position - line.from, language, RULE_WORDS)
    if (ruleWord === undefined) return null
    const { from, to, meaning } = ruleWord
    return {
      pos: line.from + from,
      end: line.from + to,
      above: true,
      create: () => ({ dom: createElement('div', { class: 'meaning' }, meaning) }),
    }
  })
}
