import type { Match, Rule, Target } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { WordCursor } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import { lacksOptionValue, loadsProtocolExtension, parseMatch } from './parse-match.js'
import { isTargetOption, parseTarget, type RuleContext } from './parse-target.js'

/** The reason why a rule is invalid, with the index of the word. */
export interface RuleFailure {
  readonly code: 'unexpectedWord' | 'missingValue' | 'duplicateTarget'
  readonly word: number
}

export type RuleResult =
  | { readonly ok: true; readonly rule: Rule }
  | { readonly ok: false; readonly failure: RuleFailure }

/** Parses the words after `-A CHAIN`; counters (`-c`) are ignored. */
export function parseRule(chain: string, words: WordCursor, context: RuleContext): RuleResult {
  const matches: Match[] = []
  let target: Target | undefined
  let portsBelongToTransport = false
  while (words.at < words.raw.length) {
    const option = optionAt(words)
    if (option === undefined) return failure('unexpectedWord', words)
    if (isTargetOption(option)) {
      if (target !== undefined) return failure('duplicateTarget', words)
      if (words.at + 1 >= words.raw.length) return failure('missingValue', words)
      target = parseTarget(words, context)
    } else if (option === '-c' || option === '--set-counters') words.at += 3
    else {
      const match = parseMatch(words, portsBelongToTransport, context.family)
      const code = words.at < words.raw.length ? undefined : endProblem(match)
      if (code !== undefined) return failure(code, { ...words, at: words.raw.length - 1 })
      portsBelongToTransport ||= loadsProtocolExtension(match)
      matches.push(match)
    }
  }
  const kept = compactList(matches)
  return { ok: true, rule: target === undefined ? { chain, matches: kept } : { chain, matches: kept, target } }
}

/**
 * Returns the problem of an unknown match at the end of a line: a `!` at its end, or an option without a value. The
 * tools reject such a line. Before a target, an option without a value would consume the target as its value.
 */
function endProblem(match: Match): RuleFailure['code'] | undefined {
  if (match.kind !== 'unknown') return undefined
  if (match.words.at(-1) === '!') return 'unexpectedWord'
  return lacksOptionValue(match) ? 'missingValue' : undefined
}

/**
 * Returns the option at the cursor. If `!` is at the cursor, returns the option after it, provided that the option can
 * be negated.
 */
function optionAt({ raw, at }: WordCursor): string | undefined {
  const negated = raw[at] === '!'
  const option = raw[negated ? at + 1 : at]
  return option?.startsWith('-') && !(negated && isTargetOption(option)) ? option : undefined
}

function failure(code: RuleFailure['code'], words: WordCursor): RuleResult {
  return { ok: false, failure: { code, word: words.at } }
}
