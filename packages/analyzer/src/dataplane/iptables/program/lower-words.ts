import { unquote } from '@kube-rules/compiler/internal/dataplane/iptables/quote'
import { UNKNOWN } from '../../../program/literals.js'
import type { Literal } from '../../../program/program.js'
import { readOptions } from './module-options.js'
import type { MatchContext } from './modules/match-module.js'
import { findMatchModule } from './modules/match-modules.js'

/**
 * Lowers the words of matches that the parser does not represent. The words of several modules may follow each other. If
 * the meaning of an option is not known, its whole module is unknown.
 */
export function lowerWords(words: readonly string[], context: MatchContext): readonly Literal[] {
  const literals: Literal[] = []
  for (let start = 0; start < words.length; ) {
    const end = endOfModule(words, start)
    for (const literal of lowerModule(words.slice(start, end), context)) literals.push(literal)
    start = end
  }
  return literals
}

/** Returns the index of the next option that does not belong to the module at `start`. */
function endOfModule(words: readonly string[], start: number): number {
  let end = start + (words[start] === '!' ? 2 : 1)
  while (end < words.length && !isShortOption(words[words[end] === '!' ? end + 1 : end])) end++
  return Math.min(end, words.length)
}

function isShortOption(word = ''): boolean {
  return isModuleOption(word) || /^-[a-z46]$/i.test(word)
}

function isModuleOption(word: string | undefined): boolean {
  return word === '-m' || word === '--match'
}

function lowerModule(words: readonly string[], context: MatchContext): readonly Literal[] {
  const isNamed = isModuleOption(words[0])
  const module = findMatchModule(isNamed ? unquote(words[1] ?? '') : '')
  if (module === undefined) return [UNKNOWN]
  const options = module.syntax === undefined ? [] : readOptions(isNamed ? words.slice(2) : words, module.syntax)
  return (options && module.lower(options, context)) ?? [UNKNOWN]
}
