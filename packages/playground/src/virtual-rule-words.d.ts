declare module 'virtual:rule-words' {
  export const RULE_WORDS: import('./editor/find-rule-word.js').RuleWords
}
